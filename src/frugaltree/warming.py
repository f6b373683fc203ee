"""Compiling everything before it is needed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain

from frugaltree._registry import LEARNERS, find_learner
from frugaltree.compiling import compile_missing, record
from frugaltree.estimators import load_class
from frugaltree.estimators.gains import information_gains
from frugaltree.estimators.rehearsal import CLASSES, TABLE, rehearsal_of
from frugaltree.kernels.code_store import mark_complete

__all__ = ["warm_up"]


def warm_up(
    learners: Sequence[str] | None = None, *, n_jobs: int | None = None, verbose: int = 1
) -> int:
    """Compile the kernels of learners, so that no fit has to wait for it.

    What this machine, or the wheel, has machine code for already is left out. Processes that
    compile at the same time share the work.

    Parameters
    ----------
    learners : sequence of str, default=None
        Their names on the command line, as in ``["act", "eg2"]``; all by default.
    n_jobs : int, default=None
        How many processes compile, one for each core by default.
    verbose : int, default=1
        0 shows nothing; else a line and, in a terminal or notebook, a bar.

    Returns
    -------
    n : int
        How many kernels had to be compiled.

    Examples
    --------
    >>> from frugaltree import EG2Classifier, warm_up
    >>> learner = EG2Classifier().fit([[0], [1]], ["no", "yes"])  # compiles what it takes
    >>> warm_up(["eg2"], verbose=0) >= 0
    True
    """
    entries = [find_learner(key) for key in (LEARNERS if learners is None else learners)]
    classes = [load_class(entry) for entry in entries]
    rehearsals = dict(rehearsal_of(one, long=long) for one in classes for long in (False, True))
    title = ", ".join(entry.title for entry in entries)
    if learners is None:
        rehearsals["drawing prices"] = partial(information_gains, TABLE, CLASSES)
        title = "all learners"
    needed = set(chain.from_iterable(map(record, rehearsals.values())))
    n = compile_missing(needed, title, n_jobs=n_jobs, quiet=not verbose, hint=False)
    for name in rehearsals:
        mark_complete(name)
    return n

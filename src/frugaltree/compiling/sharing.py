"""Compiling what is missing, together with whoever else is at it."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numba.core import event

from frugaltree.compiling.needed import OPTIMIZING, Needed, record, size_of
from frugaltree.compiling.progress import CompilingBar, announce
from frugaltree.kernels.code_store import is_complete, mark_complete, writable_folder
from frugaltree.kernels.jit import before_compiling, is_recording

HELPED = 20_000
"""From so much work on, a helper is worth its start."""

Advance = Callable[[int], None]

_prepared: set[str] = set()
"""What this process has asked the disk about once."""


def compile_missing(
    needed: Iterable[Needed],
    title: str,
    *,
    n_jobs: int | None = None,
    quiet: bool = False,
    hint: bool = True,
) -> int:
    """Compile all kernels that have no machine code yet; return how many there were.

    Parameters
    ----------
    needed
        The kernels.
    title
        What they are for.
    n_jobs
        How many processes may compile, one for each core by default.
    quiet
        Whether to say nothing.
    hint
        Whether to say how it could be done beforehand.
    """
    missing = sorted((one for one in needed if one.is_missing), key=lambda one: -one.work)
    if not missing:
        return 0
    work = sum(one.work for one in missing)
    if not quiet:
        announce(len(missing), title, hint=hint)
    with CompilingBar(title, work, shown=not quiet) as bar, _helpers(missing, n_jobs, bar.advance):
        compile_in_turn(missing, bar.advance)
    return len(missing)


def compile_in_turn(needed: list[Needed], advance: Advance) -> None:
    """Compile kernels one after the other; those that another process is at come last."""
    with _watching(advance), before_compiling(_nothing):
        waiting = [one for one in needed if not _compiled_now(one)]
        for one in waiting:
            one.kernel.compile(one.arguments)


def _nothing() -> None:
    """Stand in for what is to be done before compiling, while just that is done."""


def _compiled_now(one: Needed) -> bool:
    """Compile a kernel if no other process is at it; tell whether it is done."""
    if one.is_missing:
        with one.kernel._cache.lock(one.arguments, wait=False) as mine:
            if not mine:
                return False
            one.kernel.compile(one.arguments)
    return True


class _Parts(event.Listener):
    """Tells how much is compiled, whenever a kernel or a part of one is done."""

    def __init__(self, advance: Advance) -> None:
        self._advance = advance
        self._above: list[int] = []

    def on_start(self, event: Any) -> None:
        """Begin with a function; its parts come first."""
        self._above.append(0)

    def on_end(self, event: Any) -> None:
        """Count a function: a part by itself, a kernel with the optimising of all parts."""
        size = size_of(event.data["dispatcher"])
        below = size + self._above.pop()
        if self._above:
            self._above[-1] += below
            self._advance(size)
        else:
            self._advance(size + OPTIMIZING * below)


@contextmanager
def _watching(advance: Advance) -> Iterator[None]:
    listener = _Parts(advance)
    events: Any = event
    events.register("numba:compile", listener)
    try:
        yield
    finally:
        events.unregister("numba:compile", listener)


# ------------------------------------------------------------------------------ helpers


@contextmanager
def _helpers(missing: list[Needed], n_jobs: int | None, advance: Advance) -> Iterator[None]:
    """Let further processes compile, too, as many as are worth it."""
    from joblib import cpu_count  # takes a while, and helpers have none of their own

    n = min(n_jobs or cpu_count(), len(missing)) - 1
    if sum(one.work for one in missing) < HELPED or writable_folder() is None:
        n = 0
    processes = [process for process in (_start_helper(missing) for _ in range(n)) if process]
    listeners = [threading.Thread(target=_listen, args=(one, advance)) for one in processes]
    for listener in listeners:
        listener.start()
    try:
        yield
    finally:
        for process, listener in zip(processes, listeners, strict=True):
            process.kill()
            process.wait()
            listener.join()


def _start_helper(missing: list[Needed]) -> subprocess.Popen[bytes] | None:
    """Start a process that compiles, None where there is no Python to start."""
    here = str(Path(__file__).parents[2])
    paths = [here, *filter(None, [os.environ.get("PYTHONPATH")])]
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "frugaltree.compiling"],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdin is not None
        with process.stdin as pipe:
            pipe.write(pickle.dumps(missing))
    except (OSError, TypeError):  # TypeError: there is no sys.executable
        return None
    return process


def _listen(process: subprocess.Popen[bytes], advance: Advance) -> None:
    """Pass on how much a helper has compiled."""
    assert process.stdout is not None
    with process.stdout as lines:
        for line in lines:
            advance(int(line))


# ------------------------------------------------------------------------------ on demand


def prepare(title: str, rehearse: Callable[[], Any]) -> None:
    """Compile everything that some work needs, unless that was done before.

    Parameters
    ----------
    title
        What the work is.
    rehearse
        Does the same work on a tiny problem.
    """
    if is_recording() or title in _prepared:
        return
    if not is_complete(title):
        compile_missing(record(rehearse), title)
        mark_complete(title)
    _prepared.add(title)


@contextmanager
def prepared_on_demand(*rehearsals: tuple[str, Callable[[], Any]]) -> Iterator[None]:
    """Compile everything that some work needs as soon as it meets a kernel without code.

    Parameters
    ----------
    *rehearsals
        What the work may be, the usual first, each with what does the same on a tiny problem. The
        next is looked at where the one before does not need the kernel that is missing.
    """
    ahead = iter(rehearsals)

    def compile_all() -> None:
        for title, rehearse in ahead:
            n = compile_missing(record(rehearse), title)
            mark_complete(title)
            if n:
                return
        announce(1, rehearsals[0][0])

    with before_compiling(compile_all):
        yield

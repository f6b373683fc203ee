"""Learning tiny problems, to find out which kernels a learner needs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np

from frugaltree._registry import BY_CLASS
from frugaltree.costs import Costs, Group
from frugaltree.engines.exact.objective import expected_tables
from frugaltree.kernels.data.bins import widen_bins
from frugaltree.kernels.exact.state_table import States, move_states
from frugaltree.table import taking_all_for_long

SHORT: dict[str, dict[str, Any]] = {
    "ICETClassifier": {"generations": 1, "population": 2},
    "FrugalTreeClassifier": {"max_steps": 3, "time_limit": None},
}
"""What keeps a learner from taking long."""

TABLE = np.array(
    [[0, 1.5, 1], [1, 2.5, 0], [0, 3.5, 1], [1, 1.0, 1], [0, 2.0, 0], [1, 3.0, 0], [0, 2.5, 1]]
)
CLASSES = [0, 1, 0, 1, 1, 0, 1]
NOMINAL = [0, 2]


def rehearsal_of(learner: type, *, long: bool = False) -> tuple[str, Callable[[], Any]]:
    """Return the name of a learner's work, on long tables or on others, and what rehearses it.

    A class derived from a learner of this package counts as that. What others need is not known.

    >>> from frugaltree import EG2Classifier
    >>> rehearsal_of(EG2Classifier)[0], rehearsal_of(EG2Classifier, long=True)[0]
    ('EG2Classifier', 'EG2Classifier on long tables')
    """
    more = " on long tables" if long else ""
    for made in learner.__mro__:
        if made.__name__ in BY_CLASS:
            return f"{made.__name__}{more}", partial(rehearse, made, long=long)
    return f"{learner.__name__}{more}", lambda: None


def rehearse(made: Callable[..., Any], *, long: bool = False) -> None:
    """Learn a few cases in all the ways that take kernels of their own, and look at the answers.

    With and without missing values, delayed tests and groups; with numbers, in bins too, and
    without. The codes of a long table have another type. What interpreted kernels have worked
    out is not kept: its last bits may differ.
    """
    expected_tables.cache_clear()
    try:
        with taking_all_for_long() if long else nullcontext():
            _learn_in_all_ways(made)
    finally:
        expected_tables.cache_clear()


def _learn_in_all_ways(made: Callable[..., Any]) -> None:
    tied = Costs([1, 2, 3], {"g": Group([0, 1], cost=1)}, delayed=[2], errors=50)
    gaps = TABLE.copy()
    gaps[[0, 3], [1, 2]] = np.nan
    plain, short = Costs([1, 2, 3], errors=50), SHORT.get(made.__name__, {})
    for X, costs, bins in ((TABLE, plain, 3), (gaps, tied, None), (TABLE[:, NOMINAL], None, None)):
        nominal = NOMINAL if X.shape[1] > len(NOMINAL) else [0, 1]
        estimator = made(costs, categorical_features=nominal, random_state=0, **short)
        fitted = estimator.set_params(max_bins=bins).fit(X, CLASSES)
        fitted.bill(X), fitted.predict_proba(X)
    if "prune" in fitted.get_params():
        fitted.set_params(prune=False).fit(X, CLASSES)
    if "memory_limit" in fitted.get_params():  # only a large search needs a larger table
        move_states(States.empty(0), States.empty(0), np.int64(1), np.zeros(1, np.int64))
    widen_bins(np.zeros(1), np.zeros(1, np.int32), np.zeros(1), np.zeros(1))  # read in pieces

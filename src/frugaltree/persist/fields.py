"""What a model file holds: its sections, learners, label types and fitted attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from frugaltree.learners.base import CostSensitiveTree
from frugaltree.learners.c45 import C45Classifier
from frugaltree.learners.csid3 import CSID3Classifier
from frugaltree.learners.dtmc import DTMCClassifier
from frugaltree.learners.eg2 import EG2Classifier
from frugaltree.learners.id3 import ID3Classifier
from frugaltree.learners.idx import IDXClassifier
from frugaltree.persist.check import check_keys, expect, is_amount, read_list
from frugaltree.tree import Tree

FORMAT = "frugaltree model"
VERSION = 1

LEARNERS: dict[str, type[CostSensitiveTree]] = {
    learner.__name__: learner
    for learner in (
        C45Classifier,
        CSID3Classifier,
        DTMCClassifier,
        EG2Classifier,
        ID3Classifier,
        IDXClassifier,
    )
}
"""Every learner that a file may name."""

SECTIONS = (
    "format", "version", "learner", "parameters", "costs",
    "classes", "columns", "tree", "training", "provenance",
)  # fmt: skip
"""The parts of a file, in their order; none may be missing."""

LABEL_TYPES: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    **{f"{sign}int{bits}": (int,) for sign in ("", "u") for bits in (8, 16, 32, 64)},
    **{f"float{bits}": (float,) for bits in (16, 32, 64)},
    "str": (str,),
    "object": (bool, int, float, str),
}
"""NumPy's name for the type of ``classes_``, and the labels that go with it."""

TERMINATIONS = (
    "completed", "optimal", "gap", "time_limit", "memory_limit", "steps", "callback",
    "interrupted",
)  # fmt: skip
"""How a fit may have ended."""


def read_amount(value: Any, where: str, tree: Tree) -> float:
    """Return a finite number, 0 or more."""
    expect(is_amount(value), where, "a finite number, 0 or more", value)
    return float(value)


def _read_shares(value: Any, where: str, tree: Tree) -> Any:
    shares = read_list(value, where, len(tree.classes))
    for i, share in enumerate(shares):
        expect(is_amount(share) and share <= 1, f"{where}[{i}]", "between 0 and 1", share)
    return np.array(shares, np.float64)


def _read_usage(value: Any, where: str, tree: Tree) -> dict[str, float]:
    names = [column.name for column in tree.columns]
    check_keys(value, where, names)
    return {name: read_amount(value[name], f"{where}.{name}", tree) for name in names}


def _read_termination(value: Any, where: str, tree: Tree) -> str:
    expect(value in TERMINATIONS, where, f"one of {', '.join(TERMINATIONS)}", value)
    return str(value)


class Kept(NamedTuple):
    """How a fitted attribute comes back from a file; an optional one may be missing there."""

    read: Callable[[Any, str, Tree], Any]
    optional: bool = False


FITTED = {
    "class_frequencies_": Kept(_read_shares),
    "test_usage_": Kept(_read_usage),
    "expected_test_cost_": Kept(read_amount),
    "expected_error_cost_": Kept(read_amount),
    "expected_cost_": Kept(read_amount),
    "termination_": Kept(_read_termination),
}
"""The fitted attributes in ``training``, where they stand without the underscore at the end."""

"""What a model file holds: its sections, learners, label types and fitted attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from frugaltree.anytime.drive import Moment
from frugaltree.learners.act import ACTClassifier
from frugaltree.learners.base import CostSensitiveTree
from frugaltree.learners.c45 import C45Classifier
from frugaltree.learners.csid3 import CSID3Classifier
from frugaltree.learners.dtmc import DTMCClassifier
from frugaltree.learners.eg2 import EG2Classifier
from frugaltree.learners.icet import Bias, Generation, ICETClassifier
from frugaltree.learners.id3 import ID3Classifier
from frugaltree.learners.idx import IDXClassifier
from frugaltree.learners.lsid3 import LSID3Classifier
from frugaltree.learners.tuning import Tried
from frugaltree.persist.check import check_keys, expect, is_amount, read_list
from frugaltree.tree import Tree

FORMAT = "frugaltree model"
VERSION = 1

LEARNERS: dict[str, type[CostSensitiveTree]] = {
    learner.__name__: learner
    for learner in (
        ACTClassifier,
        C45Classifier,
        CSID3Classifier,
        DTMCClassifier,
        EG2Classifier,
        ICETClassifier,
        ID3Classifier,
        IDXClassifier,
        LSID3Classifier,
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


def _read_rows(kind: Callable[..., Any]) -> Callable[[Any, str, Tree], list[Any]]:
    """Return what reads rows of amounts, each into a ``kind`` of named tuple."""
    width = len(kind._fields)  # type: ignore[attr-defined]

    def read(value: Any, where: str, tree: Tree) -> list[Any]:
        expect(isinstance(value, list), where, "a list", value)
        rows = [read_list(row, f"{where}[{i}]", width) for i, row in enumerate(value)]
        return [
            kind(*(read_amount(x, f"{where}[{i}][{j}]", tree) for j, x in enumerate(row)))
            for i, row in enumerate(rows)
        ]

    return read


def _read_history(value: Any, where: str, tree: Tree) -> list[Moment]:
    moments = _read_rows(Moment)(value, where, tree)
    return [moment._replace(samples=int(moment.samples)) for moment in moments]


def _read_tuning(value: Any, where: str, tree: Tree) -> list[Tried] | None:
    return None if value is None else _read_rows(Tried)(value, where, tree)


def _read_bias(value: Any, where: str, tree: Tree) -> Bias:
    prices, w, cf, fitness = read_list(value, where, 4)
    return Bias(
        _read_usage(prices, f"{where}[0]", tree),
        read_amount(w, f"{where}[1]", tree),
        read_amount(cf, f"{where}[2]", tree),
        None if fitness is None else read_amount(fitness, f"{where}[3]", tree),
    )


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
    "history_": Kept(_read_history, optional=True),
    "w_": Kept(read_amount, optional=True),
    "cf_": Kept(read_amount, optional=True),
    "tuning_": Kept(_read_tuning, optional=True),
    "bias_": Kept(_read_bias, optional=True),
    "generations_": Kept(_read_rows(Generation), optional=True),
}
"""The fitted attributes in ``training``, where they stand without the underscore at the end."""

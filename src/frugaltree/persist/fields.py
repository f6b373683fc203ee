"""What a model file holds: its sections, learners, label types and fitted attributes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, astuple, fields
from typing import Any, NamedTuple

import numpy as np

from frugaltree._registry import BY_CLASS
from frugaltree.anytime.progress import Progress
from frugaltree.engines.cross_validation import Trial
from frugaltree.engines.forecast import Forecast
from frugaltree.engines.sampling.tuning import Setting, trials_of
from frugaltree.estimators import load_class
from frugaltree.estimators.base import CostSensitiveTree
from frugaltree.estimators.icet import Bias, Generation
from frugaltree.persist.check import check_keys, expect, is_amount, is_number, read_list
from frugaltree.strategies import Strategy
from frugaltree.tree.tree import Tree

FORMAT = "frugaltree model"
VERSION = 4
"""Version 2 says where cases go that lack a value; before, it was where most had gone, charged.

And it says how probabilities are shrunk, which they were not. Version 3 has answers that are no
classes, and then costs may be gains. Version 4 has rules of the house, monotone tests, what
waiting costs, prices that depend on other tests, and what errors cost on average where cases had
costs of their own. A model is written as the oldest version that can hold it, which older readers
know.
"""

WITH_DECISIONS, WITHOUT_DECISIONS = 3, 2
"""The versions of models with nothing newer, whose costs have decisions or none."""

NEW_PARAMETERS = ("max_tests", "max_leaves", "monotone")
"""Parameters that versions before 4 do not know; where they are not used, files leave them out."""

STRATEGIES = "rivals"
"""What files call the strategies that a tree was compared with, in ``training``."""

LEARNERS: dict[str, type[CostSensitiveTree]] = {
    name: load_class(BY_CLASS[name]) for name in sorted(BY_CLASS)
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
    "completed", "optimal", "gap", "time_limit", "memory_limit", "steps", "monitor",
    "callback", "interrupted",
)  # fmt: skip
"""How a fit may have ended."""

Reader = Callable[[Any, str, Tree], Any]
"""What checks the value at a place of a file, and returns it as a fitted attribute."""


def read_amount(value: Any, where: str, tree: Tree) -> float:
    """Return a finite number, 0 or more."""
    expect(is_amount(value), where, "a finite number, 0 or more", value)
    return float(value)


def read_money(value: Any, where: str, tree: Tree) -> float:
    """Return a cost: an amount or, of a tree with decisions, a gain as well."""
    if not tree.has_decisions:
        return read_amount(value, where, tree)
    expect(is_number(value), where, "a finite number", value)
    return float(value)


def _read_share(value: Any, where: str, tree: Tree) -> float:
    expect(is_amount(value) and value <= 1, where, "between 0 and 1", value)
    return float(value)


def _read_gap(value: Any, where: str, tree: Tree) -> float:
    """Return a gap; null stands for one that is undefined."""
    return math.nan if value is None else _read_share(value, where, tree)


def _read_shares(value: Any, where: str, tree: Tree) -> Any:
    shares = read_list(value, where, len(tree.classes))
    return np.array(
        [_read_share(share, f"{where}[{i}]", tree) for i, share in enumerate(shares)], np.float64
    )


def _read_usage(value: Any, where: str, tree: Tree) -> dict[str, float]:
    names = [column.name for column in tree.columns]
    check_keys(value, where, names)
    return {name: read_amount(value[name], f"{where}.{name}", tree) for name in names}


def _read_ranges(value: Any, where: str, tree: Tree) -> dict[str, tuple[float, float]]:
    """Read the least and the greatest value of numeric tests, by name."""
    numeric = [column.name for column in tree.columns if column.kind == "numeric"]
    check_keys(value, where, (), optional=numeric)
    return {name: _read_range(value[name], f"{where}.{name}") for name in value}


def _read_range(value: Any, where: str) -> tuple[float, float]:
    least, greatest = read_list(value, where, 2)
    fits = is_number(least) and is_number(greatest) and least <= greatest
    expect(fits, where, "two finite numbers, the lesser first", value)
    return float(least), float(greatest)


def _read_termination(value: Any, where: str, tree: Tree) -> str:
    expect(value in TERMINATIONS, where, f"one of {', '.join(TERMINATIONS)}", value)
    return str(value)


def _read_text(value: Any, where: str, tree: Tree) -> str:
    expect(isinstance(value, str), where, "text", value)
    return str(value)


def _or_none(read: Reader) -> Reader:
    """Return what reads a value that may be null."""

    def read_or_none(value: Any, where: str, tree: Tree) -> Any:
        return None if value is None else read(value, where, tree)

    return read_or_none


def _read_cost(value: Any, where: str, tree: Tree) -> float:
    """Return an amount; null stands for one beyond all numbers, for JSON has none for it."""
    return math.inf if value is None else read_money(value, where, tree)


def _read_spread(value: Any, where: str, tree: Tree) -> float:
    """Return a standard error; null stands for one that is undefined."""
    return math.nan if value is None else read_amount(value, where, tree)


def _read_table(value: Any, where: str, tree: Tree, readers: Sequence[Reader]) -> list[list[Any]]:
    """Return rows of amounts, each read in its own way."""
    expect(isinstance(value, list), where, "a list", value)
    rows = [read_list(row, f"{where}[{i}]", len(readers)) for i, row in enumerate(value)]
    return [
        [
            read(x, f"{where}[{i}][{j}]", tree)
            for j, (x, read) in enumerate(zip(row, readers, strict=True))
        ]
        for i, row in enumerate(rows)
    ]


def _read_generations(value: Any, where: str, tree: Tree) -> list[Generation]:
    return [Generation(*row) for row in _read_table(value, where, tree, [_read_cost] * 3)]


def _read_history(value: Any, where: str, tree: Tree) -> list[Progress]:
    rows = _read_table(value, where, tree, (read_amount, _read_cost, read_amount))
    return [Progress(seconds, cost, steps=int(steps)) for seconds, cost, steps in rows]


def _write_history(history: list[Progress]) -> list[list[float]]:
    return [[one.seconds, one.cost, one.steps] for one in history]


def _read_bounded_history(value: Any, where: str, tree: Tree) -> list[Progress]:
    rows = _read_table(value, where, tree, (read_amount, _read_cost, _or_none(read_money)))
    return [Progress(seconds, cost, bound) for seconds, cost, bound in rows]


def _write_bounded_history(history: list[Progress]) -> list[list[Any]]:
    return [[one.seconds, one.cost, one.bound] for one in history]


def _read_trials(value: Any, where: str, tree: Tree) -> list[Trial]:
    """Read the trials of ACT: which one was chosen stands elsewhere in the file."""
    readers = (read_amount, read_amount, _read_cost, _read_spread)
    rows = _read_table(value, where, tree, readers)
    return trials_of([(Setting(w, cf), cost, error) for w, cf, cost, error in rows])


def _write_trials(trials: list[Trial]) -> list[list[float]]:
    return [[one.w, one.cf, one.cost, one.error] for one in trials]


def _read_candidates(value: Any, where: str, tree: Tree) -> list[Trial]:
    """Read the trials of FrugalTree: which one was chosen stands elsewhere in the file."""
    rows = enumerate(read_list(value, where))
    return [_read_candidate(row, f"{where}[{i}]", tree) for i, row in rows]


def _read_candidate(value: Any, where: str, tree: Tree) -> Trial:
    name, cost, error, saving, saving_error = read_list(value, where, 5)
    known = saving is None or is_number(saving)
    expect(known, f"{where}[3]", "a finite number or null", saving)
    text = _read_text(name, f"{where}[0]", tree)
    return Trial(
        text,
        {"pessimism": text},
        cost=_read_cost(cost, f"{where}[1]", tree),
        error=_read_spread(error, f"{where}[2]", tree),
        saving=math.nan if saving is None else float(saving),
        saving_error=_read_spread(saving_error, f"{where}[4]", tree),
    )


def _write_candidates(trials: list[Trial]) -> list[list[Any]]:
    return [[one.name, one.cost, one.error, one.saving, one.saving_error] for one in trials]


def _read_forecast(value: Any, where: str, tree: Tree) -> Forecast:
    """Read a forecast: costs are amounts, but a saving may be a loss."""
    check_keys(value, where, [one.name for one in fields(Forecast)])
    for name, number in value.items():
        if name.startswith("saving"):
            expect(is_number(number), f"{where}.{name}", "a finite number", number)
        else:
            read = read_amount if name in ("error", "cases") else read_money
            read(number, f"{where}.{name}", tree)
    return Forecast(**{name: float(number) for name, number in value.items()})


def _write_forecast(told: Forecast) -> dict[str, float] | None:
    """Return a forecast by its names, None for one beyond all numbers."""
    return asdict(told) if all(map(math.isfinite, astuple(told))) else None


def _read_bias(value: Any, where: str, tree: Tree) -> Bias:
    prices, w, cf, fitness = read_list(value, where, 4)
    return Bias(
        _read_usage(prices, f"{where}[0]", tree),
        read_amount(w, f"{where}[1]", tree),
        read_amount(cf, f"{where}[2]", tree),
        None if fitness is None else read_amount(fitness, f"{where}[3]", tree),
    )


def read_strategies(value: Any, where: str, tree: Tree) -> list[Strategy]:
    """Return what other strategies cost beside the tree."""
    rows = enumerate(read_list(value, where))
    return [_read_strategy(row, f"{where}[{i}]", tree) for i, row in rows]


def _read_strategy(value: Any, where: str, tree: Tree) -> Strategy:
    check_keys(value, where, [one.name for one in fields(Strategy)])
    amounts = {
        key: _or_none(read_money)(value[key], f"{where}.{key}", tree)
        for key in ("tests", "errors", "expected_tests", "expected_errors")
    }
    for key in ("tests", "errors"):
        amounts[key] = _read_cost(value[key], f"{where}.{key}", tree)
    asked, names = value["asked"], [column.name for column in tree.columns]
    check_keys(asked, f"{where}.asked", (), optional=names)
    return Strategy(
        _read_text(value["name"], f"{where}.name", tree),
        **amounts,
        asked={name: read_amount(asked[name], f"{where}.asked.{name}", tree) for name in asked},
    )


class StoredAttribute(NamedTuple):
    """How a fitted attribute comes back from a file; an optional one may be missing there.

    ``write`` returns it as rows, where it is not written as it is.
    """

    read: Reader
    optional: bool = False
    write: Callable[[Any], Any] | None = None


FITTED = {
    "class_frequencies_": StoredAttribute(_read_shares),
    "test_usage_": StoredAttribute(_read_usage),
    "test_ranges_": StoredAttribute(_read_ranges, optional=True),
    "expected_test_cost_": StoredAttribute(read_amount),
    "expected_error_cost_": StoredAttribute(read_money),
    "expected_cost_": StoredAttribute(read_money),
    "termination_": StoredAttribute(_read_termination),
    "history_": StoredAttribute(_read_history, optional=True, write=_write_history),
    "w_": StoredAttribute(read_amount, optional=True),
    "cf_": StoredAttribute(read_amount, optional=True),
    "tuning_": StoredAttribute(_or_none(_read_trials), optional=True, write=_write_trials),
    "bias_": StoredAttribute(_read_bias, optional=True),
    "generations_": StoredAttribute(_read_generations, optional=True),
}
"""The fitted attributes in ``training``, where they stand without the underscore at the end."""

OWN = {
    "FrugalTreeClassifier": {
        "objective_": StoredAttribute(read_money),
        "lower_bound_": StoredAttribute(read_money),
        "gap_": StoredAttribute(_read_gap),
        "history_": StoredAttribute(_read_bounded_history, write=_write_bounded_history),
        "pessimism_": StoredAttribute(_read_text),
        "cf_": StoredAttribute(_or_none(read_amount)),
        "tuning_": StoredAttribute(_or_none(_read_candidates), write=_write_candidates),
        "cv_cost_": StoredAttribute(_or_none(read_money)),
        "cv_cost_error_": StoredAttribute(_or_none(read_amount)),
        "forecast_": StoredAttribute(
            _or_none(_read_forecast), optional=True, write=_write_forecast
        ),
    },
}
"""What a learner has beyond :data:`FITTED`, or in a form of its own, by its name."""


def fitted_of(learner: type[Any]) -> dict[str, StoredAttribute]:
    """Return the fitted attributes that a file keeps of a learner.

    >>> from frugaltree import ACTClassifier, FrugalTreeClassifier
    >>> "gap_" in fitted_of(FrugalTreeClassifier), "gap_" in fitted_of(ACTClassifier)
    (True, False)
    """
    return {**FITTED, **OWN.get(learner.__name__, {})}

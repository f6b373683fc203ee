"""The problems of the study: tables with prices and error costs (sections 4.1 and 4.7).

A problem is a table under one price list; what an error costs is added as a *level*. Both have
names that never change: ``car/1`` to ``car/4`` are the car table under four drawn price lists,
``car/random-1`` one drawn without regard to information, ``heart/expert`` has Turney's prices;
``500`` is the level at which every error costs 500, ``500:4000`` that at which a false positive
costs 500 and a false negative 4000.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from frugaltree.costs import Costs
from frugaltree.datasets import assign_costs, info, load, load_costs, names
from frugaltree.exceptions import FrugaltreeError, did_you_mean
from frugaltree.files import write_at_once

Fold = tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]

DRAWS = (1, 2, 3, 4)
"""Seeds of the price lists drawn for each table."""

N_FOLDS = 10

EXPERTS = ("bupa", "heart", "hepatitis", "pima", "thyroid")
"""Tables with Turney's prices."""

WIDENED = "breast-cancer-20"
"""Breast cancer with irrelevant tests added up to twenty: our reading of Figure 13's name."""

WIDTH = 20

LEVELS = ("100", "500", "1000", "5000", "10000")
"""Uniform error costs, the paper's mc."""

GAMMAS = (500, 5000)
RATIOS = ((1, 8), (1, 4), (1, 2), (1, 1), (2, 1), (4, 1), (8, 1))
"""False positives to false negatives, in the order of the paper's Table 3."""

TURNEY_LEVELS = ("10", "50", "100", "500", "1000", "5000", "10000")
"""Error costs of Turney's own experiment."""


def level(false_positive: int, false_negative: int) -> str:
    """Return the name of a level.

    >>> level(500, 500), level(500, 4000)
    ('500', '500:4000')
    """
    if false_positive == false_negative:
        return str(false_positive)
    return f"{false_positive}:{false_negative}"


def list_nonuniform_levels(gamma: int) -> list[str]:
    """Return the levels of a row of Table 3.

    >>> list_nonuniform_levels(500)[:4]
    ['500:4000', '500:2000', '500:1000', '500']
    """
    return [level(gamma * fp, gamma * fn) for fp, fn in RATIOS]


def parse_level(name: str, classes: Sequence[Any]) -> Any:
    """Return the error costs of a level, as `Costs` takes them (section 4.7).

    With two costs the classes are split into two halves by their order, the first having the
    odd one; misclassifying a case of the first half is a false positive.

    >>> parse_level("500", ["a", "b"])
    500.0
    >>> parse_level("500:4000", ["a", "b"])
    {('b', 'a'): 500.0, ('a', 'b'): 4000.0}
    """
    try:
        prices = [float(price) for price in name.split(":")]
    except ValueError:
        prices = []
    if len(prices) not in (1, 2) or not all(0 <= price < np.inf for price in prices):
        raise FrugaltreeError(
            f"{name!r} is no level of error costs; write one number such as 500, or two such as "
            "500:4000 for false positives and false negatives."
        )
    if len(prices) == 1:
        return prices[0]
    half = (len(classes) + 1) // 2
    return {
        (predicted, actual): prices[position >= half]
        for position, actual in enumerate(classes)
        for predicted in classes
        if predicted != actual
    }


@dataclass(frozen=True, order=True)
class Problem:
    """A table of the study under one of its price lists.

    Examples
    --------
    >>> problem = Problem.named("iris/2")
    >>> problem.costs("500").errors
    500.0
    >>> len(problem.folds())
    10
    """

    data: str
    prices: str

    @classmethod
    def named(cls, name: str) -> Problem:
        """Return the problem with this name."""
        known = {problem.name: problem for problem in list_all_problems()}
        if name not in known:
            raise FrugaltreeError(
                f"there is no problem {name!r}; the study's are a table and a price list, such "
                f"as 'heart/expert', 'car/1' or 'car/random-1'.{did_you_mean(name, known)}"
            )
        return known[name]

    @property
    def name(self) -> str:
        """Table and price list."""
        return f"{self.data}/{self.prices}"

    def table(self) -> tuple[pl.DataFrame, pl.Series]:
        """Return tests and classes; gaps are filled from the nearest case."""
        return load_table(self.data)

    def costs(self, errors: str | None = None) -> Costs:
        """Return the prices and, given a level, the error costs."""
        costs = _price_list(self.data, self.prices)
        if errors is None:
            return costs
        return replace_errors(costs, parse_level(errors, list_classes(self.data)))

    def folds(self) -> list[Fold]:
        """Return training and test cases of each fold: the same for every price list.

        Under Turney's own protocol they are random thirds set aside, ten times.
        """
        return split_folds(self.data, self.prices == "turney")

    def write(self, folder: Path, errors: str) -> list[Path]:
        """Write the table as CSV and its costs as TOML into a folder; return the files."""
        X, y = self.table()
        if not folder.is_dir():
            raise FrugaltreeError(f"there is no folder {folder}; create it first.")
        stem = self.name.replace("/", "-")
        table, prices = folder / f"{stem}.csv", folder / f"{stem}.costs.toml"
        content = X.with_columns(y).write_csv().encode()
        join_words = self.costs(errors).to_toml().encode()
        write_at_once(table, content, "the table")
        write_at_once(prices, join_words, "the costs")
        return [table, prices]


def replace_errors(costs: Costs, errors: Any) -> Costs:
    """Return the same prices with other error costs."""
    kept = {field.name: getattr(costs, field.name) for field in dataclasses.fields(costs)}
    return Costs(**{**kept, "errors": errors})


def list_classes(data: str) -> tuple[str, ...]:
    """Return the classes of a table, in their order."""
    return info("breast-cancer" if data == WIDENED else data).classes


@lru_cache(maxsize=4)
def load_table(data: str) -> tuple[pl.DataFrame, pl.Series]:
    """Return the tests and classes of a table of the study."""
    if data != WIDENED:
        return load(data, return_X_y=True, imputed=True)
    X, y = load("breast-cancer", return_X_y=True, imputed=True)
    random = np.random.default_rng(WIDTH)
    answers = pl.Enum(["no", "yes"])
    added = [
        pl.Series(f"irrelevant_{i + 1}", random.integers(0, 2, len(y))).replace_strict(
            {0: "no", 1: "yes"}, return_dtype=answers
        )
        for i in range(WIDTH - X.width)
    ]
    return X.with_columns(added), y


@lru_cache(maxsize=64)
def _price_list(data: str, prices: str) -> Costs:
    if prices in ("expert", "turney"):
        return load_costs(data, delayed=prices == "turney")
    kind, _, seed = prices.rpartition("-")
    X, y = load_table(data)
    return assign_costs(X, y, int(seed), informative=kind != "random")


@lru_cache(maxsize=32)
def split_folds(data: str, thirds: bool = False) -> list[Fold]:
    """Return the folds of a table: stratified, shuffled once."""
    _, y = load_table(data)
    codes = y.to_physical().to_numpy()
    if thirds:
        splits = StratifiedShuffleSplit(N_FOLDS, test_size=1 / 3, random_state=0)
    else:
        splits = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class")
        return list(splits.split(np.zeros(len(y)), codes))


# ------------------------------------------------------------------------------ lists


def list_main_problems() -> list[Problem]:
    """Return the 105 problems of Table 1: four price lists per table, and Turney's.

    >>> len(list_main_problems())
    105
    """
    drawn = [Problem(data, str(draw)) for data in names() for draw in DRAWS]
    return drawn + [Problem(data, "expert") for data in EXPERTS]


def list_random_problems() -> list[Problem]:
    """Return the 100 problems of Figure 14, whose prices do not follow information."""
    return [Problem(data, f"random-{draw}") for data in names() for draw in DRAWS]


def list_curve_problems() -> list[Problem]:
    """Return the problems of Figure 13."""
    tables = (WIDENED, "monks-1", "multi-xor", "xor-5")
    return [Problem(data, str(draw)) for data in tables for draw in DRAWS]


def list_turney_problems() -> list[Problem]:
    """Return Turney's five problems, delayed tests as he had them."""
    return [Problem(data, "turney") for data in EXPERTS]


def list_all_problems() -> list[Problem]:
    """Return every problem of the study, each once."""
    return list(
        dict.fromkeys(
            list_main_problems()
            + list_random_problems()
            + list_curve_problems()
            + list_turney_problems()
        )
    )

"""What a user would give to ``fit``: random problems, hard concepts, the study's tables."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from frugaltree import Costs, Group
from frugaltree.datasets import assign_costs, load
from reference import basics


class Given(NamedTuple):
    """A labelled table with its prices."""

    X: Any
    y: Any
    costs: Costs


def as_given(problem: basics.Problem) -> tuple[Given, np.ndarray]:
    """Return a random problem as a user would state it, and the weights of its cases."""
    columns = {}
    for a, kind in enumerate(problem.kinds):
        values = [row[a] for row in problem.rows]
        if kind == "nominal":
            codes = [-1 if value is None else int(value) for value in values]
            domain = [f"v{v}" for v in range(problem.domains[a])]
            columns[f"a{a}"] = pd.Categorical.from_codes(codes, domain)
        else:
            columns[f"a{a}"] = np.array([np.nan if v is None else v for v in values])
    classes = sorted(set(problem.classes))
    costs = Costs(
        {f"a{a}": price for a, price in enumerate(problem.full)},
        {
            f"g{g}": Group({f"a{a}": off for a, off in discounts.items()})
            for g, discounts in enumerate(problem.groups)
        },
        delayed=[f"a{a}" for a in sorted(problem.delayed)],
        unavailable=[
            f"a{a}"
            for a in range(len(problem.kinds))
            if a not in problem.usable and a not in problem.known
        ],
        known=[f"a{a}" for a in sorted(problem.known)],
        never_ask=[f"a{a}" for a in sorted(problem.known - problem.usable)],
        price_if={f"a{a}": price_if_of(problem, a) for a in problem.price_if},
        **answers_of(problem, classes),
        together=[[f"a{a}" for a in sorted(panel)] for panel in problem.together],
        charge_missing=problem.charge_missing,
        first=[f"a{a}" for a in problem.first],
        requires={
            f"a{a}": [f"a{b}" for b in sorted(bs)]
            for a, bs in problem.requires.items()
            if a not in problem.price_if  # which says the same
        },
    )
    given = Given(pd.DataFrame(columns), np.array(problem.classes), costs)
    return given, np.array(problem.weights)


def price_if_of(problem: basics.Problem, a: int) -> dict[str, dict[str, float | None]]:
    """Return what the price of a test depends on, as a user would state it."""
    on, values, spans = problem.price_if[a]
    given = {f"v{value:g}": cost for value, cost in values.items()}
    for low, high, cost in spans:
        given[f"<= {high!r}" if high < np.inf else f"> {low!r}"] = cost
    return {f"a{on}": given}


def answers_of(problem: basics.Problem, classes: list[int]) -> dict[str, Any]:
    """Return what wrong answers and decisions cost, as a user would state it."""
    errors, first = np.array(problem.errors)[:, classes], problem.first_decision
    if first is None:
        return {"errors": errors[classes].tolist()}
    decisions = {f"d{a}": row for a, row in enumerate(errors[first:].tolist())}
    return {"errors": errors[classes].tolist() if first else None, "decisions": decisions}


@cache
def study(name: str, draw: int = 1, errors: float = 1000) -> Given:
    """Return a table of the study with the prices of a draw."""
    X, y = load(name, return_X_y=True)
    return Given(X, y, assign_costs(X, y, draw, errors=errors))


def bits(X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return a table of the texts "0" and "1", and its classes, as numbers."""
    return X.to_numpy().astype(int), y.to_numpy().astype(int)


def long_search() -> tuple[Any, Any, dict[str, Any]]:
    """Return cases, classes and parameters of a search that takes long.

    As arrays: polars does not outlive a fork.
    """
    given = study("heart")
    how = {"pessimism": "paper", "time_limit": "10 min", "random_state": 0}
    X = np.column_stack([column.to_physical().to_numpy() for column in given.X]).astype(float)
    costs = Costs(np.arange(1.0, 1.0 + X.shape[1]), errors=1000)
    return X, given.y.to_physical().to_numpy(), {**how, "costs": costs}

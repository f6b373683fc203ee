"""Test costs set by experts: Turney's five medical tables."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from frugaltree.datasets.catalogue import info, names, resource
from frugaltree.exceptions import FrugaltreeError

if TYPE_CHECKING:
    from frugaltree.costs import Costs


def load_costs(name: str, *, errors: Any = None, delayed: bool = True) -> Costs:
    """Load the test costs that Turney (1995) gave a medical table, in Canadian dollars of 1992.

    Not every figure is equally certain: ``info(name).costs_standing`` and the ``source`` of the
    result say how far they are confirmed.

    Parameters
    ----------
    name
        ``"bupa"``, ``"heart"``, ``"hepatitis"``, ``"pima"`` or ``"thyroid"``.
    errors
        What a wrong answer costs, as `Costs` takes it: a number such as 1000 for every error, a
        matrix, or pairs ``{(predicted, actual): cost}``. None makes every error cost 1, far less
        than most tests; the study went from 100 to 10 000.
    delayed
        Keep Turney's mark on the tests whose result is not there at once. False treats every
        test as immediate, as the study did.

    Returns
    -------
    Costs
        Own price of each test, and the price that the members of a group share.

    See Also
    --------
    assign_costs : Draw costs for a table that has none.

    Examples
    --------
    >>> from frugaltree.datasets import load_costs
    >>> costs = load_costs("heart", errors=1000)
    >>> costs.tests["chol"], costs.groups["blood"].cost
    (5.17, 2.1)
    >>> load_costs("heart", delayed=False).delayed
    ()
    """
    from frugaltree.costs import Costs, Group

    if info(name).costs_standing is None:
        experts = ", ".join(repr(n) for n in names() if info(n).costs_standing)
        raise FrugaltreeError(
            f"data set {name!r} has no expert costs, which only {experts} have; "
            "assign_costs(X, y) draws some for any table."
        )
    listed = tomllib.loads(resource(f"{name}.costs.toml").decode("utf-8"))
    return Costs(
        tests=listed["tests"],
        groups={
            group: Group(entry["tests"], cost=entry["cost"])
            for group, entry in listed["groups"].items()
        },
        delayed=listed["delayed"] if delayed else (),
        errors=errors,
        unit=listed["unit"],
        source=listed["source"],
        date=listed["date"],
    )

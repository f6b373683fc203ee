"""What an average case pays, test by test, and what errors add."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from frugaltree.costs import Costs
from frugaltree.plots.axes import new_axes, plain
from frugaltree.protocols import Estimator
from frugaltree.tree.payments import payments
from frugaltree.tree.text import money, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TESTS, ERRORS = "#0072b2", "#d55e00"


class Spending(NamedTuple):
    """What an average training case pays.

    Attributes
    ----------
    tests
        The tests that the tree asks or orders, the dearest first.
    paid
        What each takes of an average case. Of an order, a test takes its own price; what members
        of a group share is paid once, by the one whose share is largest, the first of several.
    share
        The share of the cases that pay for each: to which it is put, or for which it is ordered,
        whether its result is read in the end or not.
    errors
        What errors are expected to cost.
    unit
        What it is in.
    """

    tests: list[str]
    paid: list[float]
    share: list[float]
    errors: float
    unit: str | None = None

    @property
    def total(self) -> float:
        """Tests and errors together."""
        return sum(self.paid) + self.errors


def spending_numbers(estimator: Estimator) -> Spending:
    """Return what an average training case pays for each test.

    Examples
    --------
    Half of the cases go on to the second test:

    >>> from frugaltree import Costs, ID3Classifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["a", "a", "b", "c"]
    >>> numbers = spending_numbers(ID3Classifier(Costs([6, 8])).fit(X, y))
    >>> numbers.tests, numbers.paid, numbers.share
    (['x0', 'x1'], [6.0, 4.0], [1.0, 0.5])

    If the result of the first comes later, the second is ordered along with it for everybody:

    >>> numbers = spending_numbers(ID3Classifier(Costs([6, 8], delayed=[0])).fit(X, y))
    >>> numbers.tests, numbers.paid, numbers.share
    (['x1', 'x0'], [8.0, 6.0], [1.0, 1.0])
    """
    check_is_fitted(estimator)
    tree, costs = estimator.tree_, estimator.costs or Costs()
    prices = tree.prices(costs)
    paid, taken = np.zeros(len(tree.columns)), np.zeros(len(tree.columns))
    shares = (tree.charges(prices).paying / tree.weights[0]).tolist()
    for share, payment in zip(shares, payments(tree, prices), strict=True):
        for test, price in payment.items():
            paid[test] += price * share
            taken[test] += share
    order = sorted(np.flatnonzero(taken).tolist(), key=lambda test: -paid[test])
    return Spending(
        tests=[tree.columns[test].name for test in order],
        paid=paid[order].tolist(),
        share=taken[order].tolist(),
        errors=float(estimator.expected_error_cost_),
        unit=costs.unit,
    )


def spending(estimator: Estimator, ax: Axes | None = None) -> Axes:
    """Draw what an average case pays for each test, and what errors are expected to add.

    Parameters
    ----------
    estimator
        A fitted learner.
    ax
        Where to draw; None for a new figure of pyplot's.
    """
    numbers = spending_numbers(estimator)
    height = 1.6 + 0.34 * (len(numbers.tests) + 1)
    return draw_spending(numbers, new_axes(height=height) if ax is None else ax)


def draw_spending(numbers: Spending, ax: Axes) -> Axes:
    """Draw a bar for each test, the dearest on top, and one for errors."""
    names = [*numbers.tests, "errors"]
    values = [*numbers.paid, numbers.errors]
    ax.barh(
        [plain(name) for name in names],
        values,
        color=[TESTS] * len(numbers.tests) + [ERRORS],
        height=0.62,
    )
    ax.invert_yaxis()
    words = [
        f"{money(p)}, taken in {percent(s)} of cases"
        for p, s in zip(numbers.paid, numbers.share, strict=True)
    ]
    for place, text in enumerate([*words, money(numbers.errors)]):
        ax.annotate(
            text,
            (values[place], place),
            (4, 0),
            textcoords="offset points",
            va="center",
            fontsize=9,
            bbox={"fc": "white", "ec": "none", "pad": 1.0},
        )
    ax.grid(visible=False, axis="y")
    ax.margins(x=0.3)
    ax.set_xlim(left=0)
    unit = f", {plain(numbers.unit)}" if numbers.unit else ""
    ax.set_xlabel(f"per case{unit}")
    total = plain(money(numbers.total, numbers.unit))
    ax.set_title(f"What a case costs: {total} expected", loc="left")
    return ax

"""What an average case pays, test by test, and what errors add."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sklearn.utils.validation import check_is_fitted

from frugaltree.costs import Costs
from frugaltree.plots.axes import new_axes, plain
from frugaltree.show import money, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TESTS, ERRORS = "#0072b2", "#d55e00"


class Spending(NamedTuple):
    """What an average training case pays.

    Attributes
    ----------
    tests
        The tests that the tree asks, the dearest first.
    paid
        What each takes of an average case; a delayed test takes what it orders.
    share
        The share of the cases that come to each.
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


def spending_numbers(estimator: Any) -> Spending:
    """Return what an average training case pays for each test.

    Examples
    --------
    Half of the cases go on to the second test:

    >>> from frugaltree import Costs, ID3Classifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["a", "a", "b", "c"]
    >>> numbers = spending_numbers(ID3Classifier(Costs([6, 8])).fit(X, y))
    >>> numbers.tests, numbers.paid, numbers.share
    (['x0', 'x1'], [6.0, 4.0], [1.0, 0.5])
    """
    check_is_fitted(estimator)
    tree, costs = estimator.tree_, estimator.costs or Costs()
    prices = costs.prices([column.name for column in tree.columns])
    charge, whole = tree.charges(prices).charge, float(tree.weights[0])
    paid: dict[int, float] = {}
    reached: dict[int, float] = {}
    for node, test in enumerate(tree.nodes.test.tolist()):
        if tree.is_leaf(node):
            continue
        weight = float(tree.weights[node])
        paid[test] = paid.get(test, 0.0) + float(charge[node]) * weight / whole
        if not _asked_above(tree, node, test):
            reached[test] = reached.get(test, 0.0) + weight / whole
    order = sorted(paid, key=lambda test: -paid[test])
    return Spending(
        [tree.columns[test].name for test in order],
        [paid[test] for test in order],
        [reached[test] for test in order],
        float(estimator.expected_error_cost_),
        costs.unit,
    )


def _asked_above(tree: Any, node: int, test: int) -> bool:
    """Tell whether a test was asked already on the way to a node."""
    while node:
        node = int(tree.nodes.parent[node])
        if tree.nodes.test[node] == test:
            return True
    return False


def spending(estimator: Any, ax: Axes | None = None) -> Axes:
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
        f"{money(p)}, asked of {percent(s)}"
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
        )
    ax.margins(x=0.3)
    ax.set_xlim(left=0)
    unit = f", {plain(numbers.unit)}" if numbers.unit else ""
    ax.set_xlabel(f"per case{unit}")
    total = plain(money(numbers.total, numbers.unit))
    ax.set_title(f"What a case costs: {total} expected", loc="left")
    return ax

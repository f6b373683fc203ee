"""Over which error costs a tree is worth its tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from frugaltree.costs import Costs
from frugaltree.kernels.measures import C45_ERROR
from frugaltree.kernels.price import cheapest_label, leaf_cost
from frugaltree.plots.axes import new_axes, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FACTORS = np.geomspace(0.1, 10.0, 61)
"""By how much error costs are multiplied."""

TREE, GUESS, EVERYTHING = "#d55e00", "#0072b2", "#009e73"


class Sensitivity(NamedTuple):
    """What a case is expected to cost if errors cost more or less.

    Attributes
    ----------
    factors
        What all error costs are multiplied by.
    tree, guess, everything
        The cost of this tree, of always giving the cheapest answer, and of all tests together,
        which nothing comes of but, at best, no errors.
    worth
        Between which factors the tree is cheaper than the answer alone; None where nowhere.
    answer
        The cheapest answer.
    unit
        What the costs are in.
    """

    factors: list[float]
    tree: list[float]
    guess: list[float]
    everything: list[float]
    worth: tuple[float, float] | None
    answer: str
    unit: str | None = None


def sensitivity_numbers(estimator: Any) -> Sensitivity:
    """Return what a case is expected to cost if errors cost more or less than was said.

    Errors are those that the paper's estimate expects, at the leaves and of a guess alike.

    Examples
    --------
    >>> from frugaltree import Costs, ID3Classifier
    >>> X, y = [[0], [1]] * 20, ["well", "ill"] * 20
    >>> numbers = sensitivity_numbers(ID3Classifier(Costs([5], errors=20)).fit(X, y))
    >>> numbers.answer, numbers.everything[0]
    ('ill', 5.0)
    """
    check_is_fitted(estimator)
    costs = estimator.costs or Costs()
    tree, classes = estimator.tree_, estimator.classes_.tolist()
    names = [column.name for column in tree.columns]
    prices, errors = costs.resolve(names, classes)
    cf, whole = costs.cf(names, classes), float(tree.weights[0])
    leaves = [node for node in range(tree.n_nodes) if tree.is_leaf(node)]
    tests = float(tree.charges(prices).bill[leaves] @ tree.weights[leaves]) / whole
    wrong = (
        sum(expected_errors(tree, node, int(tree.labels[node]), errors, cf) for node in leaves)
        / whole
    )
    label = int(cheapest_label(errors, tree.nodes.counts[0]))
    guess = FACTORS * expected_errors(tree, 0, label, errors, cf) / whole
    total, everything = tests + FACTORS * wrong, np.full(FACTORS.size, costs.total(names))
    best = FACTORS[total <= guess]
    return Sensitivity(
        FACTORS.tolist(),
        total.tolist(),
        guess.tolist(),
        everything.tolist(),
        (float(best[0]), float(best[-1])) if best.size else None,
        str(classes[label]),
        costs.unit,
    )


def expected_errors(tree: Any, node: int, label: int, errors: Any, cf: float) -> float:
    """Return what the errors of a node's cases are expected to cost, all of them."""
    return float(leaf_cost(errors, tree.nodes.counts[node], label, cf, C45_ERROR, False))


def sensitivity(estimator: Any, ax: Axes | None = None) -> Axes:
    """Draw what a case is expected to cost if errors cost more or less than was said.

    Where the tree is cheaper than an answer without tests, it is worth them. A tree learned for
    other error costs may be cheaper still.

    Parameters
    ----------
    estimator
        A fitted learner.
    ax
        Where to draw; None for a new figure of pyplot's.
    """
    return draw_sensitivity(sensitivity_numbers(estimator), new_axes() if ax is None else ax)


def draw_sensitivity(numbers: Sensitivity, ax: Axes) -> Axes:
    """Draw three lines over the factor of error costs, and shade where the tree is best."""
    lines = (
        ("this tree", numbers.tree, TREE),
        (f"always answer {plain(numbers.answer)}", numbers.guess, GUESS),
    )
    for label, values, colour in lines:
        ax.plot(numbers.factors, values, color=colour, label=label, linewidth=1.8)
    ax.plot(
        numbers.factors,
        numbers.everything,
        color=EVERYTHING,
        label="all tests, if they told everything",
        linestyle="--",
        linewidth=1.2,
    )
    if numbers.worth is not None:
        ax.axvspan(*numbers.worth, color=TREE, alpha=0.08, linewidth=0)
    ax.axvline(1.0, color="#777777", linewidth=0.8, linestyle=":")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.xaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_major_formatter("{x:g}")
    ax.set_xlabel("error costs, times those of the price list")
    unit = f", {plain(numbers.unit)}" if numbers.unit else ""
    ax.set_ylabel(f"expected cost per case{unit}")
    ax.set_title(_verdict(numbers), loc="left")
    ax.legend(frameon=False)
    return ax


def _verdict(numbers: Sensitivity) -> str:
    """Return where the tree is worth its tests, in words."""
    if numbers.worth is None:
        return "The tree is not worth its tests at any of these error costs"
    low, high = numbers.worth
    first, last = low <= numbers.factors[0], high >= numbers.factors[-1]
    if first and last:
        return "The tree is worth its tests at all these error costs"
    if last:
        return f"The tree is worth its tests from {low:.2g} times these error costs on"
    return f"The tree is worth its tests at {low:.2g} to {high:.2g} times these error costs"

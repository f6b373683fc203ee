"""Over which error costs a tree is worth its tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from frugaltree.costs import Costs
from frugaltree.plots.axes import new_axes, plain
from frugaltree.protocols import Estimator
from frugaltree.strategies import THIS, PaperEstimate, Strategy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FACTORS = np.geomspace(0.1, 10.0, 61)
"""By how much error costs are multiplied."""

CLOSE = 1e-9
"""Costs that differ by less than this share are the same."""

TREE, GUESS, EVERYTHING = "#d55e00", "#0072b2", "#009e73"
OTHERS = ("#cc79a7", "#e69f00", "#56b4e9")


class Sensitivity(NamedTuple):
    """What a case is expected to cost if errors cost more or less.

    Attributes
    ----------
    factors
        What all error costs are multiplied by.
    tree, guess, everything
        The cost of this tree, of always giving the cheapest answer, and of all tests together,
        which nothing comes of but, at best, no errors.
    others
        The cost of other learners' trees, by their names, where it was compared with some.
    worth
        Between which factors the tree is cheaper than the answer alone; None where nowhere.
    best
        Between which factors it is cheaper than the others, too.
    answer
        The cheapest answer.
    unit
        What the costs are in.
    """

    factors: list[float]
    tree: list[float]
    guess: list[float]
    everything: list[float]
    others: dict[str, list[float]]
    worth: tuple[float, float] | None
    best: tuple[float, float] | None
    answer: str
    unit: str | None = None


def sensitivity_numbers(estimator: Estimator, strategies: Sequence[Strategy] = ()) -> Sensitivity:
    """Return what a case is expected to cost if errors cost more or less than was said.

    Errors are those that the paper's estimate expects, at the leaves and of a guess alike.

    Parameters
    ----------
    estimator
        A fitted learner.
    strategies
        What other strategies cost on the training cases, to show beside the tree.

    Examples
    --------
    >>> from frugaltree import Costs, ID3Classifier
    >>> X, y = [[0], [1]] * 20, ["well", "ill"] * 20
    >>> numbers = sensitivity_numbers(ID3Classifier(Costs([5], errors=20)).fit(X, y))
    >>> numbers.answer, numbers.everything[0]
    ('ill', 5.0)
    """
    check_is_fitted(estimator)
    costs, estimate = estimator.costs or Costs(), PaperEstimate.of(estimator)
    names = [column.name for column in estimate.tree.columns]
    tests, wrong = estimate.expected_costs()
    guess = estimate.errors_if_stopped(0) / estimate.cases
    total, guessed = tests + FACTORS * wrong, FACTORS * guess
    others = {
        one.name: [float(one.expected_at(factor) or 0.0) for factor in FACTORS]
        for one in strategies
        if one.expected_tests and one.name != THIS
    }
    least = np.min([guessed.tolist(), *others.values()], axis=0)
    return Sensitivity(
        factors=FACTORS.tolist(),
        tree=total.tolist(),
        guess=guessed.tolist(),
        everything=[float(costs.total(names))] * FACTORS.size,
        others=others,
        worth=_where(total <= guessed),
        best=_where(total <= least * (1.0 + CLOSE)),
        answer=str(estimate.tree.answer_names[estimate.cheapest_answer]),
        unit=costs.unit,
    )


def _where(holds: Any) -> tuple[float, float] | None:
    """Return the first and the last factor at which something holds, None if nowhere."""
    factors = FACTORS[holds]
    return (float(factors[0]), float(factors[-1])) if factors.size else None


def sensitivity(
    estimator: Estimator, ax: Axes | None = None, *, strategies: Sequence[Strategy] = ()
) -> Axes:
    """Draw what a case is expected to cost if errors cost more or less than was said.

    Where the tree is cheaper than an answer without tests, it is worth them. A tree learned for
    other error costs may be cheaper still.

    Parameters
    ----------
    estimator
        A fitted learner.
    ax
        Where to draw; None for a new figure of pyplot's.
    strategies
        What other strategies cost on the training cases, to draw beside the tree; a model file
        may keep them (:func:`frugaltree.persist.read_model`).
    """
    numbers = sensitivity_numbers(estimator, strategies)
    return draw_sensitivity(numbers, new_axes() if ax is None else ax)


def draw_sensitivity(numbers: Sensitivity, ax: Axes) -> Axes:
    """Draw lines over the factor of error costs, and shade where the tree is best."""
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
    for i, (name, values) in enumerate(numbers.others.items()):
        colour = OTHERS[i % len(OTHERS)]
        ax.plot(numbers.factors, values, color=colour, label=plain(name), linewidth=1.0)
    if numbers.worth is not None:
        ax.axvspan(*numbers.worth, color=TREE, alpha=0.08, linewidth=0)
    ax.axvline(1.0, color="#777777", linewidth=0.8, linestyle=":")
    ax.set_xscale("log")
    costs = [numbers.tree, numbers.guess, *numbers.others.values()]
    gains = min(min(values) for values in costs) < 0.0
    ax.set_yscale("linear" if gains else "log")
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

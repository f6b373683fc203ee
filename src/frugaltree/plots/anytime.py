"""How the best tree became cheaper, and its bound closer, while a learner was at work."""

from __future__ import annotations

from math import isclose
from typing import TYPE_CHECKING, NamedTuple

from sklearn.utils.validation import check_is_fitted

from frugaltree._registry import LEARNERS
from frugaltree.anytime.wording import SAME, gap, in_words
from frugaltree.exceptions import FrugaltreeError
from frugaltree.plots.axes import new_axes
from frugaltree.protocols import BoundedEstimator, Estimator, SearchedEstimator
from frugaltree.tree.text import money

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COST = "#d55e00"
BOUND = "#0072b2"
"""The colours of what is known from above and from below; the colour-blind tell them apart."""

WIDE = 100.0
"""How many times the first moment the last may be on a linear axis of time."""


class Anytime(NamedTuple):
    """What was known when, in a search.

    Attributes
    ----------
    name
        The learner.
    seconds
        When something was learned, since the search began; the end of the search comes last.
    costs
        What the best tree cost per case, from each of these moments on.
    bounds
        What no tree costs less than; None where the learner has no bound.
    termination
        Why the search ended, in words.
    unit
        What the costs are in.
    charged
        Whether the costs include charges that keep the tree simple.
    """

    name: str
    seconds: list[float]
    costs: list[float]
    bounds: list[float] | None
    termination: str
    unit: str | None = None
    charged: bool = False

    @property
    def is_wide(self) -> bool:
        """Whether the time spans more than two decades."""
        return 0.0 < WIDE * self.seconds[0] < self.seconds[-1]


def anytime_numbers(estimator: Estimator) -> Anytime:
    """Return what was known when, while an estimator was fitted.

    Parameters
    ----------
    estimator
        A fitted learner that works in rounds.

    Examples
    --------
    >>> from frugaltree import Costs, FrugalTreeClassifier
    >>> X, y = [[0], [1]] * 20, ["well", "ill"] * 20
    >>> numbers = anytime_numbers(FrugalTreeClassifier(Costs([5], errors=100)).fit(X, y))
    >>> numbers.termination
    'optimal for this estimate on these cases'
    >>> numbers.costs[-1] - numbers.bounds[-1] < 1e-6
    True
    """
    name = type(estimator).__name__
    check_is_fitted(estimator)
    if not isinstance(estimator, SearchedEstimator) or not estimator.history_:
        *others, last = (one.class_name for one in reversed(LEARNERS.values()) if one.anytime)
        raise FrugaltreeError(
            f"{name} has no history_, which only learners that work in rounds keep; give a fitted "
            f"{', '.join(others)} or {last}."
        )
    moments, expected = estimator.history_, estimator.expected_cost_
    objective = estimator.objective_ if isinstance(estimator, BoundedEstimator) else expected
    bounds = [float(moment.bound) for moment in moments if moment.bound is not None]
    return Anytime(
        name,
        seconds=[float(moment.seconds) for moment in moments],
        costs=[float(moment.cost) for moment in moments],
        bounds=bounds or None,
        termination=in_words(estimator.termination_),
        unit=None if estimator.costs is None else estimator.costs.unit,
        charged=not isclose(objective, expected, rel_tol=SAME),
    )


def anytime(estimator: Estimator, ax: Axes | None = None) -> Axes:
    """Draw how the best tree became cheaper, and its bound closer, while an estimator was fitted.

    Between the two lies the gap: how much cheaper the cheapest tree can be at most. It is closed
    where the tree is proven to be optimal for this estimate on these cases.

    Parameters
    ----------
    estimator
        A fitted learner that works in rounds, such as :class:`FrugalTreeClassifier` or
        :class:`ACTClassifier`; the latter has no bound.
    ax
        Where to draw; None for a new figure of pyplot's.

    Returns
    -------
    Axes
        Where it was drawn.

    Examples
    --------
    ::

        frugal = FrugalTreeClassifier(costs, time_limit="10s").fit(X, y)
        plots.anytime(frugal).figure.savefig("anytime.png")
    """
    return draw_anytime(anytime_numbers(estimator), new_axes() if ax is None else ax)


def draw_anytime(numbers: Anytime, ax: Axes) -> Axes:
    """Draw what was known when: costs and bounds as steps, the gap between them shaded."""
    seconds, costs, bounds, unit = numbers.seconds, numbers.costs, numbers.bounds, numbers.unit
    _steps(ax, seconds, costs, COST, f"best tree {money(costs[-1], unit)}")
    if bounds is not None:
        _steps(ax, seconds, bounds, BOUND, f"no tree costs less than {money(bounds[-1], unit)}")
        label = f"gap {gap(costs[-1], bounds[-1])}"
        ax.fill_between(
            seconds, bounds, costs, step="post", label=label, color=BOUND, alpha=0.12, linewidth=0
        )
    _scale(ax, numbers)
    what = "expected cost, and what keeps the tree simple," if numbers.charged else "expected cost"
    ax.set_ylabel(f"{what} per case" + (f", {unit}" if unit else ""))
    ax.set_xlabel("seconds")
    ax.set_title(f"{numbers.name}: {numbers.termination}", loc="left", pad=26)
    ax.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1),
        borderaxespad=0.2,
        borderpad=0.2,
        columnspacing=1.6,
        frameon=False,
        handlelength=1.6,
        ncols=3,
    )
    return ax


def _steps(ax: Axes, seconds: list[float], values: list[float], colour: str, label: str) -> None:
    """Draw values that each hold until the next, with a dot where one is new."""
    ax.plot(
        seconds,
        values,
        color=colour,
        drawstyle="steps-post",
        label=label,
        linewidth=1.6,
        marker="o",
        markersize=4,
        markevery=[i for i, value in enumerate(values) if i == 0 or value != values[i - 1]],
        zorder=3 if colour == COST else 2.5,  # the tree is seen where its bound meets it
    )


def _scale(ax: Axes, numbers: Anytime) -> None:
    """Choose the axes: all time from 0 on or, where it is wide, its logarithm."""
    ax.margins(x=0.03, y=0.08)
    if numbers.is_wide:
        ax.set_xscale("log")
    else:
        ax.set_xlim(left=0)
    ax.xaxis.set_major_formatter("{x:g}")
    if numbers.bounds is not None:
        ax.set_ylim(bottom=0)

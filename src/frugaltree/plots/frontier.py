"""What more spending on tests buys: the trees of a frontier, by cases held out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from frugaltree.exceptions import FrugaltreeError, did_you_mean
from frugaltree.plots.axes import new_axes, plain
from frugaltree.tree.text import money

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS, OWN = "#0072b2", "#d55e00"

KINDS = ("costs", "rates")


class FrontierNumbers(NamedTuple):
    """The points of a frontier in a plane.

    Attributes
    ----------
    what
        "costs": tests against wrong answers. "rates": cases of the class found against others
        taken for it.
    x, y
        Where the points are: by cases held out, or where there are none as estimated.
    x_low, x_high, y_low, y_high
        Ends of the 95 % intervals; empty without cases held out.
    prices
        From which price of an error on each is the best.
    own
        Which point is that of the price list, None if it is beyond what was looked at.
    case
        The class that rates are about.
    unit
        What the costs are in.
    """

    what: str
    x: list[float]
    y: list[float]
    x_low: list[float]
    x_high: list[float]
    y_low: list[float]
    y_high: list[float]
    prices: list[float]
    own: int | None
    case: str | None
    unit: str | None = None


def frontier_numbers(found: Any, what: str = "costs") -> FrontierNumbers:
    """Return where the points of a frontier are in a picture.

    Parameters
    ----------
    found
        A frontier.
    what
        "costs" or "rates".

    Examples
    --------
    >>> from frugaltree import Costs, FrugalTreeClassifier, frontier
    >>> X, y = [[0]] * 30 + [[1]] * 10, ["well"] * 30 + ["ill"] * 10
    >>> learner = FrugalTreeClassifier(Costs([3], errors=100), pessimism="none", time_limit=None)
    >>> numbers = frontier_numbers(frontier(learner, X, y))
    >>> numbers.x, numbers.y, numbers.prices, numbers.own
    ([0.0, 3.0], [0.25, 0.0], [0.0, 12.0], 1)
    """
    if what not in KINDS:
        raise FrugaltreeError(
            f"there is no picture {what!r} of a frontier; choose among {', '.join(KINDS)}."
            f"{did_you_mean(what, KINDS)}"
        )
    points = found.points
    own = [i for i, one in enumerate(points) if one.price_from <= found.own_price < one.price_to]
    across, up = _estimates(points), []
    told = [point.held_out for point in points]
    if what == "rates":
        if told[0] is None or found.case is None or told[0].specificity is None:
            raise FrugaltreeError(
                "rates are those of a class on cases held out; make the frontier with folds=5, "
                "and with case= where there are more than two classes."
            )
        across = [
            (1.0 - s.value, 1.0 - s.high, 1.0 - s.low) for s in (t.specificity for t in told)
        ]
        up = [tuple(t.sensitivity) for t in told]
    elif told[0] is not None:
        across, up = [tuple(t.test_cost) for t in told], [tuple(t.error_rate) for t in told]
    else:
        up = [(point.errors,) for point in points]
    has_ends = told[0] is not None
    return FrontierNumbers(
        what=what,
        x=[one[0] for one in across],
        y=[one[0] for one in up],
        x_low=[one[1] for one in across] if has_ends else [],
        x_high=[one[2] for one in across] if has_ends else [],
        y_low=[one[1] for one in up] if has_ends else [],
        y_high=[one[2] for one in up] if has_ends else [],
        prices=[point.price_from for point in points],
        own=own[0] if own else None,
        case=None if found.case is None else str(found.case),
        unit=found.unit,
    )


def _estimates(points: Any) -> list[tuple[float, ...]]:
    return [(point.test_cost,) for point in points]


def frontier(found: Any, ax: Axes | None = None, *, what: str = "costs") -> Axes:
    """Draw the trees that are best somewhere: what they spend on tests, and how often they err.

    Parameters
    ----------
    found
        What :func:`frugaltree.frontier` returns.
    ax
        Where to draw; None for a new figure of pyplot's.
    what
        "costs", or "rates" for sensitivity against specificity.
    """
    numbers = frontier_numbers(found, what)
    return draw_frontier(numbers, new_axes() if ax is None else ax)


def draw_frontier(numbers: FrontierNumbers, ax: Axes) -> Axes:
    """Draw the points, joined in the order of prices, with their intervals."""
    x, y = numbers.x, numbers.y
    ends: dict[str, Any] = {}
    if numbers.x_low:
        ends["xerr"] = _reaches(x, numbers.x_low, numbers.x_high)
        ends["yerr"] = _reaches(y, numbers.y_low, numbers.y_high)
    ax.errorbar(
        x, y, **ends, fmt="o-", color=POINTS, ecolor="#9ecae1", elinewidth=1.0, linewidth=1.2
    )
    if numbers.own is not None:
        own = numbers.own
        ax.plot(x[own], y[own], "o", color=OWN, markersize=9, label="at the price list", zorder=5)
        ax.legend(frameon=False)
    _say_prices(numbers, ax)
    unit = f", {plain(numbers.unit)}" if numbers.unit else ""
    if numbers.what == "rates":
        case = plain(str(numbers.case))
        ax.set_xlabel(f"others taken for {case}, 1 - specificity")
        ax.set_ylabel(f"{case} found, sensitivity")
        title = "What dearer errors buy"
    else:
        ax.set_xlabel(f"tests of a case{unit}")
        ax.set_ylabel("wrong answers" if numbers.x_low else "errors expected of a case")
        title = "What more tests buy"
    ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")
    if numbers.what == "rates":
        ax.xaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")
    by = "cases held out, 95 % intervals" if numbers.x_low else "the learner's estimate"
    ax.set_title(f"{title}, by {by}", loc="left")
    return ax


def _reaches(values: list[float], low: list[float], high: list[float]) -> list[list[float]]:
    """Return how far intervals reach below and above figures."""
    below = [max(0.0, value - end) for value, end in zip(values, low, strict=True)]
    return [below, [max(0.0, end - value) for value, end in zip(values, high, strict=True)]]


NEAR = 0.07
"""Points nearer to one that has a label than this share of the picture have none."""


def _say_prices(numbers: FrontierNumbers, ax: Axes) -> None:
    """Write beside points from which price of an error on they are the best."""
    wide = max(numbers.x) - min(numbers.x) or 1.0
    high = max(numbers.y) - min(numbers.y) or 1.0
    labelled: list[tuple[float, float]] = []
    for x, y, price in zip(numbers.x, numbers.y, numbers.prices, strict=True):
        place = x / wide, y / high
        if any(abs(place[0] - a) + abs(place[1] - b) < NEAR for a, b in labelled):
            continue
        labelled.append(place)
        text = "free errors" if price == 0.0 else f"from {plain(money(price, None))}"
        ax.annotate(text, (x, y), (6, 6), textcoords="offset points", fontsize=8)

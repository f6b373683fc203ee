"""A frontier: its points, and picks from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from frugaltree.exceptions import FrugaltreeError
from frugaltree.tradeoff.held_out import HeldOut, Interval
from frugaltree.tree.text import money

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from rich.console import RenderableType


@dataclass(frozen=True)
class Point:
    """A tree, and the prices of an error at which it is the best one.

    Prices are those of the dearest error; all others cost in proportion to it.

    Attributes
    ----------
    price_from, price_to
        From which price on the tree is the best, and up to which. The last point of a frontier
        reaches to the dearest price that was looked at.
    price
        A price between them, at which ``estimator`` stands: that of the price list if it lies
        there.
    estimator
        A fitted learner with the tree; its costs are those at ``price``.
    test_cost
        What a case is estimated to pay for tests.
    errors
        The errors estimated of a case, counted in the dearest, with what the learner charges
        splits lest it follow chance: so the tree is estimated to cost ``test_cost`` and, at any
        price, that many times ``errors``.
    saves
        What one more unit of money buys here: the errors that it saves, spent on this tree's tests
        rather than on those of the point before. None for the first point.
    held_out
        What the point costs on cases held out; None without any.
    """

    price_from: float
    price_to: float
    price: float
    estimator: Any
    test_cost: float
    errors: float
    saves: float | None
    held_out: HeldOut | None

    @property
    def cost(self) -> float:
        """What a case is estimated to cost at ``price``."""
        return self.test_cost + self.price * self.errors


@dataclass(frozen=True, eq=False)
class Frontier:
    """The trees that are best at some price of an error, as these grow from free to very dear.

    Printed, it is a table; ``rich`` prints it in colour.

    Attributes
    ----------
    points
        One for each tree, by the price of an error.
    own_price
        What the dearest error costs by the price list.
    case
        The class that sensitivity is about, None for none.
    gap
        How far a point can be from the best tree at its prices, by the learner's estimate, as a
        share of the cost; None where the learner knows no bound.
    complete
        Whether every price was looked at at which a further tree might be the best.
    learner
        What it is called.
    folds
        In how many folds cases were held out, 0 for none.
    unit
        Of the costs, if they have one.
    """

    points: tuple[Point, ...]
    own_price: float
    case: Any
    gap: float | None
    complete: bool
    learner: str
    folds: int
    unit: str | None

    def at(self, price: float) -> Point:
        """Return the point that is best where the dearest error costs so much.

        Parameters
        ----------
        price
            From 0 to the dearest price that was looked at.
        """
        last = self.points[-1].price_to
        if not 0.0 <= price <= last * (1.0 + 1e-9):
            raise FrugaltreeError(
                f"the frontier was looked at for errors of 0 to {money(last)}, not {price!r}; "
                "give a price between them, or make one with another dearest price."
            )
        return next(point for point in reversed(self.points) if point.price_from <= price)

    def within(
        self,
        *,
        mean_test_cost: float | None = None,
        error_rate: float | None = None,
        sensitivity: float | None = None,
        sure: bool = False,
    ) -> Point:
        """Return the cheapest point that keeps what is asked of it on cases held out.

        With a budget, that is the point of the fewest errors among those that keep everything
        asked; without one, that of the cheapest tests. Of many points, one that was picked
        because it looked good looks better than it is, all the more with few cases held out.

        Parameters
        ----------
        mean_test_cost
            What a case may be charged for tests on average.
        error_rate
            How often the answer may be wrong.
        sensitivity
            How often a case of the class in question must be found.
        sure
            Whether the whole 95 % interval must keep it, not only the figure.
        """
        wanted = {
            "mean_test_cost": mean_test_cost,
            "error_rate": error_rate,
            "sensitivity": sensitivity,
        }
        asked = {name: float(limit) for name, limit in wanted.items() if limit is not None}
        if not asked:
            raise FrugaltreeError(f"within needs a demand; give one of {', '.join(wanted)}.")
        told = [(point, point.held_out) for point in self.points if point.held_out is not None]
        if not told:
            raise FrugaltreeError("no cases were held out; make the frontier with folds=5.")
        if sensitivity is not None and self.case is None:
            raise FrugaltreeError(
                "sensitivity is about a class of interest, and none was named; make the frontier "
                "with case=."
            )
        for name, limit in asked.items():
            told = [one for one in told if DEMANDS[name](one[1], limit, sure)]
            if not told:
                raise FrugaltreeError(self._refusal(name, limit, sure=sure))
        if mean_test_cost is not None:
            return min(told, key=lambda one: (one[1].errors.value, one[1].test_cost.value))[0]
        return min(told, key=lambda one: (one[1].test_cost.value, one[1].errors.value))[0]

    def _refusal(self, name: str, limit: float, *, sure: bool) -> str:
        """Say that no point keeps a demand, and which comes closest."""
        figures = [
            FIGURES[name](point.held_out) for point in self.points if point.held_out is not None
        ]
        known = [one for one in figures if one is not None]
        end = "low" if name == "sensitivity" else "high"
        values = [getattr(one, end) if sure else one.value for one in known]
        best = (max if name == "sensitivity" else min)(values, default=float("nan"))
        more = "more" if name == "sensitivity" else "less"
        surely = " for sure" if sure else ""
        return (
            f"no point keeps {name}={limit:g}{surely} with all else that is asked; the best of "
            f"all points has {best:.3g}, so ask for no {more} than that."
        )

    # ------------------------------------------------------------------- to be read

    def to_frame(self) -> pl.DataFrame:
        """Return a table of polars, a row for each point; intervals are columns of their own."""
        from frugaltree.tradeoff.showing import frontier_frame

        return frontier_frame(self)

    def to_text(self) -> str:
        """Return the points as a table of text."""
        from frugaltree.tradeoff.showing import text

        return text(self)

    def plot(self, ax: Axes | None = None, *, what: str = "costs") -> Axes:
        """Draw the points with their intervals; see :func:`frugaltree.plots.frontier`."""
        from frugaltree import plots

        return plots.frontier(self, ax, what=what)

    def __rich__(self) -> RenderableType:
        from frugaltree.tradeoff.showing import render

        return render(self)

    def __str__(self) -> str:
        return self.to_text()


def _keeps_budget(found: HeldOut, limit: float, sure: bool) -> bool:
    return (found.test_cost.high if sure else found.test_cost.value) <= limit


def _keeps_rate(found: HeldOut, limit: float, sure: bool) -> bool:
    return (found.error_rate.high if sure else found.error_rate.value) <= limit


def _keeps_sensitivity(found: HeldOut, limit: float, sure: bool) -> bool:
    one = found.sensitivity
    return one is not None and (one.low if sure else one.value) >= limit


DEMANDS: dict[str, Callable[[HeldOut, float, bool], bool]] = {
    "mean_test_cost": _keeps_budget,
    "error_rate": _keeps_rate,
    "sensitivity": _keeps_sensitivity,
}
"""Whether a point keeps what is asked of it."""

FIGURES: dict[str, Callable[[HeldOut], Interval | None]] = {
    "mean_test_cost": lambda found: found.test_cost,
    "error_rate": lambda found: found.error_rate,
    "sensitivity": lambda found: found.sensitivity,
}
"""The figures that demands are about."""

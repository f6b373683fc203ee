"""What a larger budget is worth: cost and accuracy on cases held out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sklearn.utils.validation import check_is_fitted

from frugaltree.exceptions import FrugaltreeError
from frugaltree.plots.axes import new_axes, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from frugaltree.estimators.repertoire import Repertoire

COST, SURE, RIGHT = "#d55e00", "#f3c9a5", "#0072b2"


class Budgets(NamedTuple):
    """What each budget leads to on cases held out.

    Attributes
    ----------
    budgets
        The budgets of a repertoire.
    costs, errors
        What an answer costs on average, and the standard error of that.
    bills
        What tests are charged on average.
    accuracies
        The share of right answers.
    unit
        What the budgets are in.
    """

    budgets: list[float]
    costs: list[float]
    errors: list[float]
    bills: list[float]
    accuracies: list[float]
    unit: str | None = None


def budgets_numbers(repertoire: Repertoire) -> Budgets:
    """Return what each budget of a repertoire leads to, by cases held out.

    Examples
    --------
    >>> from frugaltree import Costs, Repertoire
    >>> X, y = [[0], [1]] * 20, ["well", "ill"] * 20
    >>> fitted = Repertoire(Costs([5], errors=20), budgets=[0, 5], random_state=0).fit(X, y)
    >>> numbers = budgets_numbers(fitted)
    >>> numbers.budgets, numbers.costs, numbers.accuracies
    ([0.0, 5.0], [10.0, 0.0], [0.5, 1.0])
    """
    check_is_fitted(repertoire, "tree_")
    if not hasattr(repertoire, "choices_"):
        raise FrugaltreeError(
            f"a {type(repertoire).__name__} has one tree, whatever the budget; draw a Repertoire."
        )
    known = [one for one in repertoire.choices_ if one.cost is not None]
    if not known:
        raise FrugaltreeError(
            "no cases were held out, so that nothing is known of the budgets; let folds be 1 or "
            "more."
        )
    return Budgets(
        budgets=[one.budget for one in known],
        costs=[one.cost or 0.0 for one in known],
        errors=[one.error or 0.0 for one in known],
        bills=[one.bill or 0.0 for one in known],
        accuracies=[one.accuracy or 0.0 for one in known],
        unit=None if repertoire.costs is None else repertoire.costs.unit,
    )


def budgets(repertoire: Repertoire, ax: Axes | None = None) -> Axes:
    """Draw what each budget of a repertoire leads to, by cases held out.

    Parameters
    ----------
    repertoire
        A fitted repertoire.
    ax
        Where to draw; None for a new figure of pyplot's.
    """
    numbers = budgets_numbers(repertoire)
    return draw_budgets(numbers, new_axes() if ax is None else ax)


def draw_budgets(numbers: Budgets, ax: Axes) -> Axes:
    """Draw the cost of answers with its standard error, and the share of right ones beside it."""
    pairs = list(zip(numbers.costs, numbers.errors, strict=True))
    low, high = [c - e for c, e in pairs], [c + e for c, e in pairs]
    ax.fill_between(numbers.budgets, low, high, color=SURE, step="post", linewidth=0)
    ax.step(numbers.budgets, numbers.costs, where="post", color=COST, linewidth=1.8)
    ax.plot(numbers.budgets, numbers.costs, "o", color=COST, markersize=4)
    ax.set_ylim(bottom=0)
    unit = f", {plain(numbers.unit)}" if numbers.unit else ""
    ax.set_xlabel(f"budget for the tests of a case{unit}")
    ax.set_ylabel(f"cost of errors per case held out{unit}", color=COST)
    other = ax.twinx()
    other.step(numbers.budgets, [100 * a for a in numbers.accuracies], where="post", color=RIGHT)
    other.set_ylabel("right answers, %", color=RIGHT)
    other.spines["top"].set_visible(False)
    ax.set_title("What a larger budget is worth, on cases held out", loc="left")
    return ax

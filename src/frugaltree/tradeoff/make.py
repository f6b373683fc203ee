"""The frontier of a learner on a table."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from frugaltree._sklearn import draw_seed
from frugaltree.costs.conditions import refuse_price_if
from frugaltree.engines.cross_validation import shuffled_splits
from frugaltree.estimators.base import CostSensitiveTree
from frugaltree.estimators.frugal import FrugalTreeClassifier
from frugaltree.exceptions import FrugaltreeError, InvalidCosts, InvalidTable, did_you_mean
from frugaltree.tradeoff.fitted import FittedTrees
from frugaltree.tradeoff.held_out import Fold, Told, Truth, measure
from frugaltree.tradeoff.hull import Edge, Line, lower_hull
from frugaltree.tradeoff.points import Frontier, Point
from frugaltree.tradeoff.progress import Progress, showing
from frugaltree.tradeoff.searched import SearchedTrees
from frugaltree.tradeoff.walk import gap_of, middle_of, walk
from frugaltree.tree.text import money

if TYPE_CHECKING:
    from rich.console import Console

FOLDS = 5

DEAREST = 10.0
"""The dearest error looked at costs so many times what the price list says, or all tests do."""

Trees = SearchedTrees | FittedTrees


def frontier(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    dearest: float | None = None,
    folds: int = FOLDS,
    case: Any = None,
    console: Console | None = None,
) -> Frontier:
    """Return the trees that are best somewhere, as errors grow from free to very dear.

    Most people do not know what an error costs. The frontier tells what follows from each answer:
    which tree is the best at which price of an error, what its tests cost, how often it errs, and
    what one more unit of money buys. Error costs that differ stay in proportion; prices are those
    of the dearest.

    The estimate of errors is held fixed at all prices: by the setting that a fit at the price list
    as it is chooses. What is known at one price goes on to the others. With
    ``FrugalTreeClassifier`` and a limit of time or steps, the whole takes at most five times one
    fit (a second at least); without any, every price is searched to the proof. Other learners are
    fitted anew at each price, 24 times at most, and again for each point and fold.

    Parameters
    ----------
    estimator
        A learner of this package with its parameters, fitted or not; its costs are the price list.
        One that does not look at the cost of errors has one tree at all prices.
    X, y
        The cases and their classes, as ``fit`` takes them.
    dearest
        The largest price of the dearest error. None: ten times what it costs by the price list, or
        ten times all tests if that is more.
    folds
        In how many folds cases are held out to tell what the points cost new ones, 0 for none.
    case
        The class that sensitivity is about. None: of two classes the one whose miss is dearer, the
        rarer if both are as dear; of more classes none.
    console
        Where progress is shown; None shows it on stderr if the learner's ``verbose`` is not 0.

    Returns
    -------
    Frontier
        Ctrl-C ends the work and keeps what was found.

    Examples
    --------
    A test for 3 finds all of the 10 ill among 40 people. Without it all 40 are called well, which
    is 10 errors in 40, so it pays from an error of 3 / (10 / 40) = 12 on:

    >>> from frugaltree import Costs, FrugalTreeClassifier, frontier
    >>> X, y = [[0]] * 30 + [[1]] * 10, ["well"] * 30 + ["ill"] * 10
    >>> learner = FrugalTreeClassifier(Costs([3], errors=100), pessimism="none", time_limit=None)
    >>> found = frontier(learner, X, y)
    >>> [(one.price_from, one.price_to, one.test_cost, one.errors) for one in found.points]
    [(0.0, 12.0, 0.0, 0.25), (12.0, 1000.0, 3.0, 0.0)]

    One more unit of money then saves 0.25 / 3 errors. On the cases held out the test is as good:

    >>> last = found.at(price=500)
    >>> round(last.saves, 4), last.held_out.sensitivity.value, last.held_out.error_rate.value
    (0.0833, 1.0, 0.0)
    >>> found.within(mean_test_cost=2).estimator.get_n_leaves()
    1
    """
    _check(estimator, folds, dearest)
    with showing(console, int(getattr(estimator, "verbose", 0))) as progress:
        progress.say("at the prices as they are")
        quiet = _quiet(estimator)
        source: Trees
        if isinstance(estimator, FrugalTreeClassifier):
            source = SearchedTrees(quiet, X, y, with_folds=folds > 0)
        else:
            source = FittedTrees(quiet, X, y, with_folds=folds > 0)
        own, most = _prices(source, dearest)
        case = _class_in_question(source, case)
        dealt = _deal(source, folds, estimator)
        complete = False
        with _interruptible(source):
            complete = walk(
                source, [1.0], most, lambda f: progress.say(f"errors at {money(own * f)}")
            )
        hull = lower_hull(source.lines, most)
        factors = _factors(hull, most)
        held = _hold_out(source, dealt, factors, progress) if not source.interrupted else None
    points = _points(source, hull, factors, own, most)
    if held is not None:
        told, actual = held
        truth = Truth(actual, source_errors(source), _place_of(source, case))
        points = [
            replace(point, held_out=measure(told, i, truth, point.price))
            for i, point in enumerate(points)
        ]
    if source.interrupted:
        warnings.warn(
            "the frontier was interrupted; what was found so far is kept.",
            UserWarning,
            stacklevel=2,
        )
    return Frontier(
        points=tuple(points),
        own_price=own,
        case=case,
        gap=gap_of(source, most) if source.knows_bounds else None,
        complete=complete and not source.interrupted,
        learner=type(estimator).__name__,
        folds=folds if held is not None else 0,
        unit=source.costs.unit,
    )


# ------------------------------------------------------------------------------- input


def _check(estimator: Any, folds: Any, dearest: Any) -> None:
    """Refuse what no frontier can be made of."""
    if not isinstance(estimator, CostSensitiveTree):
        kind = f"the class {estimator.__name__}" if isinstance(estimator, type) else None
        raise FrugaltreeError(
            "a frontier is one of a learner of frugaltree, not of "
            f"{kind or type(estimator).__name__}; give one with its parameters, such as "
            "FrugalTreeClassifier(costs)."
        )
    if type(folds) is bool or not isinstance(folds, Integral) or folds < 0 or folds == 1:
        raise FrugaltreeError(f"folds must be 0 or a whole number from 2 on, not {folds!r}.")
    fine = isinstance(dearest, Real) and not isinstance(dearest, bool)
    if dearest is not None and not (fine and 0.0 < float(dearest) < float("inf")):
        raise FrugaltreeError(
            f"dearest must be a price of an error, a finite number above 0, not {dearest!r}."
        )
    if getattr(estimator, "max_test_cost", None) is not None:
        raise FrugaltreeError(
            "a frontier weighs tests against errors, but within max_test_cost what tests cost "
            "does not count; leave max_test_cost out."
        )
    refuse_price_if(estimator.costs, "a frontier")
    if getattr(estimator.costs, "decisions", None) is not None:
        raise InvalidCosts(
            "a frontier is about the price of an error, and these costs have decisions beside it; "
            "leave decisions out."
        )
    if getattr(getattr(estimator, "tree_", None), "mean_errors", None) is not None:
        raise FrugaltreeError(
            "a frontier is about one price of an error, and this learner was fitted with "
            "error_costs of each case; give a learner that was not."
        )
    errors = getattr(estimator.costs, "errors", None)  # what is no price list, fit refuses
    if isinstance(errors, int | float) and errors == 0:
        raise _free_errors()


def _free_errors() -> InvalidCosts:
    return InvalidCosts(
        "all errors are free by these costs, so none can be made dearer in proportion; give "
        "errors=1, or what they cost beside each other."
    )


def _quiet(estimator: Any) -> Any:
    """Return a copy of a learner that shows nothing itself."""
    from sklearn.base import clone

    learner = clone(estimator)
    return (
        learner.set_params(verbose=0) if "verbose" in learner.get_params(deep=False) else learner
    )


def source_errors(source: Trees) -> Any:
    """Return what each answer costs for each class, counted in the dearest error."""
    matrix = source.costs.matrix(source.classes)
    return matrix / matrix.max()


def _prices(source: Trees, dearest: float | None) -> tuple[float, float]:
    """Return what the dearest error costs, and how many times that the dearest looked at."""
    if len(source.classes) < 2:
        raise InvalidTable(
            f"all cases are of the class {source.classes[0]!r}; there is no error to be priced "
            "with fewer than two classes."
        )
    own = float(source.costs.matrix(source.classes).max())
    if own == 0.0:
        raise _free_errors()
    names = [column.name for column in source.fitted.tree_.columns]
    most = DEAREST * max(own, source.costs.total(names)) if dearest is None else float(dearest)
    return own, most / own


def _class_in_question(source: Trees, case: Any) -> Any:
    """Return the class that sensitivity is about, None for none."""
    classes = source.classes
    if case is not None:
        known = [label for label in classes if label == case or str(label) == str(case)]
        if not known:
            raise FrugaltreeError(
                f"case is {case!r}, which is no class of the table; give one of "
                f"{', '.join(map(repr, classes))}.{did_you_mean(case, classes)}"
            )
        return known[0]
    if len(classes) != 2:
        return None
    matrix = source.costs.matrix(classes)
    missed = [float(matrix[1, 0]), float(matrix[0, 1])]  # what it costs not to find each
    if missed[0] == missed[1]:
        counts = np.bincount(source.truth, minlength=2)
        return classes[int(counts[1] <= counts[0])]
    return classes[int(missed[1] > missed[0])]


def _place_of(source: Trees, case: Any) -> int | None:
    return None if case is None else source.classes.index(case)


def _deal(source: Trees, folds: int, estimator: Any) -> list[Fold]:
    """Return the folds, every class in the cases to learn from."""
    if folds == 0:
        return []
    rare, fewest = min(Counter(source.truth.tolist()).items(), key=lambda item: item[1])
    if fewest < folds:
        raise InvalidTable(
            f"class {source.classes[rare]!r} has {fewest} of {source.truth.size} cases, too few "
            f"for {folds} folds; set folds to {f'at most {fewest}' if fewest > 1 else '0'}, or "
            "leave the class out."
        )
    seed = draw_seed(getattr(estimator, "random_state", 0))
    return [Fold(*split) for split in shuffled_splits(source.truth, folds, seed)]


# -------------------------------------------------------------------------------- work


@contextmanager
def _interruptible(source: Trees) -> Iterator[None]:
    """Keep what is there when Ctrl-C comes between two searches."""
    try:
        yield
    except KeyboardInterrupt:
        source.interrupted = True


def _factors(hull: Sequence[Edge], most: float) -> list[float]:
    """Return for each point a factor between those where it takes over and is taken over."""
    ends = [*(edge.start for edge in hull[1:]), most]
    return [
        1.0 if edge.start <= 1.0 < end else middle_of(edge.start, end)
        for edge, end in zip(hull, ends, strict=True)
    ]


def _hold_out(
    source: Trees, dealt: list[Fold], factors: list[float], progress: Progress
) -> tuple[Told, Any] | None:
    """Return what all points say of cases held out, and their classes; None without any."""
    parts: list[tuple[Told, Any]] = []
    with _interruptible(source):
        for i, fold in enumerate(dealt):
            progress.say(f"held out, fold {i + 1} of {len(dealt)}")
            told = source.tell(fold, factors, 1.0 / (len(dealt) - i))
            if told is None:
                break
            parts.append((told, source.truth[fold.test]))
    if not parts:
        return None
    return Told.joined([told for told, _ in parts]), np.concatenate([one for _, one in parts])


def _points(
    source: Trees, hull: Sequence[Edge], factors: Sequence[float], own: float, most: float
) -> list[Point]:
    """Return the points, without what cases held out tell."""
    ends = [*(edge.start for edge in hull[1:]), most]
    points: list[Point] = []
    for edge, end, factor in zip(hull, ends, factors, strict=True):
        line: Line = source.lines[edge.line]
        points.append(
            Point(
                price_from=own * edge.start,
                price_to=own * end,
                price=own * factor,
                estimator=source.learner(edge.line, factor),
                test_cost=line.tests,
                errors=line.errors / own,
                saves=1.0 / (own * edge.start) if points and edge.start > 0.0 else None,
                held_out=None,
            )
        )
    return points

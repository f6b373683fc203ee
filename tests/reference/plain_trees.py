"""The slow and obvious twins: ID3 and DTMC, straight from their definitions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

from reference.basics import (
    SLACK,
    START,
    TOLERANCE,
    Case,
    Matrix,
    Node,
    Problem,
    State,
    answer_costs,
    beats,
    cheapest,
    chooser_price,
    count,
    everything,
    gain_of,
    leaf,
    majority,
    may_ask,
    sort_out,
    state_in,
    weigh,
)


class Split(NamedTuple):
    """A test, its threshold if it is numeric, and the cases of each branch, missing ones last."""

    test: int
    threshold: float | None
    branches: list[list[Case]]


Chooser = Callable[[Problem, list[Case], State], Split | None]


def midpoint(low: float, high: float) -> float:
    """Return a threshold between two values, ``low`` if no number lies between them.

    >>> midpoint(1.0, 2.0), midpoint(1.0, 1.0000000000000002)
    (1.5, 1.0)
    """
    middle = low + (high - low) / 2
    return low if middle == high else middle


def plain_split(problem: Problem, cases: list[Case], a: int, threshold: float | None) -> Split:
    """Split the cases; those without a value are a branch of their own."""
    branches, missing = sort_out(problem, cases, a, threshold)
    return Split(a, threshold, [*branches, missing])


def paying(problem: Problem, split: Split) -> float:
    """Return the weight of the cases that pay for the test of a split."""
    charged = split.branches if problem.charge_missing else split.branches[:-1]
    return sum(weigh(branch) for branch in charged)


def plain_splits(problem: Problem, cases: list[Case], a: int) -> list[Split]:
    """Return all ways to split the cases by test ``a``, smaller thresholds first.

    To have no value is one more value of a nominal test; a numeric one is cut between two values.
    """
    known = {problem.rows[i][a] for i, _ in cases}
    values = sorted(value for value in known if value is not None)
    if problem.kinds[a] == "nominal":
        return [plain_split(problem, cases, a, None)] if len(known) > 1 else []
    cuts = [midpoint(low, high) for low, high in pairwise(values)]
    return [plain_split(problem, cases, a, cut) for cut in cuts]


def all_large(split: Split, min_leaf: float) -> bool:
    """Tell whether every branch that has cases has enough of them.

    >>> all_large(Split(0, 1.5, [[(0, 2.0)], [(1, 1.0)], []]), 2)
    False
    """
    return all(weigh(branch) >= min_leaf - SLACK for branch in split.branches if branch)


def split_gain(problem: Problem, cases: list[Case], split: Split) -> float:
    return gain_of(count(problem, cases), [count(problem, branch) for branch in split.branches])


def grow_plain(
    problem: Problem,
    cases: list[Case],
    state: State,
    choose: Chooser,
    label: Callable[[list[float]], int],
) -> Node:
    """Grow until the cases are of one class or the chooser finds nothing to ask."""
    counts = count(problem, cases)
    node = leaf(counts, label(counts))
    if sum(c > 0 for c in counts) < 2:
        return node
    split = choose(problem, cases, state)
    if split is None:
        return node
    children = [
        grow_plain(problem, branch, state_in(problem, split.test, state, is_last), choose, label)
        if branch
        else None
        for branch, is_last in with_last(split.branches)
    ]
    return node | asking(split, children)


def with_last(branches: list[list[Case]]) -> list[tuple[list[Case], bool]]:
    """Return each branch, and whether it is the last: that of the cases without a value."""
    return [(branch, b == len(branches) - 1) for b, branch in enumerate(branches)]


def asking(split: Split, children: list[Node | None]) -> Node:
    """Return what makes a leaf a node that asks."""
    return {
        "test": split.test,
        "threshold": split.threshold,
        "children": children,
        "lacks": True,
    }


class Offer(NamedTuple):
    """What a greedy learner compares: the value of a test, then its price."""

    value: float
    price: float


def better(new: Offer, best: Offer) -> bool:
    """Tell whether ``new`` has the larger value or, of equal ones, the lower price.

    >>> better(Offer(0.5, 9), Offer(0.4, 1)), better(Offer(0.5, 1), Offer(0.5, 2))
    (True, True)
    """
    if beats(new.value, best.value):
        return True
    return not beats(best.value, new.value) and new.price < best.price


def best_cut(
    problem: Problem, cases: list[Case], a: int, min_leaf: float = 0
) -> tuple[float, Split] | None:
    """Return the largest gain of test ``a`` and its split, the smaller threshold on ties."""
    best: tuple[float, Split] | None = None
    for split in plain_splits(problem, cases, a):
        if not all_large(split, min_leaf):
            continue
        gain = split_gain(problem, cases, split)
        if best is None or beats(gain, best[0]):
            best = gain, split
    return best


def choose_gain(
    problem: Problem,
    cases: list[Case],
    state: State,
    prices: str = "context",
    min_leaf: float = 0,
) -> Split | None:
    """ID3: the largest gain, then the lowest price, then the first test."""
    best: tuple[Offer, Split] | None = None
    for a in sorted(problem.usable):
        if not may_ask(problem, cases, state, a):
            continue
        cut = best_cut(problem, cases, a, min_leaf)
        if cut is None:
            continue
        gain, split = cut
        offer = Offer(gain, chooser_price(problem, a, state, prices))
        if best is None or better(offer, best[0]):
            best = offer, split
    return None if best is None else best[1]


def id3(problem: Problem, prices: str = "context", min_leaf: float = 0) -> Node:
    """Grow ID3's tree: no gain is too small, and nothing is pruned."""

    def choose(problem: Problem, cases: list[Case], state: State) -> Split | None:
        return choose_gain(problem, cases, state, prices, min_leaf)

    return grow_plain(problem, everything(problem), START, choose, majority)


def misclassification(counts: list[float], errors: Matrix, criterion: str) -> float:
    """Return what the cases cost if answered here: DTMC's MC(E).

    ``"min"`` is the cheapest answer; ``"expected"`` the harmonic mean over all answers, for two
    classes 2 CP CN / (CP + CN).

    >>> misclassification([3, 1], [[0, 100], [10, 0]], "min")
    30
    >>> misclassification([2, 6], [[0, 10], [10, 0]], "expected")  # 2 * 60 * 20 / 80
    30.0
    """
    costs = answer_costs(counts, errors)
    if criterion == "min":
        return min(costs)
    if min(costs) <= 0:
        return 0.0
    return len(costs) / sum(1 / cost for cost in costs)


class Saving(NamedTuple):
    """What DTMC compares: the drop in cost that a test brings, then its gain."""

    reduction: float
    gain: float
    split: Split


def saving_of(
    problem: Problem, cases: list[Case], split: Split, charge: float, criterion: str
) -> Saving:
    """Return the drop in cost: errors now, less errors in the branches, less ``charge`` each."""
    before = misclassification(count(problem, cases), problem.errors, criterion)
    behind = sum(
        misclassification(count(problem, branch), problem.errors, criterion)
        for branch in split.branches
    )
    reduction = before - behind - charge * paying(problem, split)
    return Saving(reduction, split_gain(problem, cases, split), split)


def choose_saving(
    problem: Problem,
    cases: list[Case],
    state: State,
    criterion: str = "min",
    prices: str = "context",
    min_leaf: float = 0,
) -> Split | None:
    """DTMC: the largest drop in cost, then the larger gain; nothing if no test pays."""
    slack = TOLERANCE * misclassification(count(problem, cases), problem.errors, criterion)
    best: Saving | None = None
    for a in sorted(problem.usable):
        if not may_ask(problem, cases, state, a):
            continue
        charge = chooser_price(problem, a, state, prices)
        offer: Saving | None = None
        for split in plain_splits(problem, cases, a):
            if not all_large(split, min_leaf):
                continue
            new = saving_of(problem, cases, split, charge, criterion)
            if offer is None or new.reduction > offer.reduction + slack:
                offer = new
        if offer is not None and (best is None or saves_more(offer, best, slack)):
            best = offer
    return best.split if best is not None and best.reduction > slack else None


def saves_more(new: Saving, best: Saving, slack: float) -> bool:
    """Tell whether ``new`` saves more than ``best``, or as much with the larger gain."""
    if new.reduction > best.reduction + slack:
        return True
    return best.reduction <= new.reduction + slack and beats(new.gain, best.gain)


def dtmc(
    problem: Problem, criterion: str = "min", prices: str = "context", min_leaf: float = 0
) -> Node:
    """Grow DTMC's tree: ask while asking costs less than it saves, never prune."""

    def choose(problem: Problem, cases: list[Case], state: State) -> Split | None:
        return choose_saving(problem, cases, state, criterion, prices, min_leaf)

    def label(counts: list[float]) -> int:
        return cheapest(counts, problem.errors, problem.first_decision)

    return grow_plain(problem, everything(problem), START, choose, label)

"""The slow and obvious truth: every learner straight from its definition.

Plain lists, dictionaries and recursion; nothing is shared with the package, so that a kernel
which agrees with this file agrees for no other reason than being right. A node is a dictionary::

    {"counts": [weight per class], "label": class, "test": index or None,
     "threshold": number or None, "children": [node or None, ...]}

A nominal node has one child per value of the domain and ``None`` where no training case went; a
numeric node has the children ``<= threshold`` and ``> threshold``; a leaf has no test and no
children. A case that arrives at ``None`` stops at the node above and takes its answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from scipy.special import betaincinv

NOISE = 1e-10
"""A gain at or below this is nothing but rounding, hence 0."""
TOLERANCE = 1e-9
"""A candidate wins only by more than this part of the best so far."""
SLACK = 1e-9
"""Weights closer than this are equal (the C4.5 frame adds fractions of cases)."""
EPSILON = 1e-3
"""C4.5's own slack, for average gain, split information and training errors."""
PRUNE_SLACK = 1e-12
"""A leaf that costs the same as its subtree replaces it, rounding included."""

Node = dict[str, Any]
Row = list[float | None]
Case = tuple[int, float]
"""A row of the table and the weight with which it is here."""
Matrix = list[list[float]]


@dataclass
class Problem:
    """Cases, tests, classes and everything that costs."""

    rows: list[list[float | None]]  # number, or index of a nominal value; None is missing
    classes: list[int]
    weights: list[float]
    kinds: list[str]  # "nominal" or "numeric"
    domains: list[int]  # number of values of a nominal test, 0 for a numeric one
    n_classes: int
    full: list[float]  # price of a test while none of its groups is open
    groups: list[dict[int, float]]  # test -> what it saves once the group is open
    delayed: set[int]
    usable: set[int]  # tests that may be asked
    errors: list[list[float]]  # M[predicted][actual]


# ---------------------------------------------------------------------------- prices


class State(NamedTuple):
    """What a path has paid for so far."""

    paid: frozenset[int] = frozenset()
    opened: frozenset[int] = frozenset()


START = State()


def price(problem: Problem, a: int, state: State) -> float:
    """Return what test ``a`` costs after the tests and groups of ``state``."""
    if a in state.paid:
        return 0.0
    cost = problem.full[a]
    for g, discounts in enumerate(problem.groups):
        if g in state.opened and a in discounts:
            cost -= discounts[a]
    return max(0.0, cost)


def after(problem: Problem, a: int, state: State) -> State:
    """Return the state once test ``a`` is taken: it is paid and its groups are open."""
    joined = {g for g, discounts in enumerate(problem.groups) if a in discounts}
    return State(state.paid | {a}, state.opened | joined)


def order(problem: Problem, tests: Iterable[int], state: State) -> tuple[float, State]:
    """Return the price of ordering a set of tests at once, and the state afterwards.

    Each unpaid test has its price here. A group that is not open yet could take a share off it,
    one group after the other; the rest is the test's own. The order pays all that is their own,
    and of each group the largest share.
    """
    total, after_all = 0.0, state
    shares: dict[int, float] = {}
    for a in set(tests) - state.paid:
        left = price(problem, a, state)
        for g, discounts in enumerate(problem.groups):
            if a in discounts and g not in state.opened:
                share = min(left, discounts[a])
                left -= share
                shares[g] = max(shares.get(g, 0.0), share)
        total += left
        after_all = after(problem, a, after_all)
    return total + sum(shares.values()), after_all


def chooser_price(problem: Problem, a: int, state: State, prices: str) -> float:
    """Return the price a chooser sees: in ``"context"``, or ``"static"`` (full until paid)."""
    if prices == "context":
        return price(problem, a, state)
    return 0.0 if a in state.paid else problem.full[a]


# ---------------------------------------------------------------------------- information


def beats(value: float, best: float) -> bool:
    """Tell whether ``value`` is larger than ``best`` by more than rounding.

    >>> beats(2.0, 1.0), beats(1.0 + 1e-12, 1.0), beats(0.0, 0.0)
    (True, False, False)
    """
    return value > best + TOLERANCE * abs(best)


def information(counts: Iterable[float]) -> float:
    """Return n times the entropy of the counts, in bits: n log2 n - sum of c log2 c.

    >>> information([4, 4]), information([8, 0]), information([])
    (8.0, 0.0, 0.0)
    """
    present = [c for c in counts if c > 0]
    n = sum(present)
    return n * math.log2(n) - sum(c * math.log2(c) for c in present) if present else 0.0


def quiet(gain: float) -> float:
    """Return the gain without its rounding noise."""
    return gain if gain > NOISE else 0.0


def gain_of(parent: list[float], branches: list[list[float]]) -> float:
    """Return the information gain per case, in bits, of counts split into branches.

    >>> gain_of([2, 2], [[2, 0], [0, 2]]), gain_of([2, 2], [[1, 1], [1, 1]])
    (1.0, 0.0)
    """
    rest = sum(information(branch) for branch in branches)
    return quiet((information(parent) - rest) / sum(parent))


# ---------------------------------------------------------------------------- labels


def majority(counts: list[float]) -> int:
    """Return the class with the largest count, the lower index on ties.

    >>> majority([1, 3, 3])
    1
    """
    best = 0
    for c in range(1, len(counts)):
        if beats(counts[c], counts[best]):
            best = c
    return best


def answer_costs(counts: list[float], errors: Matrix) -> list[float]:
    """Return, for each class, what answering it costs over all the cases counted.

    >>> answer_costs([3, 1], [[0, 100], [10, 0]])
    [100, 30]
    """
    return [sum(m * e for m, e in zip(counts, row, strict=True)) for row in errors]


def cheapest(counts: list[float], errors: Matrix) -> int:
    """Return the answer that costs least; on ties the larger class, then the lower index.

    >>> cheapest([3, 1], [[0, 100], [10, 0]]), cheapest([1, 2], [[0, 2], [4, 0]])
    (1, 1)
    """
    costs = answer_costs(counts, errors)
    best = 0
    for c in range(1, len(costs)):
        slack = TOLERANCE * abs(costs[best])
        tied = abs(costs[c] - costs[best]) <= slack
        if costs[c] < costs[best] - slack or (tied and beats(counts[c], counts[best])):
            best = c
    return best


# ---------------------------------------------------------------------------- nodes and cases


def leaf(counts: list[float], label: int) -> Node:
    """Return a node that asks nothing."""
    return {"counts": counts, "label": label, "test": None, "threshold": None, "children": []}


def is_leaf(node: Node) -> bool:
    return node["test"] is None


def cut_to_leaf(node: Node) -> None:
    """Turn the node into a leaf, in place."""
    node.update(test=None, threshold=None, children=[])


def size(node: Node) -> float:
    """Return the weight of the training cases at the node."""
    return float(sum(node["counts"]))


def heaviest(children: list[Node | None]) -> Node | None:
    """Return the child with the most training weight, the first on ties."""
    best = None
    for child in children:
        if child is not None and (best is None or beats(size(child), size(best))):
            best = child
    return best


def count(problem: Problem, cases: list[Case]) -> list[float]:
    """Return the weight of each class among the cases."""
    counts = [0.0] * problem.n_classes
    for i, weight in cases:
        counts[problem.classes[i]] += weight
    return counts


def weigh(cases: list[Case]) -> float:
    return sum(weight for _, weight in cases)


def everything(problem: Problem) -> list[Case]:
    """Return all the training cases with their own weights."""
    return list(enumerate(problem.weights))


def branch_of(value: float | None, threshold: float | None) -> int | None:
    """Return the branch a value takes, ``None`` if it is missing.

    >>> branch_of(2, None), branch_of(2.0, 2.0), branch_of(2.5, 2.0), branch_of(None, 2.0)
    (2, 0, 1, None)
    """
    if value is None:
        return None
    if threshold is None:
        return int(value)
    return 0 if value <= threshold else 1


def sort_out(
    problem: Problem, cases: list[Case], a: int, threshold: float | None
) -> tuple[list[list[Case]], list[Case]]:
    """Return the cases by the branch their value takes, and those whose value is missing."""
    branches: list[list[Case]] = [[] for _ in range(width(problem, a))]
    missing: list[Case] = []
    for i, weight in cases:
        branch = branch_of(problem.rows[i][a], threshold)
        (missing if branch is None else branches[branch]).append((i, weight))
    return branches, missing


def width(problem: Problem, a: int) -> int:
    """Return the number of branches of test ``a``."""
    return problem.domains[a] if problem.kinds[a] == "nominal" else 2


# ---------------------------------------------------------------------------- the plain frame


class Split(NamedTuple):
    """A test, its threshold if it is numeric, and the cases of each branch."""

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
    """Split the cases; the missing values go with the heaviest branch of known ones."""
    branches, missing = sort_out(problem, cases, a, threshold)
    weights = [weigh(branch) for branch in branches]
    branches[weights.index(max(weights))].extend(missing)
    return Split(a, threshold, branches)


def plain_splits(problem: Problem, cases: list[Case], a: int) -> list[Split]:
    """Return all ways to split the cases by test ``a``, smaller thresholds first.

    There is none unless at least two branches get a case with a known value.
    """
    known = {problem.rows[i][a] for i, _ in cases}
    values = sorted(value for value in known if value is not None)
    if len(values) < 2:
        return []
    if problem.kinds[a] == "nominal":
        return [plain_split(problem, cases, a, None)]
    cuts = [midpoint(low, high) for low, high in pairwise(values)]
    return [plain_split(problem, cases, a, cut) for cut in cuts]


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
    below = after(problem, split.test, state)
    children = [
        grow_plain(problem, branch, below, choose, label) if branch else None
        for branch in split.branches
    ]
    return node | {"test": split.test, "threshold": split.threshold, "children": children}


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


def best_cut(problem: Problem, cases: list[Case], a: int) -> tuple[float, Split] | None:
    """Return the largest gain of test ``a`` and its split, the smaller threshold on ties."""
    best: tuple[float, Split] | None = None
    for split in plain_splits(problem, cases, a):
        gain = split_gain(problem, cases, split)
        if best is None or beats(gain, best[0]):
            best = gain, split
    return best


def choose_gain(
    problem: Problem, cases: list[Case], state: State, prices: str = "context"
) -> Split | None:
    """ID3: the largest gain, then the lowest price, then the first test."""
    best: tuple[Offer, Split] | None = None
    for a in sorted(problem.usable):
        cut = best_cut(problem, cases, a)
        if cut is None:
            continue
        gain, split = cut
        offer = Offer(gain, chooser_price(problem, a, state, prices))
        if best is None or better(offer, best[0]):
            best = offer, split
    return None if best is None else best[1]


def id3(problem: Problem, prices: str = "context") -> Node:
    """Grow ID3's tree: no gain is too small, and nothing is pruned."""

    def choose(problem: Problem, cases: list[Case], state: State) -> Split | None:
        return choose_gain(problem, cases, state, prices)

    return grow_plain(problem, everything(problem), START, choose, majority)


# ---------------------------------------------------------------------------- DTMC


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
    reduction = before - behind - charge * weigh(cases)
    return Saving(reduction, split_gain(problem, cases, split), split)


def choose_saving(
    problem: Problem,
    cases: list[Case],
    state: State,
    criterion: str = "min",
    prices: str = "context",
) -> Split | None:
    """DTMC: the largest drop in cost, then the larger gain; nothing if no test pays."""
    slack = TOLERANCE * misclassification(count(problem, cases), problem.errors, criterion)
    best: Saving | None = None
    for a in sorted(problem.usable):
        charge = chooser_price(problem, a, state, prices)
        offer: Saving | None = None
        for split in plain_splits(problem, cases, a):
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


def dtmc(problem: Problem, criterion: str = "min", prices: str = "context") -> Node:
    """Grow DTMC's tree: ask while asking costs less than it saves, never prune."""

    def choose(problem: Problem, cases: list[Case], state: State) -> Split | None:
        return choose_saving(problem, cases, state, criterion, prices)

    def label(counts: list[float]) -> int:
        return cheapest(counts, problem.errors)

    return grow_plain(problem, everything(problem), START, choose, label)


# ---------------------------------------------------------------------------- the C4.5 frame


class Look(NamedTuple):
    """What C4.5 sees of a usable test at a node."""

    test: int
    threshold: float | None
    gain: float
    split_information: float


@dataclass
class Settings:
    """The parameters of the C4.5 family."""

    criterion: str = "gain_ratio"
    w: float = 1.0
    min_cases: float = 2
    prices: str = "context"
    cf: float = 0.25
    form: str = "c45"
    raising: bool = True
    collapse: bool = True
    whole: bool = False  # a missing value goes with the heaviest branch, not down all in part


def send(
    problem: Problem, cases: list[Case], a: int, threshold: float | None, settings: Settings
) -> tuple[list[list[Case]], list[Case]]:
    """Split the cases as the frame does, and return beside the branches whom nothing placed."""
    if not settings.whole:
        return spread(problem, cases, a, threshold)
    branches, missing = sort_out(problem, cases, a, threshold)
    if not any(branches):
        return branches, missing
    return plain_split(problem, cases, a, threshold).branches, []


def spread(
    problem: Problem, cases: list[Case], a: int, threshold: float | None
) -> tuple[list[list[Case]], list[Case]]:
    """Split the cases; one whose value is missing goes down all branches in part.

    Its weight is shared out as the known weight is. Where nothing is known it goes nowhere, and
    is returned beside the branches.
    """
    branches, missing = sort_out(problem, cases, a, threshold)
    known = [weigh(branch) for branch in branches]
    if not any(branches):
        return branches, missing
    for branch, weight in zip(branches, known, strict=True):
        if branch:
            branch.extend((i, w * (weight / sum(known))) for i, w in missing)
            branch.sort()
    return branches, []


def known_gain(known: list[float], branches: list[list[float]], total: float) -> float:
    """Return the gain over the cases with a known value, scaled down to all the cases.

    >>> known_gain([2, 2], [[2, 0], [0, 2]], total=8)
    0.5
    """
    n = sum(known)
    rest = sum(information(branch) for branch in branches)
    return quiet((n / total) * (information(known) / n - rest / n))


def split_information(weights: list[float], total: float) -> float:
    """Return the entropy of the branches, the missing values being one of them.

    >>> split_information([2, 1], total=4)
    1.5
    """
    parts = [*weights, max(0.0, total - sum(weights))]
    return -sum(part / total * math.log2(part / total) for part in parts if part > 0)


def look_nominal(problem: Problem, cases: list[Case], a: int, settings: Settings) -> Look | None:
    """Look at a nominal test; it takes two branches of the least size to be usable."""
    branches, missing = sort_out(problem, cases, a, None)
    weights = [weigh(branch) for branch in branches]
    if sum(weight >= settings.min_cases - SLACK for weight in weights) < 2:
        return None
    counts = [count(problem, branch) for branch in branches]
    known = [sum(column) for column in zip(*counts, strict=True)]
    total = sum(weights) + weigh(missing)
    return Look(a, None, known_gain(known, counts, total), split_information(weights, total))


def c45_cuts(
    problem: Problem, known: list[Case], a: int, least: float
) -> Iterator[tuple[float, list[Case], list[Case]]]:
    """Yield the midpoint, the cases below and those above for each cut that C4.5 tries.

    Each side must weigh ``least``, and the two values must not be closer than 1e-5. The midpoint
    is a hair too large, lest a value that lies on it be rounded out of its reach.
    """
    total = weigh(known)
    for i in range(1, len(known)):
        low, high = known[:i], known[i:]
        if weigh(low) < least - SLACK:
            continue
        if weigh(low) > total - least + SLACK:
            break
        left, right = value_of(problem, low[-1], a), value_of(problem, high[0], a)
        if left < right - 1e-5:
            yield left + (right - left) / 2 + TOLERANCE * (right - left), low, high


def value_of(problem: Problem, case: Case, a: int) -> float:
    value = problem.rows[case[0]][a]
    assert value is not None
    return value


def look_numeric(problem: Problem, cases: list[Case], a: int, settings: Settings) -> Look | None:
    """Look at a numeric test: the cut of the largest gain, less the price of having tried many."""
    known = [case for case in cases if problem.rows[case[0]][a] is not None]
    known.sort(key=lambda case: value_of(problem, case, a))
    counts, total = count(problem, known), weigh(cases)
    if sum(counts) < 2 * settings.min_cases - SLACK:
        return None
    least = max(settings.min_cases, min(25.0, 0.10 * sum(counts) / problem.n_classes))
    best: tuple[float, float, list[float]] | None = None
    tries = 0
    for middle, low, high in c45_cuts(problem, known, a, least):
        tries += 1
        gain = known_gain(counts, [count(problem, low), count(problem, high)], total)
        if best is None or beats(gain, best[0]):
            best = gain, middle, [weigh(low), weigh(high)]
    if best is None:
        return None
    gain = best[0] - math.log2(tries) / total
    if gain <= NOISE:
        return None
    threshold = largest_value(problem, a, best[1])
    return Look(a, threshold, gain, split_information(best[2], total))


def largest_value(problem: Problem, a: int, limit: float) -> float:
    """Return the largest value of test ``a`` in the whole table that is not above the limit."""
    column = [row[a] for row in problem.rows]
    return max(value for value in column if value is not None and value <= limit)


def looks(problem: Problem, cases: list[Case], settings: Settings) -> list[Look]:
    """Return what is usable at a node, in the order of the tests."""
    found = []
    for a in sorted(problem.usable):
        nominal = problem.kinds[a] == "nominal"
        look = (look_nominal if nominal else look_numeric)(problem, cases, a, settings)
        if look is not None:
            found.append(look)
    return found


def has_many_values(problem: Problem, a: int) -> bool:
    """Tell whether a nominal test has nearly as many values as there are cases."""
    return problem.kinds[a] == "nominal" and problem.domains[a] >= 0.3 * sum(problem.weights)


def choose_ratio(problem: Problem, found: list[Look]) -> Look | None:
    """C4.5: the largest gain ratio among the tests of at least average gain."""
    all_many = all(has_many_values(problem, a) for a in problem.usable)
    gains = [look.gain for look in found if all_many or not has_many_values(problem, look.test)]
    if not gains:
        return None
    average = sum(gains) / len(gains)
    best: tuple[float, Look] | None = None
    for look in found:
        if look.gain < average - EPSILON or look.split_information <= EPSILON:
            continue
        ratio = look.gain / look.split_information
        if best is None or beats(ratio, best[0]):
            best = ratio, look
    return None if best is None else best[1]


def icf(gain: float, cost: float, w: float) -> float:
    """Return EG2's information cost function.

    >>> round(icf(0.5, 10, 1), 7), round(icf(0.5, 0, 1), 7), round(icf(1, 99, 0.5), 7)
    (0.0376558, 0.4142136, 0.1)
    """
    return float((2**gain - 1) / (cost + 1) ** w)


def worth(gain: float, cost: float, settings: Settings) -> float:
    """Return the selection criterion of EG2, IDX or CS-ID3."""
    if settings.criterion == "eg2":
        return icf(gain, cost, settings.w)
    if settings.criterion == "idx":
        return gain / max(cost, 1e-9)
    if settings.criterion == "csid3":
        return gain**2 / max(cost, 1e-9)
    raise ValueError(settings.criterion)


def choose_worth(
    problem: Problem, found: list[Look], state: State, settings: Settings
) -> Look | None:
    """EG2, IDX, CS-ID3: the largest worth, then the lowest price, then the first test."""
    best: tuple[Offer, Look] | None = None
    for look in found:
        cost = chooser_price(problem, look.test, state, settings.prices)
        offer = Offer(worth(look.gain, cost, settings), cost)
        if best is None or better(offer, best[0]):
            best = offer, look
    return None if best is None else best[1]


def grow_c45(problem: Problem, cases: list[Case], state: State, settings: Settings) -> Node:
    """Grow by C4.5's rules, and take back a split that does not lower the training errors."""
    counts = count(problem, cases)
    node = leaf(counts, majority(counts))
    total = sum(counts)
    if max(counts) >= total - SLACK or total < 2 * settings.min_cases - SLACK:
        return node
    found = looks(problem, cases, settings)
    if settings.criterion == "gain_ratio":
        look = choose_ratio(problem, found)
    else:
        look = choose_worth(problem, found, state, settings)
    if look is None:
        return node
    branches, _ = spread(problem, cases, look.test, look.threshold)
    below = after(problem, look.test, state)
    children = [
        grow_c45(problem, branch, below, settings) if branch else None for branch in branches
    ]
    grown = node | {"test": look.test, "threshold": look.threshold, "children": children}
    if settings.collapse and training_errors(grown) >= training_errors(node) - EPSILON:
        return node
    return grown


def training_errors(node: Node) -> float:
    """Return the weight of the training cases that the leaves get wrong."""
    if is_leaf(node):
        return size(node) - float(max(node["counts"]))
    return sum(training_errors(child) for child in node["children"] if child is not None)


def c45(
    problem: Problem,
    criterion: str = "gain_ratio",
    w: float = 1.0,
    min_cases: float = 2,
    prices: str = "context",
    cf: float = 0.25,
    form: str = "c45",
    prune: bool = True,
    raising: bool = True,
    collapse: bool = True,
) -> Node:
    """Grow and prune a tree of the C4.5 family: ``gain_ratio``, ``eg2``, ``idx``, ``csid3``."""
    settings = Settings(criterion, w, min_cases, prices, cf, form, raising, collapse)
    cases = everything(problem)
    tree = grow_c45(problem, cases, START, settings)
    return prune_errors(problem, tree, cases, settings)[0] if prune else tree


# ---------------------------------------------------------------------------- expected error


def deviation(cf: float) -> float:
    """Return C4.5's number of standard deviations for a confidence, by its small table.

    >>> round(deviation(0.25), 4), deviation(0.2), deviation(1)
    (0.6925, 0.84, 0.0)
    """
    levels = [0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00]
    deviations = [4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0]
    i = next(i for i in range(1, len(levels)) if cf <= levels[i])
    part = (cf - levels[i - 1]) / (levels[i] - levels[i - 1])
    return deviations[i - 1] + part * (deviations[i] - deviations[i - 1])


def expected_error(m: float, s: float, cf: float = 0.25, form: str = "c45") -> float:
    """Return EE(m, s): errors to expect on m cases of which s were wrong in training.

    ``"c45"`` is C4.5's own approximation, ``"exact"`` the binomial limit, ``"training"`` s.

    >>> [expected_error(2, 0, form=form) for form in ("c45", "exact", "training")]
    [1.0, 1.0, 0]
    >>> round(expected_error(100, 5), 5), round(expected_error(100, 5, form="exact"), 5)
    (7.30163, 7.33268)
    """
    if form == "training":
        return s
    if m <= 0:
        return 0.0
    return {"c45": c45_error, "exact": exact_error}[form](m, s, cf)


def exact_error(m: float, s: float, cf: float) -> float:
    """Return m times the error rate p for which s errors or fewer have probability cf."""
    if s >= m:
        return m
    if s <= 0:
        return m * (1 - math.pow(cf, 1 / m))
    return m * float(betaincinv(s + 1, m - s, 1 - cf))


def c45_error(m: float, s: float, cf: float) -> float:
    """Return s plus C4.5's AddErrs."""
    if s < 1e-6:
        return m * (1 - math.pow(cf, 1 / m))
    if s < 0.9999:
        none = c45_error(m, 0, cf)
        return none + s * (c45_error(m, 1, cf) - none)
    if s + 0.5 >= m:
        return s + 0.67 * (m - s)
    q = deviation(cf) ** 2
    e = s + 0.5
    return m * (e + q / 2 + math.sqrt(q * (e * (1 - e / m) + q / 4))) / (m + q)


# ---------------------------------------------------------------------------- error-based pruning


def wrong(counts: list[float], label: int, settings: Settings) -> float:
    """Return the errors to expect among these cases when they are answered with ``label``."""
    m = sum(counts)
    return expected_error(m, m - counts[label], settings.cf, settings.form)


def tree_errors(problem: Problem, node: Node, cases: list[Case], settings: Settings) -> float:
    """Return the errors to expect when the cases go down the tree as it stands."""
    if is_leaf(node):
        counts = count(problem, cases)
        return wrong(counts, majority(counts), settings)
    branches, stray = send(problem, cases, node["test"], node["threshold"], settings)
    below = sum(
        tree_errors(problem, child or leaf([], 0), branch, settings)
        for child, branch in zip(node["children"], branches, strict=True)
        if branch
    )
    return below + wrong(count(problem, stray), node["label"], settings)


def prune_errors(
    problem: Problem, node: Node, cases: list[Case], settings: Settings
) -> tuple[Node, float]:
    """Return the node pruned for these cases, and the errors to expect of it.

    Bottom up, the node stays, becomes a leaf, or gives way to its heaviest branch, whichever
    promises the fewest errors; the simpler one may be worse by a tenth of a case. Counts and
    labels become those of the cases given; a value the branch never saw gets a leaf of its own.
    """
    counts = count(problem, cases)
    label = majority(counts)
    as_leaf = leaf(counts, label)
    leaf_errors = wrong(counts, label, settings)
    if is_leaf(node):
        return as_leaf, leaf_errors
    branches, stray = send(problem, cases, node["test"], node["threshold"], settings)
    errors = wrong(count(problem, stray), label, settings)
    children: list[Node | None] = []
    for child, branch in zip(node["children"], branches, strict=True):
        if not branch:
            children.append(None)
            continue
        pruned, more = prune_errors(problem, child or leaf([], 0), branch, settings)
        children.append(pruned)
        errors += more
    raised = heaviest(children[::-1]) if settings.raising else None  # the last on ties
    branch_errors = math.inf
    if raised is not None:
        branch_errors = tree_errors(problem, raised, cases, settings)
    if leaf_errors <= branch_errors + 0.1 and leaf_errors <= errors + 0.1:
        return as_leaf, leaf_errors
    if raised is not None and branch_errors <= errors + 0.1:
        return prune_errors(problem, raised, cases, settings)
    kept = {"test": node["test"], "threshold": node["threshold"], "children": children}
    return as_leaf | kept, errors


# ---------------------------------------------------------------------------- expected cost


def leaf_penalty(counts: list[float], label: int, errors: Matrix) -> float:
    """Return what one error at a leaf costs on average, each wrong class counted once more.

    >>> leaf_penalty([10, 3, 0], 0, [[0, 10, 100], [1, 0, 1], [1, 1, 0]])  # 4/5 * 10 + 1/5 * 100
    28.0
    """
    others = [i for i in range(len(counts)) if i != label]
    total = sum(counts[i] + 1 for i in others)
    return sum((counts[i] + 1) / total * errors[label][i] for i in others)


def leaf_cost(
    counts: list[float],
    label: int,
    errors: Matrix,
    cf: float = 0.25,
    form: str = "c45",
    penalty: str = "laplace",
) -> float:
    """Return what the errors of a leaf will cost, over all its cases.

    >>> leaf_cost([1, 1], 0, [[0, 7], [7, 0]], form="training")
    7
    """
    if form == "training":  # the errors seen, each at its own penalty
        return answer_costs(counts, errors)[label]
    m = sum(counts)
    if penalty == "laplace":
        wrongs = expected_error(m, m - counts[label], cf, form)
        return wrongs * leaf_penalty(counts, label, errors)
    return sum(
        expected_error(m, m_i, cf, form) * errors[label][i]
        for i, m_i in enumerate(counts)
        if i != label
    )


@dataclass
class Estimator:
    """How the errors of a leaf are estimated, and what things cost."""

    problem: Problem
    cf: float = 0.25
    form: str = "c45"
    penalty: str = "laplace"

    def leaf_total(self, node: Node) -> float:
        """Return the cost per case of answering at the node."""
        errors = self.problem.errors
        cost = leaf_cost(node["counts"], node["label"], errors, self.cf, self.form, self.penalty)
        return cost / size(node)

    def parts(self, node: Node, state: State, ordered: bool = False) -> tuple[float, float]:
        """Return the cost per case of the tests and of the errors of a subtree.

        ``ordered`` says that a delayed test above has paid for everything here.
        """
        if is_leaf(node):
            return 0.0, self.leaf_total(node)
        a = node["test"]
        ahead = a in self.problem.delayed
        tests = 0.0 if ordered else self.charge(node, state)
        errors = 0.0
        for child in node["children"]:
            if child is not None:
                below = after(self.problem, a, state)
                child_tests, child_errors = self.parts(child, below, ordered or ahead)
                share = size(child) / size(node)
                tests += share * child_tests
                errors += share * child_errors
        return tests, errors

    def charge(self, node: Node, state: State) -> float:
        """Return what reaching the node costs: its test or, if delayed, all tests below."""
        if node["test"] in self.problem.delayed:
            return self.order_of(node, state)
        return price(self.problem, node["test"], state)

    def order_of(self, node: Node, state: State, without: Node | None = None) -> float:
        """Return the price of all tests of a subtree, ``without`` a part of it."""
        return order(self.problem, ordered_tests(node, without), state)[0]


def ordered_tests(node: Node, without: Node | None = None) -> list[int]:
    """Return the distinct tests of a subtree, ``without`` a part of it."""
    if is_leaf(node) or node is without:
        return []
    found = {node["test"]}
    for child in node["children"]:
        if child is not None:
            found.update(ordered_tests(child, without))
    return sorted(found)


def estimate(
    tree: Node, problem: Problem, cf: float = 0.25, form: str = "c45", penalty: str = "laplace"
) -> tuple[float, float]:
    """Return the expected cost of tests and of errors, per case."""
    return Estimator(problem, cf, form, penalty).parts(tree, START)


# ---------------------------------------------------------------------------- cost pruning


def relabel(tree: Node, problem: Problem) -> Node:
    """Return the tree with the cheapest answer at every node."""
    children = [None if child is None else relabel(child, problem) for child in tree["children"]]
    counts = list(tree["counts"])
    return tree | {
        "counts": counts,
        "label": cheapest(counts, problem.errors),
        "children": children,
    }


def prune_costs(
    tree: Node, problem: Problem, cf: float = 0.25, form: str = "c45", penalty: str = "laplace"
) -> Node:
    """Return the tree without the subtrees that cost at least as much as a leaf in their place.

    Sweeps go bottom up, and on until one changes nothing: cutting one test out of a delayed
    order makes the order cheaper, which may save a subtree elsewhere or condemn it.
    """
    tree = relabel(deepcopy(tree), problem)
    estimator = Estimator(problem, cf, form, penalty)
    while sweep(tree, START, estimator, None):
        pass
    return tree


def sweep(
    node: Node, state: State, estimator: Estimator, above: tuple[Node, State] | None
) -> bool:
    """Prune a subtree in place, children first, and tell whether anything changed.

    ``above`` is the topmost delayed node of the path with the state in which it is reached.
    """
    if is_leaf(node):
        return False
    problem = estimator.problem
    top = above
    if top is None and node["test"] in problem.delayed:
        top = node, state
    below = after(problem, node["test"], state)
    changed = False
    for child in node["children"]:
        if child is not None and sweep(child, below, estimator, top):
            changed = True
    if is_dear(node, state, estimator, above):
        cut_to_leaf(node)
        changed = True
    return changed


def is_dear(
    node: Node, state: State, estimator: Estimator, above: tuple[Node, State] | None
) -> bool:
    """Tell whether a leaf in place of the subtree costs no more."""
    leaf_total = estimator.leaf_total(node)
    if above is None:
        return leaf_total <= sum(estimator.parts(node, state)) * (1 + PRUNE_SLACK)
    top, start = above
    errors = estimator.parts(node, state, ordered=True)[1]
    saved = estimator.order_of(top, start) - estimator.order_of(top, start, without=node)
    limit = size(node) * errors + size(top) * saved
    return size(node) * leaf_total <= limit * (1 + PRUNE_SLACK)


# ---------------------------------------------------------------------------- classifying


def child_of(node: Node, row: Row) -> Node | None:
    """Return the child for a known value, ``None`` where the branch is empty or unheard of."""
    branch = branch_of(row[node["test"]], node["threshold"])
    if branch is None or not 0 <= branch < len(node["children"]):
        return None
    child: Node | None = node["children"][branch]
    return child


def step(node: Node, row: Row) -> Node | None:
    """Return the next node of a case; a missing value goes with the heaviest branch."""
    if is_leaf(node):
        return None
    if row[node["test"]] is None:
        return heaviest(node["children"])
    return child_of(node, row)


def terminal(tree: Node, row: Row) -> Node:
    """Return the node at which a case stops."""
    child = step(tree, row)
    return tree if child is None else terminal(child, row)


def ways(node: Node, row: Row) -> list[tuple[Node, float]]:
    """Return the children a case visits and with what part of itself; none if it stops here."""
    if is_leaf(node):
        return []
    if row[node["test"]] is not None:
        child = child_of(node, row)
        return [] if child is None else [(child, 1.0)]
    children = [child for child in node["children"] if child is not None]
    total = sum(size(child) for child in children)
    return [(child, size(child) / total) for child in children]


def shares(tree: Node, row: Row, fractional: bool = False) -> list[float]:
    """Return the class shares that answer a case, over all its parts if ``fractional``."""
    if not fractional:
        tree = terminal(tree, row)
    branches = ways(tree, row) if fractional else []
    if not branches:
        return [c / size(tree) for c in tree["counts"]]
    mixed = [0.0] * len(tree["counts"])
    for child, part in branches:
        for c, share in enumerate(shares(child, row, fractional)):
            mixed[c] += part * share
    return mixed


def predict_label(tree: Node, row: Row, fractional: bool = False) -> int:
    """Return the answer: the label where the case stops, or the largest of its mixed shares."""
    if not fractional:
        label: int = terminal(tree, row)["label"]
        return label
    mixed = shares(tree, row, fractional)
    best = 0
    for c in range(1, len(mixed)):
        if mixed[c] > mixed[best] + SLACK:
            best = c
    return best


def bill(tree: Node, row: Row, problem: Problem, fractional: bool = False) -> float:
    """Return what the tests of a case cost, each charged once, with discounts and delays."""
    return walk(tree, row, problem, fractional, START)[0]


def walk(
    node: Node, row: Row, problem: Problem, fractional: bool, state: State
) -> tuple[float, State]:
    """Return the charge for a case from this node on, and what is paid for afterwards."""
    if is_leaf(node):
        return 0.0, state
    if node["test"] in problem.delayed:
        return order(problem, ordered_tests(node), state)
    charge, state = order(problem, [node["test"]], state)
    if fractional:
        visited = [child for child, _ in ways(node, row)]
    else:
        visited = [child for child in [step(node, row)] if child is not None]
    for child in visited:
        more, state = walk(child, row, problem, fractional, state)
        charge += more
    return charge, state

"""The slow and obvious twins: C4.5's frame, criteria, expected errors, error-based pruning."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from scipy.special import betaincinv

from reference.basics import (
    EPSILON,
    NOISE,
    SLACK,
    START,
    TOLERANCE,
    Case,
    Node,
    Problem,
    State,
    beats,
    chooser_price,
    count,
    everything,
    heaviest,
    information,
    is_leaf,
    leaf,
    majority,
    may_ask,
    quiet,
    size,
    sort_out,
    state_in,
    weigh,
)
from reference.plain_trees import Offer, better, plain_split


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
    min_leaf: float = 0  # of known value, in every branch that has such cases


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
    if any(0 < weight < settings.min_leaf - SLACK for weight in weights):
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
    found = [
        look
        for look in looks(problem, cases, settings)
        if may_ask(problem, cases, state, look.test, none_is_value=False)
    ]
    if settings.criterion == "gain_ratio":
        look = choose_ratio(problem, found)
    else:
        look = choose_worth(problem, found, state, settings)
    if look is None:
        return node
    branches, _ = spread(problem, cases, look.test, look.threshold)
    below = state_in(problem, look.test, state, False)
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
    min_leaf: float = 0,
) -> Node:
    """Grow and prune a tree of the C4.5 family: ``gain_ratio``, ``eg2``, ``idx``, ``csid3``."""
    raising = raising and not (problem.first or problem.requires)
    settings = Settings(
        criterion, w, max(min_cases, min_leaf), prices, cf, form, raising, collapse,
        min_leaf=min_leaf,
    )  # fmt: skip
    cases = everything(problem)
    tree = grow_c45(problem, cases, START, settings)
    return prune_errors(problem, tree, cases, settings)[0] if prune else tree


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

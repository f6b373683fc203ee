"""The slow and obvious twin of ICET: strings as lists of bits, trials by the twin of C4.5.

Nothing is shared with the package but the random numbers, which are handed in.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from reference import basics, c45_trees, routing
from reference.basics import Node, Problem

Bits = list[int]


# ---------------------------------------------------------------------------- strings


def from_gray(bits: Bits) -> int:
    """Return the number that a Gray code stands for: each bit says whether the next one turns.

    >>> [from_gray(bits) for bits in ([0, 0], [0, 1], [1, 1], [1, 0])]
    [0, 1, 2, 3]
    """
    number, bit = 0, 0
    for turn in bits:
        bit = bit ^ turn
        number = 2 * number + bit
    return number


def value_of(bits: Bits, low: float, high: float) -> float:
    """Return the number between ``low`` and ``high`` that a Gray code stands for.

    >>> value_of([1, 1], 0, 3)
    2.0
    """
    return low + from_gray(bits) * (high - low) / (2 ** len(bits) - 1)


@dataclass
class Options:
    """The parameters of ICET."""

    n_grown: int
    cost_bits: int = 12
    w_bits: int = 8
    cf_bits: int = 8
    cost_range: tuple[float, float] = (1, 10000)
    w_range: tuple[float, float] = (0, 1)
    cf_range: tuple[float, float] = (0.01, 1.0)
    unavailable_above: float = 9000
    min_cases: float = 2
    form: str = "c45"
    window: int = 5
    elitism: bool = True


class Bias:
    """What a string says: the price of each test, w and cf."""

    def __init__(self, string: Bits, n_tests: int, options: Options) -> None:
        b = options.cost_bits
        prices = [string[a * b : (a + 1) * b] for a in range(n_tests)]
        rest = string[n_tests * b :]
        self.prices = [value_of(bits, *options.cost_range) for bits in prices]
        self.w = value_of(rest[: options.w_bits], *options.w_range)
        self.cf = value_of(rest[options.w_bits :], *options.cf_range)


# ---------------------------------------------------------------------------- trials

MASK = 2**64 - 1


def uniform(key: int) -> float:
    """Return the number in [0, 1) that belongs to a key: SplitMix64's finaliser."""
    z = (key + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return ((z ^ (z >> 31)) >> 11) / 2**53


def divide(key: int, n: int, n_grown: int) -> tuple[list[int], list[int]]:
    """Draw ``n_grown`` of ``n`` cases, each with the chance that still fills the number."""
    grown: list[int] = []
    others: list[int] = []
    for i in range(n):
        chance = uniform(key ^ i) * (n - i)
        (grown if chance < n_grown - len(grown) else others).append(i)
    return grown, others


def biased(problem: Problem, bias: Bias, options: Options) -> Problem:
    """Return the problem as EG2 is made to see it."""
    available = {a for a, cost in enumerate(bias.prices) if cost <= options.unavailable_above}
    return replace(problem, full=bias.prices, groups=[], usable=problem.usable & available)


def some(problem: Problem, rows: list[int]) -> Problem:
    """Return the problem with these cases only."""
    return replace(
        problem,
        rows=[problem.rows[i] for i in rows],
        classes=[problem.classes[i] for i in rows],
        weights=[problem.weights[i] for i in rows],
    )


def tree_of(problem: Problem, bias: Bias, options: Options) -> Node:
    """Return EG2's tree under a bias."""
    return c45_trees.c45(
        biased(problem, bias, options),
        "eg2",
        w=bias.w,
        min_cases=options.min_cases,
        prices="static",
        cf=bias.cf,
        form=options.form,
    )


def cost_of(tree: Node, problem: Problem, rows: list[int]) -> float:
    """Return the mean cost of tests and errors of some cases, by the true prices."""
    total = weight = 0.0
    for i in rows:
        row = problem.rows[i]
        label = routing.predict_label(tree, row, fractional=True)
        cost = routing.bill(tree, row, problem, fractional=True)
        cost += problem.errors[label][problem.classes[i]]
        total += problem.weights[i] * cost
        weight += problem.weights[i]
    return total / weight


def trial(problem: Problem, bias: Bias, key: int, options: Options) -> float:
    """Return what the tree grown on one part of the cases costs on the other."""
    grown, others = divide(key, len(problem.rows), options.n_grown)
    return cost_of(tree_of(some(problem, grown), bias, options), problem, others)


# ---------------------------------------------------------------------------- breeding


def wheel(costs: list[float], worst: float, spin: float) -> list[int]:
    """Return who is selected: one string for each pointer of the wheel that falls on it.

    >>> wheel([1.0, 3.0, 5.0], worst=5.0, spin=0.5)
    [0, 0, 1]
    """
    fitness = [max(0.0, worst - cost) for cost in costs]
    if sum(fitness) == 0:
        fitness = [1.0] * len(costs)
    mean = sum(fitness) / len(fitness)
    chosen: list[int] = []
    edge, pointer = 0.0, spin
    for i, share in enumerate(fitness):
        edge += share / mean
        while pointer < edge and len(chosen) < len(costs):
            chosen.append(i)
            pointer += 1
    while len(chosen) < len(costs):  # rounding has left a pointer over
        chosen.append(len(costs) - 1)
    return chosen


def cross(mom: Bits, dad: Bits, first: int, second: int) -> tuple[Bits, Bits]:
    """Swap the bits from the first point to the second.

    >>> cross([0, 0, 0, 0], [1, 1, 1, 1], 1, 3)
    ([0, 1, 1, 0], [1, 0, 0, 1])
    """
    return (
        mom[:first] + dad[first:second] + mom[second:],
        dad[:first] + mom[first:second] + dad[second:],
    )


def lowest(costs: list[float]) -> int:
    """Return the place of the lowest cost, the first of equal ones, rounding aside.

    >>> lowest([3.0, 1.0 + 1e-12, 1.0])
    1
    """
    return next(i for i, cost in enumerate(costs) if cost <= min(costs) * (1 + basics.TOLERANCE))


def breed(
    strings: list[Bits], costs: list[float], worst: float, luck: Any, elitism: bool
) -> list[Bits]:
    """Return the next generation."""
    chosen = [strings[i] for i in wheel(costs, worst, luck.spin)]
    new = [list(chosen[i]) for i in luck.order]
    for string, flips in zip(new, luck.flips, strict=True):
        for bit, flip in enumerate(flips):
            if flip:
                string[bit] = 1 - string[bit]
    for pair, (first, second) in enumerate(luck.points):
        mom, dad = new[2 * pair], new[2 * pair + 1]
        new[2 * pair], new[2 * pair + 1] = cross(mom, dad, int(first), int(second))
    best = strings[lowest(costs)]
    if elitism and best not in new:
        new[-1] = list(best)
    return new


def icet(
    problem: Problem,
    strings: list[Bits],
    keys: list[list[int]],
    lucks: list[Any],
    options: Options,
) -> tuple[float, Bias, Node, list[list[float]]]:
    """Return the best fitness, its bias, the tree it grows on all cases, and all costs.

    ``keys`` has one list a generation, ``lucks`` what is drawn between two of them.
    """
    best: tuple[float, Bits] | None = None
    history: list[list[float]] = []
    for generation, drawn in enumerate(keys):
        biases = [Bias(string, len(problem.kinds), options) for string in strings]
        costs = [trial(problem, *given, options) for given in zip(biases, drawn, strict=True)]
        history.append(costs)
        first = lowest(costs)
        if best is None or costs[first] < best[0] * (1 - basics.TOLERANCE):
            best = costs[first], strings[first]
        if generation < len(lucks):
            worst = max(max(costs) for costs in history[-options.window :])
            strings = breed(strings, costs, worst, lucks[generation], options.elitism)
    assert best is not None
    bias = Bias(best[1], len(problem.kinds), options)
    return best[0], bias, tree_of(problem, bias, options), history

"""The slow and obvious twins: what LSID3 and ACT share, and their candidates."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import NamedTuple

from reference.basics import (
    SLACK,
    START,
    TOLERANCE,
    Case,
    Node,
    Problem,
    State,
    answer_costs,
    beats,
    cheapest,
    chooser_price,
    everything,
    majority,
    may_ask,
    order,
    price,
    state_in,
    weigh,
)
from reference.c45_trees import icf
from reference.expected_cost import Estimator
from reference.plain_trees import (
    Split,
    all_large,
    plain_split,
    plain_splits,
    split_gain,
    with_last,
)

ENOUGH = 5
"""So much weight set aside at a leaf is believed; with less, the leaf's estimate stands."""


@dataclass
class Options:
    """The parameters of the sampling learners; LSID3 has no use for some of them."""

    r: int = 5  # trees per branch; 0 is the greedy learner within
    seed: int = 0
    w: float = 1.0
    prices: str = "context"
    cf: float = 0.25
    form: str = "c45"
    penalty: str = "laplace"
    prune: bool = True  # the final tree
    prune_samples: bool = True
    split_points: str = "gain"  # or "quantile"
    lookahead_depth: int | None = None  # levels of tests in a sampled tree
    lookahead_reduction: bool = False  # sampled trees stop where a test does not pay at once
    max_depth: int | None = None
    min_cases: float = 1
    min_leaf: float = 0  # in every branch that has cases
    max_test_cost: float | None = None  # the budget of a case
    aside: frozenset[int] = frozenset()  # rows that judge the trees of the others


GOLDEN = 0x9E3779B97F4A7C15


WORD = 2**64 - 1


def mix(x: int, y: int) -> int:
    """Return a number of 64 bits that nobody could tell from a random one.

    >>> hex(mix(0, 0)), mix(1, 2) == mix(2, 1)
    ('0xe220a8397b1dcdaf', False)
    """
    z = x ^ (y * GOLDEN & WORD)
    z = (z + GOLDEN) & WORD
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & WORD
    return z ^ (z >> 31)


def uniform(key: int) -> float:
    """Return the draw that belongs to a key, at least 0 and less than 1.

    >>> round(uniform(0), 4)
    0.8833
    """
    return (mix(key, 0) >> 11) * 2.0**-53


def spin(weights: list[float], u: float) -> int:
    """Return the position that the draw ``u`` hits, each having its weight's share of [0, 1).

    >>> [spin([1, 0, 3], u) for u in (0, 0.24, 0.25, 0.99)]
    [0, 0, 2, 2]
    >>> [spin([0, 0], u) for u in (0.49, 0.5)]  # all alike
    [0, 1]
    """
    sums = list(accumulate(weights))
    if sums[-1] <= 0:
        return math.floor(u * len(weights))
    for i, reached in enumerate(sums):
        if u * sums[-1] < reached:
            return i
    return max(i for i, weight in enumerate(weights) if weight > 0)


class Validated(Estimator):
    """Judge a leaf by the cases set aside, if enough of them come to it."""

    def leaf_total(self, node: Node, cases: list[Case]) -> float:
        seen = node["aside"]
        if sum(seen) < ENOUGH:
            return super().leaf_total(node, cases)
        return answer_costs(seen, self.problem.errors)[node["label"]] / float(sum(seen))


@dataclass
class Task:
    """A problem, the options, and what ACT and LSID3 do differently."""

    problem: Problem
    options: Options
    worth: Callable[[float, float], float]  # of a gain at a price: what choosers go by
    label: Callable[[list[float]], int]
    seen: dict[tuple[int, frozenset[int]], list[Cut]] = field(default_factory=dict)

    @property
    def has_budget(self) -> bool:
        return self.options.max_test_cost is not None

    @property
    def estimator(self) -> Estimator:
        """The judge of trees. To one with a budget, what is within it costs nothing."""
        problem, how = self.problem, self.options
        if self.has_budget:
            free = [0.0] * len(problem.full)
            problem = replace(problem, full=free, groups=[], delayed=set())
        return Validated(problem, how.cf, how.form, how.penalty)


def act_task(problem: Problem, options: Options) -> Task:
    """EG2 and SEG2 go by ICF, and leaves give the cheapest answer."""
    return Task(
        problem,
        options,
        worth=lambda gain, cost: icf(gain, cost, options.w),
        label=lambda counts: cheapest(counts, problem.errors, problem.first_decision),
    )


def lsid3_task(problem: Problem, options: Options) -> Task:
    """ID3 and SID3 go by gain, and leaves give the largest class; no case is set aside."""
    options = replace(options, aside=frozenset())
    return Task(problem, options, worth=lambda gain, cost: gain, label=majority)


class Place(NamedTuple):
    """The cases of a node, and what the path there has done."""

    cases: list[Case]
    aside: list[Case]
    key: int
    state: State
    ordered: bool  # some test above is delayed
    left: float  # of the budget
    allowed: frozenset[int]  # the tests that may be asked from here on
    depth: float  # levels of tests that may follow


def root(task: Task) -> Place:
    """Return the place where the learner begins."""
    options = task.options
    cases = everything(task.problem)
    return Place(
        cases=[case for case in cases if case[0] not in options.aside],
        aside=[case for case in cases if case[0] in options.aside],
        key=options.seed,
        state=START,
        ordered=False,
        left=or_endless(options.max_test_cost),
        allowed=frozenset(task.problem.usable),
        depth=or_endless(options.max_depth),
    )


def or_endless(limit: float | None) -> float:
    return math.inf if limit is None else limit


def places_below(task: Task, place: Place, split: Split) -> list[Place | None]:
    """Return the place behind each branch, ``None`` where no case goes."""
    a = split.test
    left, allowed = place.left, place.allowed
    if task.has_budget and not place.ordered:
        left -= price(task.problem, a, place.state)
        if a in task.problem.delayed:
            allowed = affordable(task, place, a)
    aside = plain_split(task.problem, place.aside, a, split.threshold).branches
    below = place._replace(
        ordered=place.ordered or a in task.problem.delayed,
        allowed=allowed,
        depth=place.depth - 1,
    )
    found: list[Place | None] = []
    for b, (cases, is_last) in enumerate(with_last(split.branches)):
        unpaid = is_last and not task.problem.charge_missing
        here = below._replace(
            state=state_in(task.problem, a, place.state, is_last),
            left=place.left if unpaid else left,
            cases=cases,
            aside=aside[b],
            key=mix(place.key, b + 1),
        )
        found.append(here if cases else None)
    return found


class Cut(NamedTuple):
    """A way to split by a test; a nominal one has only one way."""

    gain: float
    low: float  # known weight of the first branch
    known: float  # known weight of all branches
    split: Split


class Candidate(NamedTuple):
    """A test that may be asked, represented by its best cut."""

    test: int
    gain: float
    cost: float  # as choosers see it
    worth: float
    split: Split


def legal_cuts(task: Task, place: Place, a: int) -> list[Cut]:
    """Return the ways to split by test ``a`` that leave enough cases, lower thresholds first."""
    key = a, frozenset(i for i, _ in place.cases)
    if key not in task.seen:
        splits = plain_splits(task.problem, place.cases, a)
        cuts = [measure(task, place, split) for split in splits]
        task.seen[key] = [cut for cut in cuts if cut is not None]
    return task.seen[key]


def measure(task: Task, place: Place, split: Split) -> Cut | None:
    """Return the gain of a split, ``None`` unless two branches are large enough.

    Of a numeric split these must be the two on either side of the threshold.
    """
    nominal = task.problem.kinds[split.test] == "nominal"
    weights = [weigh(branch) for branch in (split.branches if nominal else split.branches[:-1])]
    if sum(weight >= task.options.min_cases - SLACK for weight in weights) < 2:
        return None
    if not all_large(split, task.options.min_leaf):
        return None
    gain = split_gain(task.problem, place.cases, split)
    return Cut(gain, weights[0], sum(weights), split)


def best_gain(cuts: list[Cut]) -> Cut:
    """Return the cut of the largest gain, the smaller threshold on ties."""
    best = cuts[0]
    for cut in cuts[1:]:
        if beats(cut.gain, best.gain):
            best = cut
    return best


def is_within(task: Task, place: Place, a: int) -> bool:
    """Tell whether test ``a`` may be asked here and the budget reaches."""
    every = [*place.cases, *place.aside]
    if a not in place.allowed or not may_ask(task.problem, every, place.state, a):
        return False
    if not task.has_budget or place.ordered:
        return True
    return fits(task, price(task.problem, a, place.state), place.left)


def fits(task: Task, cost: float, left: float) -> bool:
    """Tell whether what is left of the budget covers a cost, rounding aside."""
    budget = task.options.max_test_cost
    assert budget is not None
    return cost <= left + TOLERANCE * budget


def candidates(task: Task, place: Place) -> list[Candidate]:
    """Return the tests that may be asked here, in their order; one without gain is among them."""
    found = []
    for a in sorted(task.problem.usable):
        cuts = legal_cuts(task, place, a) if is_within(task, place, a) else []
        if cuts:
            best = best_gain(cuts)
            cost = chooser_price(task.problem, a, place.state, task.options.prices)
            worth = task.worth(best.gain, cost)
            found.append(Candidate(a, best.gain, cost, worth, best.split))
    return found


def affordable(task: Task, place: Place, a: int) -> frozenset[int]:
    """Return the tests that may be asked beneath the delayed test ``a``.

    They are ordered and paid for together with it: the most promising first, as long as the
    budget reaches for the whole order. No part of it costs more.
    """
    chosen = {a}
    others = [candidate for candidate in candidates(task, place) if candidate.test != a]
    for other in sorted(others, key=lambda candidate: -candidate.worth):
        more = chosen | {other.test}
        if fits(task, order(task.problem, more, place.state)[0], place.left):
            chosen = more
    return place.state.paid | chosen


def split_points(task: Task, place: Place, a: int) -> list[Split]:
    """Return the r cuts of a numeric test that are worth a look, the best first."""
    cuts = legal_cuts(task, place, a)
    by = {"gain": cuts_by_gain, "quantile": cuts_by_quantile}[task.options.split_points]
    return [cut.split for cut in by(cuts, task.options.r)]


def cuts_by_gain(cuts: list[Cut], r: int) -> list[Cut]:
    """Return the r cuts of the largest gain."""
    rest, taken = list(cuts), list[Cut]()
    while rest and len(taken) < r:
        best = best_gain(rest)
        taken.append(best)
        rest.remove(best)
    return taken


def cuts_by_quantile(cuts: list[Cut], r: int) -> list[Cut]:
    """Return the cuts nearest above the r quantiles, each once."""
    taken: list[Cut] = []
    for i in range(1, r + 1):
        reached = [cut for cut in cuts if cut.low >= i * cut.known / (r + 1) - SLACK]
        cut = reached[0] if reached else cuts[-1]
        if cut not in taken:
            taken.append(cut)
    return taken


ChooseAttribute = Callable[[Task, Place], Split | None]

"""The slow and obvious truth about the learners that sample: LSID3 and ACT, figure by figure.

The words and the nodes are those of `naive`, in its plain frame, and again nothing is shared with
the package. Chance is a hash of the path that leads to a node, so that a draw depends on nothing
but the seed and the place where it is made. While a tree grows, each of its nodes also counts the
cases set aside, under ``"aside"``; a finished tree is without them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import NamedTuple

from naive import (
    SLACK,
    START,
    TOLERANCE,
    Case,
    Estimator,
    Node,
    Offer,
    Problem,
    Settings,
    Split,
    State,
    after,
    answer_costs,
    beats,
    better,
    cheapest,
    chooser_price,
    count,
    cut_to_leaf,
    everything,
    icf,
    is_leaf,
    leaf,
    majority,
    misclassification,
    plain_splits,
    price,
    prune_errors,
    saving_of,
    sort_out,
    split_gain,
    sweep,
    weigh,
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
    max_test_cost: float | None = None  # the budget of a case
    aside: frozenset[int] = frozenset()  # rows that judge the trees of the others


# ---------------------------------------------------------------------------- chance

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


# ---------------------------------------------------------------------------- tasks and places


class Validated(Estimator):
    """Judge a leaf by the cases set aside, if enough of them come to it."""

    def leaf_total(self, node: Node) -> float:
        seen = node["aside"]
        if sum(seen) < ENOUGH:
            return super().leaf_total(node)
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
        label=lambda counts: cheapest(counts, problem.errors),
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
            allowed = affordable(task, place, a, left)
    below = place._replace(
        state=after(task.problem, a, place.state),
        ordered=place.ordered or a in task.problem.delayed,
        left=left,
        allowed=allowed,
        depth=place.depth - 1,
    )
    aside = split_aside(task, place, split)
    return [
        below._replace(cases=cases, aside=aside[b], key=mix(place.key, b + 1)) if cases else None
        for b, cases in enumerate(split.branches)
    ]


def split_aside(task: Task, place: Place, split: Split) -> list[list[Case]]:
    """Split the cases set aside; the missing values go with the heaviest branch of the others."""
    branches, missing = sort_out(task.problem, place.aside, split.test, split.threshold)
    weights = [weigh(branch) for branch in split.branches]
    branches[weights.index(max(weights))].extend(missing)
    return branches


# ---------------------------------------------------------------------------- candidates


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
    """Return the gain of a split, ``None`` unless two branches of known values are large enough.

    A numeric split has two branches, so that both must be.
    """
    known = sort_out(task.problem, place.cases, split.test, split.threshold)[0]
    weights = [weigh(branch) for branch in known]
    if sum(weight >= task.options.min_cases - SLACK for weight in weights) < 2:
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
    if a not in place.allowed:
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


def affordable(task: Task, place: Place, a: int, left: float) -> frozenset[int]:
    """Return the tests that may be asked beneath the delayed test ``a``.

    They are ordered and paid for together with it: the most promising first, as long as the
    budget reaches.
    """
    state = after(task.problem, a, place.state)
    chosen = set(state.paid)
    others = [candidate for candidate in candidates(task, place) if candidate.test != a]
    for other in sorted(others, key=lambda candidate: -candidate.worth):
        cost = price(task.problem, other.test, state)
        if fits(task, cost, left):
            chosen.add(other.test)
            left -= cost
            state = after(task.problem, other.test, state)
    return frozenset(chosen)


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


# ---------------------------------------------------------------------------- growing

ChooseAttribute = Callable[[Task, Place], Split | None]


def stops(task: Task, place: Place) -> bool:
    """Tell whether a node asks nothing, whatever the chooser thinks."""
    pure = sum(c > 0 for c in count(task.problem, place.cases)) < 2
    small = weigh(place.cases) < 2 * task.options.min_cases - SLACK
    return pure or small or place.depth <= 0


def grow(task: Task, place: Place, choose: ChooseAttribute) -> Node:
    """Grow until every leaf stops or has no candidate."""
    counts = count(task.problem, place.cases)
    node = leaf(counts, task.label(counts)) | {"aside": count(task.problem, place.aside)}
    split = None if stops(task, place) else choose(task, place)
    if split is None:
        return node
    children = [
        None if below is None else grow(task, below, choose)
        for below in places_below(task, place, split)
    ]
    return node | {"test": split.test, "threshold": split.threshold, "children": children}


def eg2_choose_attribute(task: Task, place: Place) -> Split | None:
    """EG2: the largest ICF, then the lowest price, then the first test. ID3: gain for ICF."""
    best: Candidate | None = None
    for a in candidates(task, place):
        if best is None or better(Offer(a.worth, a.cost), Offer(best.worth, best.cost)):
            best = a
    return None if best is None else best.split


def seg2_choose_attribute(task: Task, place: Place) -> Split | None:
    """Figure 4, SEG2: a test at random, in proportion to its ICF. SID3: gain for ICF."""
    A = candidates(task, place)
    if not A:
        return None
    p = [a.worth for a in A]
    return A[spin(p, uniform(place.key))].split


id3_choose_attribute = eg2_choose_attribute
sid3_choose_attribute = seg2_choose_attribute


def sample(task: Task, place: Place, choose: ChooseAttribute) -> Node:
    """Grow a tree that looks ahead, within the limits set for it."""
    depth = min(place.depth, or_endless(task.options.lookahead_depth))

    def choose_if_it_pays(task: Task, place: Place) -> Split | None:
        split = choose(task, place)
        if split is None or not task.options.lookahead_reduction:
            return split
        return split if pays_at_once(task, place, split) else None

    return grow(task, place._replace(depth=depth), choose_if_it_pays)


def pays_at_once(task: Task, place: Place, split: Split) -> bool:
    """Tell whether answering in the branches is cheaper than here, the test included."""
    problem = task.problem
    charge = price(problem, split.test, place.state)
    saving = saving_of(problem, place.cases, split, charge, "min").reduction
    here = misclassification(count(problem, place.cases), problem.errors, "min")
    return saving > TOLERANCE * here


def sample_place(place: Place, below: Place, a: int, b: int, j: int) -> Place:
    """Return the place where sample ``j`` of branch ``b`` of test ``a`` has its root."""
    return below._replace(key=mix(mix(mix(place.key, 1000003 + a), b + 1), j + 1))


# ---------------------------------------------------------------------------- the best of a sample


def is_less(total: float, best: float) -> bool:
    """Tell whether a total is lower by more than rounding.

    Figure 6, where each branch is a part of the whole: 0.4 + min(4.7, 5.1) + min(8.9, 4.9).

    >>> branches = [4.7, 5.1], [8.9, 4.9]
    >>> round(0.4 + sum(new if is_less(new, best) else best for best, new in branches), 9)
    10.0
    """
    return total < best * (1 - TOLERANCE)


class Bid(NamedTuple):
    """What asking a test comes to in all, and how promising it looks by itself."""

    total: float
    worth: float
    split: Split


def lowest(bids: list[Bid]) -> Split | None:
    """Return the split of the lowest total; of equal ones the most promising, then the first."""
    best: Bid | None = None
    for bid in bids:
        if best is None or is_less(bid.total, best.total) or is_tied_but_better(bid, best):
            best = bid
    return None if best is None else best.split


def is_tied_but_better(bid: Bid, best: Bid) -> bool:
    """Tell whether a bid is as low as the best but for rounding, and more promising."""
    return bid.total <= best.total * (1 + TOLERANCE) and beats(bid.worth, best.worth)


def best_bid(bids: list[Bid]) -> Bid:
    """Return the first bid that none after it undercuts."""
    best = bids[0]
    for bid in bids[1:]:
        if is_less(bid.total, best.total):
            best = bid
    return best


# ---------------------------------------------------------------------------- LSID3


def n_leaves(node: Node) -> int:
    """Return the size of a tree: its leaves, those without a case left out."""
    if is_leaf(node):
        return 1
    return sum(n_leaves(child) for child in node["children"] if child is not None)


def lsid3_choose_attribute(task: Task, place: Place) -> Split | None:
    """Figure 3: the test under which the smallest trees were found."""
    if task.options.r == 0:
        return id3_choose_attribute(task, place)
    return lowest(lsid3_bids(task, place))


def lsid3_bids(task: Task, place: Place) -> list[Bid]:
    """Return the total of each candidate; a numeric one is tried once at each of r cuts."""
    r = task.options.r
    bids = []
    for a in candidates(task, place):
        if task.problem.kinds[a.test] == "nominal":
            total = lsid3_total(task, place, a.split, range(r))
            bids.append(Bid(total, a.gain, a.split))
        else:
            cuts = enumerate(split_points(task, place, a.test))
            totals = [(lsid3_total(task, place, cut, range(j, j + 1)), cut) for j, cut in cuts]
            bids.append(best_bid([Bid(total, a.gain, cut) for total, cut in totals]))
    return bids


def lsid3_total(task: Task, place: Place, split: Split, numbers: range) -> int:
    """Return the sum over the branches of the smallest SID3 tree among those samples."""
    total_a = 0
    for b, E_i in enumerate(places_below(task, place, split)):
        if E_i is not None:
            roots = [sample_place(place, E_i, split.test, b, j) for j in numbers]
            total_a += min(n_leaves(sample(task, at, sid3_choose_attribute)) for at in roots)
    return total_a


def lsid3(problem: Problem, options: Options) -> Node:
    """Grow LSID3's tree, prune it by expected errors, and hold it within the budget.

    >>> tree = lsid3(PARITY, Options(r=1, prune=False))
    >>> n_leaves(tree), n_leaves(lsid3(PARITY, Options(r=0, prune=False)))
    (4, 8)
    """
    task = lsid3_task(problem, options)
    place = root(task)
    tree = finished(grow(task, place, lsid3_choose_attribute), task)
    if options.prune:
        settings = Settings(cf=options.cf, form=options.form, whole=True)
        tree = prune_errors(problem, tree, place.cases, settings)[0]
    return within_budget(tree, task)


def lsid3_totals(problem: Problem, options: Options) -> dict[int, tuple[float, float | None]]:
    """Return the total of each candidate at the root, and the threshold it would have.

    Below one of the relevant tests only the other one has a gain, so that any seed will do.

    >>> lsid3_totals(PARITY, Options(r=1))
    {0: (8, None), 1: (4, None), 2: (4, None)}
    """
    task = lsid3_task(problem, options)
    return totals_of(lsid3_bids(task, root(task)))


def totals_of(bids: list[Bid]) -> dict[int, tuple[float, float | None]]:
    return {bid.split.test: (bid.total, bid.split.threshold) for bid in bids}


# ---------------------------------------------------------------------------- ACT


def act_choose_attribute(task: Task, place: Place) -> Split | None:
    """Figure 5: the test under which the cheapest trees were found."""
    if task.options.r == 0:
        return eg2_choose_attribute(task, place)
    return lowest(act_bids(task, place))


def act_bids(task: Task, place: Place) -> list[Bid]:
    """Return the total of each candidate; a numeric one is tried once at each of r cuts."""
    bids = []
    for a in candidates(task, place):
        if task.problem.kinds[a.test] == "nominal":
            total = act_total(task, place, a.split, task.options.r)
            bids.append(Bid(total, a.worth, a.split))
        else:
            cuts = split_points(task, place, a.test)
            totals = [(act_total(task, place, cut, 1), cut) for cut in cuts]
            bids.append(best_bid([Bid(total, a.worth, cut) for total, cut in totals]))
    return bids


def act_total(task: Task, place: Place, split: Split, r: int) -> float:
    """Return the price of a test and, per case, the least total found in each branch."""
    a, estimator = split.test, task.estimator
    below = places_below(task, place, split)
    best = [
        None if E_i is None else cheapest_sample(task, place, E_i, a, b, r)
        for b, E_i in enumerate(below)
    ]
    if is_order(task, place.ordered or a in task.problem.delayed):
        return order_total(task, place, split, [None if t is None else t[1] for t in best])
    total_a = price(estimator.problem, a, place.state)
    for E_i, found in zip(below, best, strict=True):
        if E_i is not None and found is not None:
            min_i = found[0]
            total_a += weigh(E_i.cases) / weigh(place.cases) * min_i
    return total_a


def is_order(task: Task, ordered: bool) -> bool:
    """Tell whether all tests of a subtree are charged at once; under a budget nothing is."""
    return ordered and not task.has_budget


def cheapest_sample(
    task: Task, place: Place, E_i: Place, a: int, b: int, r: int
) -> tuple[float, Node]:
    """Return the least total in a branch, EG2's or one of r - 1 of SEG2, and its tree."""
    T = sample(task, sample_place(place, E_i, a, b, 0), eg2_choose_attribute)
    best = total_cost(task, T, E_i), T
    for j in range(1, r):
        T = sample(task, sample_place(place, E_i, a, b, j), seg2_choose_attribute)
        total = total_cost(task, T, E_i)
        if is_less(total, best[0]):
            best = total, T
    return best


def total_cost(task: Task, T: Node, place: Place) -> float:
    """Prune a sampled tree, in place, and return what it costs per case."""
    estimator = task.estimator
    above = (T, place.state) if is_order(task, place.ordered) else None
    if task.options.prune_samples:
        while sweep(T, place.state, estimator, above):
            pass
    if above is None:
        return sum(estimator.parts(T, place.state))
    return total_as_order(estimator, T, place.state)


def total_as_order(estimator: Estimator, node: Node, state: State) -> float:
    """Return the price of all tests of a tree, asked for at once, and of its errors per case."""
    return estimator.order_of(node, state) + estimator.parts(node, state, ordered=True)[1]


def order_total(task: Task, place: Place, split: Split, children: list[Node | None]) -> float:
    """Return what a test costs with trees beneath that are ordered along with it.

    Put together, the trees may share tests, or one test may be in the way of all; so they are
    pruned once more. The test itself stays.
    """
    counts = count(task.problem, place.cases)
    node = leaf(counts, task.label(counts)) | {
        "test": split.test,
        "threshold": split.threshold,
        "children": children,
    }
    below = after(task.problem, split.test, place.state)
    estimator, above = task.estimator, (node, place.state)
    changed = task.options.prune_samples
    while changed:
        changes = [
            sweep(child, below, estimator, above) for child in children if child is not None
        ]
        changed = any(changes)
    return total_as_order(estimator, node, place.state)


def act(problem: Problem, options: Options) -> Node:
    """Grow ACT's tree, prune it by expected cost, and hold it within the budget.

    >>> tree = act(PARITY, Options(r=1, form="training"))
    >>> tree["test"], act(PARITY, Options(r=0, form="training"))["test"]
    (1, 0)
    """
    task = act_task(problem, options)
    tree = grow(task, root(task), act_choose_attribute)
    while options.prune and sweep(tree, START, task.estimator, None):
        pass
    return within_budget(finished(tree, task), task)


def act_totals(problem: Problem, options: Options) -> dict[int, tuple[float, float | None]]:
    """Return the total of each candidate at the root, and the threshold it would have.

    A parity tree costs 10 + 10 per case, and 1 more if the irrelevant test comes first.

    >>> act_totals(PARITY, Options(r=1, form="training"))
    {0: (21.0, None), 1: (20.0, None), 2: (20.0, None)}
    """
    task = act_task(problem, options)
    return totals_of(act_bids(task, root(task)))


def eg2_plain(problem: Problem, options: Options) -> Node:
    """Grow EG2's tree until the leaves are pure, by plain gain, and prune nothing.

    >>> n_leaves(eg2_plain(PARITY, Options()))
    8
    """
    task = act_task(problem, options)
    return finished(grow(task, root(task), eg2_choose_attribute), task)


# ---------------------------------------------------------------------------- the finished tree


def finished(node: Node, task: Task) -> Node:
    """Return the tree with the cases set aside counted in, and the answers of them all."""
    counts = [c + more for c, more in zip(node["counts"], node["aside"], strict=True)]
    children = [None if child is None else finished(child, task) for child in node["children"]]
    return leaf(counts, task.label(counts)) | {
        "test": node["test"],
        "threshold": node["threshold"],
        "children": children,
    }


def within_budget(tree: Node, task: Task) -> Node:
    """Cut the tests that take a path above the budget, in place, and return the tree.

    Growing keeps to it, but discounts can be such that asking less, or in another order, costs
    more.
    """
    if task.options.max_test_cost is not None:
        limit = task.options.max_test_cost * (1 + TOLERANCE)
        for node, bill in bills(tree, task.problem):
            if bill > limit:
                cut_to_leaf(node)
    return tree


def bills(tree: Node, problem: Problem) -> Iterator[tuple[Node, float]]:
    """Yield each node that makes a charge, with the bill of its path so far, in preorder.

    A node cut in the meantime yields nothing more.

    >>> [bill for _, bill in bills(eg2_plain(PARITY, Options()), PARITY)]
    [1.0, 11.0, 21.0, 21.0, 11.0, 21.0, 21.0]
    """

    def walk(node: Node, state: State, spent: float) -> Iterator[tuple[Node, float]]:
        if is_leaf(node):
            return
        spent += Estimator(problem).charge(node, state)
        yield node, spent
        if node["test"] in problem.delayed:
            return
        for child in node["children"]:
            if child is not None:
                yield from walk(child, after(problem, node["test"], state), spent)

    return walk(tree, START, 0.0)


PARITY = Problem(
    rows=[[i // 4, i // 2 % 2, i % 2] for i in range(8)],
    classes=[i // 2 % 2 ^ i % 2 for i in range(8)],
    weights=[1.0] * 8,
    kinds=["nominal"] * 3,
    domains=[2] * 3,
    n_classes=2,
    full=[1.0, 10.0, 10.0],
    groups=[],
    delayed=set(),
    usable={0, 1, 2},
    errors=[[0.0, 1000.0], [1000.0, 0.0]],
)
"""A cheap test that says nothing, and two whose parity is the class."""

"""The slow and obvious truth about the cheapest tree of all: every tree is looked at.

The words, nodes and prices are those of basics.py and plain_trees.py, and nothing is shared
with the package. The only trick is to remember: what is best for some cases depends on the path to
them only through what is paid for, and through how deep it may still go.

A delayed test orders everything beneath it, and the price of an order is that of a set of tests.
So for each set the cheapest tree that uses exactly this set is looked for.

With a budget, only errors and splits cost, and a tree may ask what every path can pay for.

With monotone tests, no answer of the lower branch of one comes later than one of the upper, or
earlier in the other direction: so there is an answer that none of the one comes after and none of
the other before, and each is tried.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from reference.basics import (
    SLACK,
    START,
    TOLERANCE,
    Case,
    Node,
    Problem,
    State,
    after,
    cheapest,
    count,
    everything,
    is_leaf,
    leaf,
    may_ask,
    order,
    sort_out,
    state_in,
    weigh,
)
from reference.conditions import can_take, charged, dearest
from reference.costs_of_cases import cheapest_for, leaf_cost_for
from reference.expected_cost import estimate, leaf_cost
from reference.plain_trees import (
    Split,
    all_large,
    asking,
    plain_split,
    plain_splits,
    with_last,
)

Tests = frozenset[int]


@dataclass(frozen=True)
class Options:
    """What a tree costs besides its tests, and which trees are allowed."""

    cf: float = 0.25
    form: str = "c45"
    penalty: str = "laplace"
    max_depth: int | None = None
    min_cases: float = 1  # of known value, in at least two branches
    min_leaf: float = 0  # in every branch that has cases
    flat: float = 0.0  # charged for each split, over all its cases
    per_log_cut: float = 0.0  # charged likewise, times the log of the cuts to choose from
    rest: bool = False  # whether one value of several may be set against the others
    max_test_cost: float | None = None  # the budget of a case; what is within it costs nothing
    max_tests: int | None = None  # for so many a case may be charged; what they cost counts
    monotone: Mapping[int, int] = field(default_factory=dict)  # by test: 1 or -1, see above

    def split_charge(self, n_cuts: int) -> float:
        """Return what a split costs by itself.

        >>> Options(flat=3.0, per_log_cut=2.0).split_charge(1)
        3.0
        """
        return self.flat + self.per_log_cut * math.log(n_cuts)

    @property
    def has_budget(self) -> bool:
        return self.max_test_cost is not None

    def fits(self, cost: float, left: float) -> bool:
        """Tell whether what is left of the budget covers a cost, rounding aside.

        >>> Options().fits(5.0, math.inf), Options(max_test_cost=4.0).fits(1.1, 1.0)
        (True, False)
        """
        return self.max_test_cost is None or cost <= left + TOLERANCE * self.max_test_cost


def best_cost(problem: Problem, options: Options) -> float:
    """Return the least cost per case that a tree can have.

    The parity of two tests is the class, and a third is as cheap as it is useless. Both together
    cost 10 + 10; one alone, or none, leaves half of the answers wrong, at 1000 each.

    >>> from reference.sampled_trees import PARITY
    >>> best_cost(PARITY, Options(form="training"))
    20.0
    >>> best_cost(PARITY, Options(form="training", max_depth=1))
    500.0

    Each of the three splits, one above two, costs 8 over the 8 cases.

    >>> best_cost(PARITY, Options(form="training", flat=8.0))
    23.0

    With 20 to spend on each case there are no errors, with 19 no more than one test.

    >>> [best_cost(PARITY, Options(form="training", max_test_cost=most)) for most in (20, 19)]
    [0.0, 500.0]
    """
    return best_plan(problem, options).cost / sum(problem.weights)


def best_tree(problem: Problem, options: Options) -> Node:
    """Return a tree of the least cost.

    >>> from reference.sampled_trees import PARITY
    >>> tree = best_tree(PARITY, Options(form="training"))
    >>> tree["test"], [child and child["test"] for child in tree["children"]]
    (1, [2, 2, None])
    """
    return as_tree(best_plan(problem, options), problem)


def tree_cost(tree: Node, problem: Problem, options: Options) -> float:
    """Return the cost per case of a tree for the cases of the problem.

    >>> from reference.sampled_trees import PARITY
    >>> how = Options(form="training", flat=8.0)
    >>> tree_cost(best_tree(PARITY, how), PARITY, how)
    23.0
    """
    charges = sum(split_charges(tree, problem, everything(problem), options))
    tests, errors = estimate(tree, problem, options.cf, options.form, options.penalty)
    charged = 0.0 if options.has_budget else tests
    return charged + errors + charges / sum(problem.weights)


def split_charges(
    node: Node, problem: Problem, cases: list[Case], options: Options
) -> Iterator[float]:
    """Yield what each split of a tree is charged."""
    if is_leaf(node):
        return
    splits = legal_splits(problem, cases, node["test"], options)
    yield options.split_charge(n_cuts(problem, splits))
    split = plain_split(problem, cases, node["test"], node["threshold"])
    for child, branch in zip(node["children"], split.branches, strict=True):
        if child is not None:
            yield from split_charges(child, problem, branch, options)


def legal_splits(problem: Problem, cases: list[Case], a: int, options: Options) -> list[Split]:
    """Return the ways to split by test ``a`` that leave two branches enough cases, and all."""

    def is_legal(split: Split) -> bool:
        nominal = problem.kinds[a] == "nominal"
        counted = split.branches if nominal else split.branches[:-1]
        return sum(weigh(branch) >= options.min_cases - SLACK for branch in counted) >= 2

    splits = [split for split in plain_splits(problem, cases, a) if is_legal(split)]
    if options.rest and problem.kinds[a] == "nominal" and len(occurring(problem, a)) > 2:
        splits += rest_splits(problem, cases, a, options)
    return [split for split in splits if all_large(split, options.min_leaf)]


def occurring(problem: Problem, a: int) -> list[int]:
    """Return the values of a nominal test that some case of the problem has."""
    return sorted({int(row[a]) for row in problem.rows if row[a] is not None})


def rest_splits(problem: Problem, cases: list[Case], a: int, options: Options) -> list[Split]:
    """Return the ways to set one value of a test against the others.

    Cases without a value are a branch of their own, so that one value may stand against them.
    """
    values, _ = sort_out(problem, cases, a, None)
    missing = [case for case in cases if problem.rows[case[0]][a] is None]
    splits = []
    for v in occurring(problem, a):
        one = values[v]
        rest = [case for w, branch in enumerate(values) if w != v for case in branch]
        filled = [branch for branch in (one, rest, missing) if branch]
        if sum(weigh(branch) >= options.min_cases - SLACK for branch in filled) >= 2:
            splits.append(Split(a, None, [one, rest, missing]))
    return splits


def n_cuts(problem: Problem, splits: list[Split]) -> int:
    """Return among how many cuts of a numeric test there is to choose; else 1."""
    numeric = splits and problem.kinds[splits[0].test] == "numeric"
    return len(splits) if numeric else 1


# ---------------------------------------------------------------------------- search


class Plan(NamedTuple):
    """A tree and what it costs over all its cases, within an order without its tests."""

    cost: float
    cases: list[Case]
    split: Split | None = None
    below: tuple[Plan | None, ...] = ()  # None where no case goes


@dataclass
class Search:
    """A problem, and what is already known about parts of it."""

    problem: Problem
    options: Options
    splits: dict[tuple[frozenset[Case], int], list[Split]] = field(default_factory=dict)
    plans: dict[tuple[frozenset[Case], State, float, float, range], Plan] = field(
        default_factory=dict
    )
    orders: dict[tuple[frozenset[Case], Tests, float, range], dict[Tests, Plan]] = field(
        default_factory=dict
    )

    def best(
        self,
        cases: list[Case],
        state: State,
        depth: float,
        left: float,
        allowed: range | None = None,
    ) -> Plan:
        """Return the cheapest tree for some cases, of at most so many levels of tests.

        ``left`` is what each case may still be charged, ``allowed`` are the answers it may get,
        None for all.
        """
        allowed = range(len(self.problem.errors)) if allowed is None else allowed
        key = frozenset(cases), state, depth, left, allowed
        if key not in self.plans:
            every = self.every(cases, state, depth, left, allowed)
            self.plans[key] = min(every, key=lambda plan: plan.cost)
        return self.plans[key]

    def every(
        self, cases: list[Case], state: State, depth: float, left: float, allowed: range
    ) -> Iterator[Plan]:
        """Yield the leaf, and the cheapest tree under each split."""
        yield self.leaf(cases, allowed)
        for split, charge in self.legal(cases, depth):
            if not may_ask(self.problem, cases, state, split.test):
                continue
            most, paid = self.options.max_tests, after(self.problem, split.test, state).paid
            if most is not None and len(paid) > most:
                continue
            if split.test not in self.problem.delayed and not can_take(
                self.problem, cases, split.test
            ):
                continue
            for parted in self.parted(split, allowed):
                if split.test in self.problem.delayed:
                    yield from self.ordering(cases, split, charge, state, depth, left, parted)
                elif self.options.fits(dearest(self.problem, split.test, state), left):
                    yield self.asking(cases, split, charge, state, depth, left, parted)

    def all_parts(self, split: Split) -> list[range]:
        """Return all answers for each branch of a split."""
        return [range(len(self.problem.errors))] * len(split.branches)

    def parted(self, split: Split, allowed: range) -> Iterator[list[range]]:
        """Yield each way to say which answers the branches of a split may get.

        Those without a value, the last, may get what all may.
        """
        direction = self.options.monotone.get(split.test, 0)
        if direction == 0:
            yield [allowed] * len(split.branches)
            return
        for answer in allowed:
            first, last = range(allowed.start, answer + 1), range(answer, allowed.stop)
            yield [first, last, allowed] if direction > 0 else [last, first, allowed]

    def asking(
        self,
        cases: list[Case],
        split: Split,
        charge: float,
        state: State,
        depth: float,
        left: float,
        parted: list[range] | None = None,
    ) -> Plan:
        """Return the cheapest tree that asks a test and waits for its result.

        ``parted`` are the answers that each branch may get, None for all.
        """
        parted = self.all_parts(split) if parted is None else parted
        paid = dearest(self.problem, split.test, state)
        asked = 0.0 if self.options.has_budget else charged(self.problem, cases, split.test, state)
        cost = charge + asked
        plans = [
            self.best(
                branch,
                state_in(self.problem, split.test, state, is_last),
                depth - 1,
                left if is_last and not self.problem.charge_missing else left - paid,
                allowed,
            )
            if branch
            else None
            for (branch, is_last), allowed in zip(with_last(split.branches), parted, strict=True)
        ]
        cost += sum(plan.cost for plan in plans if plan is not None)
        return Plan(cost, cases, split, tuple(plans))

    def ordering(
        self,
        cases: list[Case],
        split: Split,
        charge: float,
        state: State,
        depth: float,
        left: float,
        parted: list[range],
    ) -> Iterator[Plan]:
        """Yield the cheapest trees that order all their tests at once, one for each set.

        A case that lacks nothing pays for the whole set, so the budget must reach for that.
        """
        for tests, plan in self.under(cases, split, charge, state.paid, depth, parted).items():
            if self.options.fits(order(self.problem, tests, state)[0], left):
                yield plan._replace(cost=plan.cost + self.price_of_order(cases, tests, state))

    def price_of_order(self, cases: list[Case], tests: Tests, state: State) -> float:
        """Return what an order costs the cases: each pays for the tests that have a result."""
        if self.options.has_budget:
            return 0.0
        total = 0.0
        for i, weight in cases:
            row, pays_all = self.problem.rows[i], self.problem.charge_missing
            wanted = [a for a in tests if pays_all or row[a] is not None]
            total += weight * order(self.problem, wanted, state)[0]
        return total

    def ordered(
        self, cases: list[Case], paid: Tests, depth: float, allowed: range
    ) -> dict[Tests, Plan]:
        """Return the cheapest tree within an order for each set of tests it adds to it.

        ``paid`` was paid for before.
        """
        key = frozenset(cases), paid, depth, allowed
        if key not in self.orders:
            plans = {Tests(): self.leaf(cases, allowed)}
            for split, charge in self.legal(cases, depth):
                for parted in self.parted(split, allowed):
                    under = self.under(cases, split, charge, paid, depth, parted)
                    for tests, plan in under.items():
                        keep(plans, tests, plan)
            self.orders[key] = plans
        return self.orders[key]

    def under(
        self,
        cases: list[Case],
        split: Split,
        charge: float,
        paid: Tests,
        depth: float,
        parted: list[range] | None = None,
    ) -> dict[Tests, Plan]:
        """Return the cheapest tree under a split, for each set of tests that it uses."""
        parted = self.all_parts(split) if parted is None else parted
        plans = {Tests({split.test} - paid): Plan(charge, cases, split)}
        for branch, allowed in zip(split.branches, parted, strict=True):
            if branch:
                plans = joined(plans, self.ordered(branch, paid, depth - 1, allowed))
            else:
                plans = {
                    tests: plan._replace(below=(*plan.below, None))
                    for tests, plan in plans.items()
                }
        return plans

    def legal(self, cases: list[Case], depth: float) -> Iterator[tuple[Split, float]]:
        """Yield each way to split, with its charge."""
        if depth <= 0:
            return
        for a in sorted(self.problem.usable):
            key = frozenset(cases), a
            if key not in self.splits:
                self.splits[key] = legal_splits(self.problem, cases, a, self.options)
            for split in self.splits[key]:
                yield split, self.options.split_charge(n_cuts(self.problem, self.splits[key]))

    def leaf(self, cases: list[Case], allowed: range | None = None) -> Plan:
        """Return the tree that asks nothing.

        An answer that is not the cheapest is not expected to cost less than that, so that a tree
        with fewer answers to choose from never does.
        """
        counts, errors, how = count(self.problem, cases), self.problem.errors, self.options
        first = self.problem.first_decision
        if self.problem.case_costs is not None:
            label = cheapest_for(self.problem, cases)
            own = leaf_cost_for(self.problem, cases, label, how.cf, how.form, how.penalty)
            return Plan(own, cases)
        label = cheapest(counts, errors, first, allowed)
        cost = leaf_cost(counts, label, errors, how.cf, how.form, how.penalty, first)
        if how.monotone:
            best = cheapest(counts, errors, first)
            least = leaf_cost(counts, best, errors, how.cf, how.form, how.penalty, first)
            cost = max(cost, least)
        return Plan(cost, cases)


def keep(plans: dict[Tests, Plan], tests: Tests, plan: Plan) -> None:
    """Note a plan for a set of tests unless a cheaper one is known."""
    if tests not in plans or plan.cost < plans[tests].cost:
        plans[tests] = plan


def joined(plans: dict[Tests, Plan], branch: dict[Tests, Plan]) -> dict[Tests, Plan]:
    """Return the plans with each tree for one more branch, the cheapest for each set of tests."""
    found: dict[Tests, Plan] = {}
    for tests, plan in plans.items():
        for more, child in branch.items():
            cost = plan.cost + child.cost
            keep(found, tests | more, plan._replace(cost=cost, below=(*plan.below, child)))
    return found


def best_plan(problem: Problem, options: Options) -> Plan:
    """Return the cheapest tree as a plan."""
    depth = math.inf if options.max_depth is None else options.max_depth
    left = math.inf if options.max_test_cost is None else options.max_test_cost
    return Search(problem, options).best(everything(problem), START, depth, left)


def as_tree(plan: Plan, problem: Problem) -> Node:
    """Return a plan as a node with all that is beneath it."""
    counts = count(problem, plan.cases)
    own = problem.case_costs is not None
    label = cheapest(counts, problem.errors, problem.first_decision) if not own else None
    node = leaf(counts, cheapest_for(problem, plan.cases) if label is None else label)
    if plan.split is None:
        return node
    children = [None if below is None else as_tree(below, problem) for below in plan.below]
    return node | asking(plan.split, children)

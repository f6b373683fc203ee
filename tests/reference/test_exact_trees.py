"""The cheapest tree of all, checked by hand and against a list of all trees."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frugaltree.kernels.cost.charges import ChargeBuffers, node_charges
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.sentinels import NONE
from reference import (
    basics,
    exact_trees,
    expected_cost,
    plain_trees,
    routing,
    sampled_trees,
    sampling_basics,
)
from reference.basics import Case, Node, Problem
from reference.exact_trees import Options, best_cost, best_tree, tree_cost
from reference.sampled_trees import PARITY
from support import bridge
from support.problems import problems

quick = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    database=None,
)
AWKWARD = {"missing": True, "whole_weights": True, "delays": True}
CFS = (0.001, 0.01, 0.1, 0.25, 0.4)

options_of = st.builds(
    Options,
    cf=st.sampled_from(CFS),
    form=st.sampled_from(("c45", "exact", "training")),
    penalty=st.sampled_from(("laplace", "multinomial")),
    max_depth=st.sampled_from((None, None, 3, 2, 1, 0)),
    min_cases=st.sampled_from((1, 1, 2, 3)),
    flat=st.sampled_from((0.0, 0.0, 1.0, 30.0)),
    per_log_cut=st.sampled_from((0.0, 0.0, 2.0, 50.0)),
)


def same(cost: float) -> object:
    return pytest.approx(cost, rel=1e-9, abs=1e-9)


def every_tree(
    problem: Problem, cases: list[Case], options: Options, depth: float
) -> Iterator[Node]:
    """Yield every tree there is for some cases, one after the other."""
    counts = basics.count(problem, cases)
    node = basics.leaf(counts, basics.cheapest(counts, problem.errors))
    yield node
    if depth <= 0:
        return
    for a in sorted(problem.usable):
        for split in exact_trees.legal_splits(problem, cases, a, options):
            below = [
                every_tree(problem, branch, options, depth - 1) if branch else [None]
                for branch in split.branches
            ]
            for children in product(*below):
                yield node | plain_trees.asking(split, list(children))


def best_of_all(problem: Problem, options: Options) -> float:
    depth = math.inf if options.max_depth is None else options.max_depth
    trees = every_tree(problem, basics.everything(problem), options, depth)
    return min(tree_cost(tree, problem, options) for tree in trees)


class TestEveryTree:
    @quick
    @given(problems(max_cases=5, max_tests=3, **AWKWARD), options_of)
    def test_none_is_cheaper(self, problem: Problem, options: Options) -> None:
        assert best_cost(problem, options) == same(best_of_all(problem, options))

    @quick
    @given(problems(max_cases=6, max_tests=2, **AWKWARD), options_of)
    def test_none_is_cheaper_with_more_cases(self, problem: Problem, options: Options) -> None:
        assert best_cost(problem, options) == same(best_of_all(problem, options))

    @pytest.mark.parametrize("seed", range(120))
    def test_none_is_cheaper_where_asking_pays(self, seed: int) -> None:
        problem, options = telling(seed)
        assert best_cost(problem, options) == same(best_of_all(problem, options))

    def test_asking_pays_where_it_should(self) -> None:
        trees = [(problem, best_tree(problem, how)) for problem, how in map(telling, range(120))]
        assert sum(basics.is_leaf(tree) for _, tree in trees) < 40
        orders = [tree for problem, tree in trees if tree["test"] in problem.delayed]
        assert sum(len(expected_cost.ordered_tests(tree)) > 1 for tree in orders) > 12


def telling(seed: int) -> tuple[Problem, Options]:
    """Return a problem of five heavy cases, with delays and unequal discounts."""
    rng = np.random.default_rng(seed)
    nominal = rng.random(3) < 0.6
    rows: list[basics.Row] = [
        [float(rng.integers(2 if nominal[a] else 3)) for a in range(3)] for _ in range(5)
    ]
    if rng.random() < 0.3:
        rows[int(rng.integers(5))][int(rng.integers(3))] = None
    n_classes = int(rng.integers(2, 4))
    full = [float(rng.integers(0, 12)) for _ in range(3)]
    problem = Problem(
        rows=rows,
        classes=[int(c) for c in rng.permutation(5) % n_classes],
        weights=[float(rng.choice([3, 10, 40])) for _ in range(5)],
        kinds=["nominal" if nominal[a] else "numeric" for a in range(3)],
        domains=[2 if nominal[a] else 0 for a in range(3)],
        n_classes=n_classes,
        full=full,
        groups=[
            {a: float(rng.uniform(0, full[a])) for a in range(3) if rng.random() < 0.7}
            for _ in range(int(rng.integers(3)))
        ],
        delayed={a for a in range(3) if rng.random() < 0.5},
        usable={0, 1, 2},
        errors=[
            [0.0 if p == a else float(rng.choice([80, 300, 300, 900])) for a in range(n_classes)]
            for p in range(n_classes)
        ],
    )
    problem.errors[0][1] *= rng.random() < 0.8
    form = ("c45", "exact", "training")[seed % 3]
    return problem, Options(cf=CFS[seed % 5], form=form, min_cases=1 + 3 * (seed % 2))


def dearest_bill(tree: Node, problem: Problem) -> float:
    """Return the most that any case is charged, whatever its values and those it lacks."""
    columns = [set(column) | {None} for column in zip(*problem.rows, strict=True)]
    return max(routing.bill(tree, list(row), problem) for row in product(*columns))


def best_within(problem: Problem, options: Options, budget: float) -> float:
    """Return the least cost of errors and splits of all trees that charge no case more."""
    trees = every_tree(problem, basics.everything(problem), options, math.inf)
    how = replace(options, max_test_cost=budget)
    fitting = (tree for tree in trees if dearest_bill(tree, problem) <= budget * (1 + 1e-9))
    return min(tree_cost(tree, problem, how) for tree in fitting)


BUDGETS = st.sampled_from((0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0, 2.0))


class TestBudget:
    """No path may cost more; what is within the budget costs nothing."""

    free = Options(form="training")

    @pytest.mark.parametrize(("most", "cost"), [(0, 500), (1, 500), (19, 500), (20, 0), (99, 0)])
    def test_by_hand(self, most: float, cost: float) -> None:
        """The parity takes both tests of 10; one of them, or the useless one for 1, is no help."""
        assert best_cost(PARITY, replace(self.free, max_test_cost=most)) == cost

    def test_a_discount_is_reached_in_one_order_only(self) -> None:
        """For 11, take 2 first, which makes 1 cheaper by 9; the other way round takes 19."""
        problem = replace(PARITY, groups=[{1: 9.0, 2: 1.0}])
        tree = best_tree(problem, replace(self.free, max_test_cost=11))
        assert (tree["test"], best_cost(problem, replace(self.free, max_test_cost=11))) == (2, 0)
        assert best_cost(problem, replace(self.free, max_test_cost=10)) == 500

    def test_an_order_is_paid_as_a_set(self) -> None:
        """One after the other 20 for both; ordered at once the larger share counts: 1 + 9 + 9."""
        problem = replace(PARITY, groups=[{1: 9.0, 2: 1.0}], delayed={1, 2})
        assert best_cost(problem, replace(self.free, max_test_cost=19)) == 0
        assert best_cost(problem, replace(self.free, max_test_cost=18)) == 500

    def test_who_lacks_a_value_has_more_left(self) -> None:
        """The case without the first result can pay for the second one, the others cannot."""
        rows: list[basics.Row] = [[0, 0], [1, 0], [None, 0], [None, 1]]
        problem = replace(
            PARITY,
            rows=rows,
            classes=[0, 1, 0, 1],
            weights=[1.0] * 4,
            kinds=["nominal"] * 2,
            domains=[2, 2],
            full=[10.0, 10.0],
            usable={0, 1},
        )
        how = replace(self.free, max_test_cost=10)
        assert best_cost(problem, how) == 0
        assert best_cost(replace(problem, charge_missing=True), how) == 250

    @quick
    @given(problems(max_cases=5, max_tests=3, **AWKWARD), options_of, BUDGETS)
    def test_none_is_cheaper(self, problem: Problem, options: Options, share: float) -> None:
        options, budget = replace(options, max_depth=None), share * sum(problem.full)
        ref = best_within(problem, options, budget)
        assert best_cost(problem, replace(options, max_test_cost=budget)) == same(ref)

    @pytest.mark.parametrize("seed", range(120))
    def test_none_is_cheaper_where_asking_pays(self, seed: int) -> None:
        problem, options = telling(seed)
        for share in (0.3, 0.6, 0.9):
            budget = share * sum(problem.full)
            ref = best_within(problem, options, budget)
            got = replace(options, max_test_cost=budget)
            assert best_cost(problem, got) == same(ref)
            assert dearest_bill(best_tree(problem, got), problem) <= budget * (1 + 1e-9)

    def test_budgets_bind(self) -> None:
        """Of the problems above, each budget changes the best tree of many."""
        found = []
        for problem, options in map(telling, range(120)):
            shares = [s * sum(problem.full) for s in (0.0, 0.3, 0.6, 0.9, 2.0)]
            found.append([best_cost(problem, replace(options, max_test_cost=s)) for s in shares])
        costs = np.array(found)
        assert (np.diff(costs) <= 1e-9 * costs[:, :-1]).all()
        assert ((np.diff(costs) < -1e-9 * costs[:, :-1]).sum(axis=0) >= 10).all()


class TestByHand:
    free = Options(form="training")

    def test_the_order_of_the_tests_follows_the_discounts(self) -> None:
        """Taken first, 2 opens a group that makes 1 cheaper by 9; the other way round, by 1."""
        problem = replace(PARITY, groups=[{1: 9.0, 2: 1.0}])
        assert best_cost(problem, self.free) == 10 + 1
        assert best_tree(problem, self.free)["test"] == 2

    def test_a_useless_test_may_open_a_group(self) -> None:
        problem = replace(PARITY, groups=[{0: 0.0, 1: 8.0, 2: 8.0}])
        assert best_cost(problem, self.free) == 1 + 2 + 2
        assert best_tree(problem, self.free)["test"] == 0

    def test_an_order_pays_the_largest_share(self) -> None:
        """Of their own the tests cost 1 and 9; what they share is 9, whichever stands first."""
        problem = replace(PARITY, groups=[{1: 9.0, 2: 1.0}], delayed={1, 2})
        assert best_cost(problem, self.free) == 1 + 9 + 9

    def test_a_larger_order_is_never_cheaper(self) -> None:
        """The useless test opens the group for the others only if it is taken before them."""
        problem = replace(PARITY, groups=[{0: 0.0, 1: 8.0, 2: 8.0}], delayed={0, 1, 2})
        assert best_cost(problem, self.free) == 2 + 2 + 8
        assert best_cost(replace(problem, delayed={1, 2}), self.free) == 1 + 2 + 2
        assert best_cost(replace(problem, delayed={0, 1}), self.free) == 2 + 2 + 8

    def test_what_is_delayed_is_paid_by_all(self) -> None:
        """One case in four needs the second test: 10 + 10 / 4, or 10 + 10 if the first is late."""
        rows: list[basics.Row] = [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 0], [2, 1], [2, 1]]
        problem = replace(
            PARITY,
            rows=rows,
            classes=[0, 1, 0, 0, 1, 1, 1, 1],
            kinds=["nominal"] * 2,
            domains=[3, 2],
            full=[10.0, 10.0],
            usable={0, 1},
        )
        assert best_cost(problem, self.free) == 12.5
        assert best_cost(replace(problem, delayed={1}), self.free) == 12.5
        assert best_cost(replace(problem, delayed={0}), self.free) == 20.0

    def test_many_cuts_cost_more(self) -> None:
        problem = replace(
            PARITY,
            rows=[[float(i)] for i in range(8)],
            classes=[0] * 5 + [1] * 3,
            kinds=["numeric"],
            domains=[0],
            full=[0.0],
            usable={0},
        )
        how = Options(form="training", flat=8.0, per_log_cut=16.0)
        assert best_cost(problem, how) == same(1 + 2 * math.log(7))
        assert best_tree(problem, how)["threshold"] == 4.5
        few = replace(how, min_cases=3)  # 3 to 5 cases on the left
        assert best_cost(problem, few) == same(1 + 2 * math.log(3))
        assert best_cost(problem, replace(how, min_cases=4)) == same(
            (8 + 1000) / 8
        )  # one cut, one error


class TestOrders:
    """The price of an order is that of a set."""

    problem = replace(
        PARITY,
        full=[7.0, 9.0, 12.0],
        groups=[{0: 1.0, 1: 5.0, 2: 11.0}, {0: 2.0, 2: 0.5}],
        delayed={0, 1, 2},
    )

    def chain(self, tests: tuple[int, ...]) -> Node:
        node = basics.leaf([1.0, 1.0], 0)
        for a in reversed(tests):
            node = {
                "counts": [sum(pair) for pair in zip(node["counts"], [1.0, 0.0], strict=True)],
                "label": 0,
                "test": a,
                "threshold": None,
                "children": [basics.leaf([1.0, 0.0], 0), node],
            }
        return node

    def test_whatever_the_shape_of_the_tree(self) -> None:
        price = 4 + 4 + 0.5 + 11 + 2  # their own, and the largest share of each group
        for tests in permutations(range(3)):
            assert expected_cost.estimate(self.chain(tests), self.problem)[0] == price
            assert routing.bill(self.chain(tests), [0.0] * 3, self.problem) == price

    @quick
    @given(problems(max_cases=1), st.data())
    def test_never_cheaper_than_one_by_one_or_than_a_part(
        self, problem: Problem, data: st.DataObject
    ) -> None:
        tests = range(len(problem.kinds))
        state = basics.START
        for a in data.draw(st.lists(st.sampled_from(tests), max_size=2)):
            state = basics.after(problem, a, state)
        taken = data.draw(st.lists(st.sampled_from(tests), unique=True))
        whole = basics.order(problem, taken, state)[0]
        part = basics.order(problem, taken[1:], state)[0]
        one_by_one = 0.0
        for a in taken:
            one_by_one += basics.price(problem, a, state)
            state = basics.after(problem, a, state)
        assert part <= whole + 1e-9
        assert one_by_one <= whole + 1e-9

    def test_the_package_charges_the_same(self) -> None:
        for tests in permutations(range(3)):
            nodes = Nodes.empty(7, 6, 2)
            nodes.test[:] = [tests[0], NONE, tests[1], NONE, tests[2], NONE, NONE]
            nodes.parent[:] = [NONE, 0, 0, 2, 2, 4, 4]
            nodes.counts[:] = 1.0
            out = ChargeBuffers.empty(7, 3, 2)
            node_charges(bridge.prices_of(self.problem), nodes, out)
            assert out.charges.tolist() == [21.5, 0, 0, 0, 0, 0, 0]
            assert out.bills.tolist() == [21.5] * 7
            assert out.usage.tolist() == [2.0] * 3


class TestProperties:
    @quick
    @given(problems(max_cases=12, max_tests=4, **AWKWARD), options_of)
    def test_the_tree_costs_what_is_said(self, problem: Problem, options: Options) -> None:
        tree = best_tree(problem, options)
        assert tree_cost(tree, problem, options) == same(best_cost(problem, options))

    @quick
    @given(problems(max_cases=12, max_tests=4, **AWKWARD), options_of, st.integers(0, 99))
    def test_no_learner_does_better(self, problem: Problem, options: Options, seed: int) -> None:
        options = replace(options, max_depth=None, min_cases=1)
        how = options.cf, options.form, options.penalty
        sampled = sampling_basics.Options(
            r=2, seed=seed, cf=options.cf, form=options.form, penalty=options.penalty
        )
        trees = [
            sampled_trees.act(problem, sampled),
            expected_cost.prune_costs(sampled_trees.eg2_plain(problem, sampled), problem, *how),
            expected_cost.prune_costs(plain_trees.id3(problem), problem, *how),
            plain_trees.dtmc(problem),
        ]
        best = best_cost(problem, options)
        for tree in trees:
            assert best <= tree_cost(tree, problem, options) * (1 + 1e-9) + 1e-9

    @quick
    @given(problems(max_cases=10, max_tests=4, **AWKWARD), options_of)
    def test_more_freedom_never_costs_more(self, problem: Problem, options: Options) -> None:
        options = replace(options, per_log_cut=0.0)
        deeper = [
            best_cost(problem, replace(options, max_depth=depth)) for depth in (0, 1, 2, 3, None)
        ]
        smaller = [best_cost(problem, replace(options, min_cases=n)) for n in (3, 2, 1)]
        for costs in (deeper, smaller):
            assert costs == sorted(costs, reverse=True) or np.ptp(costs) < 1e-9 * costs[0]

    @quick
    @given(problems(max_cases=10, max_tests=4, **AWKWARD), st.sampled_from((1, 2, 3)))
    def test_splits_are_those_of_the_samplers(self, problem: Problem, min_cases: int) -> None:
        task = sampling_basics.act_task(problem, sampling_basics.Options(min_cases=min_cases))
        place = sampling_basics.root(task)
        for a in range(len(problem.kinds)):
            ref = [cut.split for cut in sampling_basics.legal_cuts(task, place, a)]
            options = Options(min_cases=min_cases)
            assert exact_trees.legal_splits(problem, place.cases, a, options) == ref


def leaf_labels(tree: Node) -> list[int]:
    if basics.is_leaf(tree):
        return [tree["label"]]
    return [label for child in tree["children"] if child for label in leaf_labels(child)]


def labelled(tree: Node, labels: Iterator[int]) -> Node:
    """Return a tree whose leaves have these answers, from left to right."""
    if basics.is_leaf(tree):
        return tree | {"label": next(labels)}
    return tree | {"children": [child and labelled(child, labels) for child in tree["children"]]}


def follows(tree: Node, monotone: dict[int, int]) -> bool:
    """Tell whether no answer below a split comes later than one above it, or earlier."""
    if basics.is_leaf(tree):
        return True
    if tree["test"] in monotone:
        low, high = map(leaf_labels, tree["children"][:2])
        if monotone[tree["test"]] < 0:
            low, high = high, low
        if max(low) > min(high):
            return False
    return all(follows(child, monotone) for child in tree["children"] if child)


class TestMonotone:
    """Of all trees with any answers at all, those that follow."""

    @pytest.mark.parametrize("seed", range(40))
    def test_none_that_follows_is_cheaper(self, seed: int) -> None:
        problem, options = telling(seed)
        problem = replace(problem, kinds=["numeric", "nominal", "numeric"], domains=[0, 3, 0])
        if options.form != "training":
            n = problem.n_classes
            problem.errors = [[300.0 * (p != a) for a in range(n)] for p in range(n)]
        options = replace(options, max_depth=2, monotone={0: 1, 2: (-1) ** seed})
        costs = [
            tree_cost(one, problem, options)
            for tree in every_tree(problem, basics.everything(problem), options, 2)
            for labels in product(range(problem.n_classes), repeat=len(leaf_labels(tree)))
            if follows(one := labelled(tree, iter(labels)), dict(options.monotone))
        ]
        assert best_cost(problem, options) == same(min(costs))

    def test_by_hand(self) -> None:
        """One of two cases in the middle is wrong if answers may only rise, none if anyhow."""
        rows: list[basics.Row] = [[0.0], [1.0], [2.0]]
        problem = replace(
            PARITY,
            rows=rows,
            classes=[0, 1, 0],
            weights=[1.0, 1.0, 1.0],
            kinds=["numeric"],
            domains=[0],
            full=[0.0],
            usable={0},
            groups=[],
        )
        free = Options(form="training")
        assert best_cost(problem, free) == 0.0
        assert best_cost(problem, replace(free, monotone={0: 1})) == same(1000 / 3)

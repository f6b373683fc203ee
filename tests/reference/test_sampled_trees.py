"""The truth about sampling, checked by hand, by its invariants and against the plain twins."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from reference import basics, expected_cost, plain_trees, routing, sampled_trees, sampling_basics
from reference.basics import Node, Problem
from reference.sampled_trees import PARITY
from reference.sampling_basics import Options, Place, Task
from support.problems import problems

quick = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    database=None,
)


def table(rows: list[list[Any]], classes: list[int], **changes: Any) -> Problem:
    """Return a problem of free nominal tests of two values; errors cost 100."""
    n_tests, n_classes = len(rows[0]), max(classes) + 1
    defaults: dict[str, Any] = {
        "rows": rows,
        "classes": classes,
        "weights": [1.0] * len(rows),
        "kinds": ["nominal"] * n_tests,
        "domains": [2] * n_tests,
        "n_classes": n_classes,
        "full": [0.0] * n_tests,
        "groups": [],
        "delayed": set(),
        "usable": set(range(n_tests)),
        "errors": [[100.0 * (p != a) for a in range(n_classes)] for p in range(n_classes)],
    }
    return Problem(**defaults | changes)


def numbers(values: list[float | None], classes: list[int], **changes: Any) -> Problem:
    rows = [[value] for value in values]
    return table(rows, classes, **{"kinds": ["numeric"], "domains": [0]} | changes)


def at_root(problem: Problem, **options: Any) -> tuple[Task, Place]:
    task = sampling_basics.act_task(problem, Options(**options))
    return task, sampling_basics.root(task)


def depth(node: Node) -> int:
    below = [depth(child) for child in node["children"] if child is not None]
    return 1 + max(below) if below else 0


def nodes(tree: Node) -> list[Node]:
    below = [nodes(child) for child in tree["children"] if child is not None]
    return [tree, *(node for part in below for node in part)]


class TestChance:
    def test_is_splitmix(self) -> None:
        """From state 0 on, the published generator begins like this."""
        first = [
            sampling_basics.mix(i * sampling_basics.GOLDEN & sampling_basics.WORD, 0)
            for i in range(3)
        ]
        assert first == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]

    def test_draws_are_uniform(self) -> None:
        draws = [sampling_basics.uniform(sampling_basics.mix(17, j)) for j in range(4000)]
        assert all(0 <= u < 1 for u in draws)
        mean = sum(draws) / len(draws)
        assert mean == pytest.approx(1 / 2, abs=0.02)
        assert sum((u - mean) ** 2 for u in draws) / len(draws) == pytest.approx(1 / 12, abs=0.01)
        tenths = Counter(int(10 * u) for u in draws)
        assert all(330 < tenths[i] < 470 for i in range(10))

    def test_keys_do_not_meet(self) -> None:
        """Children, their children, and the samples of each: all draws differ."""
        keys = [0]
        for _ in range(4):
            keys += [sampling_basics.mix(key, b + 1) for key in keys for b in range(3)]
        keys = list(set(keys))
        assert len(keys) == 1 + 3 + 9 + 27 + 81
        assert len({sampling_basics.uniform(key) for key in keys}) == len(keys)

    @given(st.lists(st.sampled_from((0.0, 0.5, 1.0, 3.0)), min_size=1), st.floats(0, 1))
    def test_spin_hits_what_has_weight(self, weights: list[float], u: float) -> None:
        assume(u < 1)
        i = sampling_basics.spin(weights, u)
        assert weights[i] > 0 or not any(weights)

    def test_spin_is_in_proportion(self) -> None:
        hits = Counter(sampling_basics.spin([1, 0, 2, 5], i / 80) for i in range(80))
        assert hits == {0: 10, 2: 20, 3: 50}

    def test_spin_after_rounding(self) -> None:
        """Though u < 1, u times the total may round up to the total."""
        assert sampling_basics.spin([5e-324, 0.0], math.nextafter(1, 0)) == 0


class TestCandidates:
    def test_seg2_draws_in_proportion_to_icf(self) -> None:
        """Both tests tell all, at prices of 0 and 2: by ICF they stand at 3 to 1."""
        problem = table([[0, 0], [1, 1]], [0, 1], full=[0.0, 2.0])
        task, place = at_root(problem)
        found = sampling_basics.candidates(task, place)
        assert [a.worth for a in found] == pytest.approx([1, 1 / 3])
        places = [place._replace(key=sampling_basics.mix(5, j)) for j in range(1000)]
        splits = [sampled_trees.seg2_choose_attribute(task, at) for at in places]
        chosen = Counter(split.test for split in splits if split is not None)
        assert chosen[0] + chosen[1] == 1000
        assert chosen[0] == pytest.approx(750, abs=50)

    def test_useless_is_still_a_candidate(self) -> None:
        task, place = at_root(PARITY)
        assert [(a.test, a.worth) for a in sampling_basics.candidates(task, place)] == [
            (0, 0.0),
            (1, 0.0),
            (2, 0.0),
        ]

    def test_least_size_counts_known_cases(self) -> None:
        """Three cases know the value, 2 and 1; the missing one makes no second branch of two."""
        problem = table([[0], [0], [1], [None]], [0, 0, 1, 1])
        assert sampling_basics.candidates(*at_root(problem, min_cases=1))
        assert not sampling_basics.candidates(*at_root(problem, min_cases=2))

    def test_least_size_of_cuts(self) -> None:
        problem = numbers([1, 2, 3, 4, 5], [0, 1, 1, 1, 1])
        task, place = at_root(problem, min_cases=2)
        thresholds = [cut.split.threshold for cut in sampling_basics.legal_cuts(task, place, 0)]
        assert thresholds == [2.5, 3.5]
        assert sampling_basics.candidates(task, place)[0].split.threshold == 2.5

    def test_split_points_by_gain(self) -> None:
        problem = numbers([1, 2, 3, 4, 5], [0, 0, 1, 1, 1])
        for r, expected in [(1, [2.5]), (2, [2.5, 3.5]), (9, [2.5, 3.5, 1.5, 4.5])]:
            task, place = at_root(problem, r=r)
            splits = sampling_basics.split_points(task, place, 0)
            assert [split.threshold for split in splits] == expected

    def test_split_points_by_quantile(self) -> None:
        problem = numbers([1, 1, 1, 1, 2, 3, 4, 5], [0, 0, 1, 1, 1, 0, 1, 0])
        for r, expected in [(1, [1.5]), (3, [1.5, 3.5]), (7, [1.5, 2.5, 3.5, 4.5])]:
            task, place = at_root(problem, r=r, split_points="quantile")
            splits = sampling_basics.split_points(task, place, 0)
            assert [split.threshold for split in splits] == expected

    def test_quantiles_beyond_the_last_cut(self) -> None:
        """Six of eight cases share the largest value, and no cut has half of them below."""
        problem = numbers([1, 2, 3, 3, 3, 3, 3, 3], [0, 0, 1, 1, 1, 0, 1, 0])
        task, place = at_root(problem, r=1, split_points="quantile")
        assert [split.threshold for split in sampling_basics.split_points(task, place, 0)] == [2.5]

    def test_greedy_twin_is_id3(self) -> None:
        problem = table([[0, 1], [1, 1], [0, 0], [1, 1]], [0, 1, 0, 1])
        assert sampled_trees.lsid3(problem, Options(r=0, prune=False)) == plain_trees.id3(problem)


class TestAct:
    training = Options(r=1, form="training")

    @pytest.mark.parametrize("r", [1, 2, 5])
    def test_finds_the_parity(self, r: int) -> None:
        """EG2 asks the cheap test first, and pruning cannot take back a root that is needed."""
        greedy = sampled_trees.act(PARITY, replace(self.training, r=0))
        assert (greedy["test"], depth(greedy)) == (0, 3)
        assert sum(expected_cost.estimate(greedy, PARITY, form="training")) == 21
        tree = sampled_trees.act(PARITY, replace(self.training, r=r))
        assert (tree["test"], depth(tree)) == (1, 2)
        assert sum(expected_cost.estimate(tree, PARITY, form="training")) == 20

    def test_totals_weigh_the_branches(self) -> None:
        """Under the first test one half is pure; the other pays 8 for the second: 10 + 8 / 2."""
        rows = [[0, 0]] * 4 + [[1, 0]] * 2 + [[1, 1]] * 2
        problem = table(rows, [0, 0, 0, 0, 0, 0, 1, 1], full=[10.0, 8.0])
        totals = sampled_trees.act_totals(problem, self.training)
        assert totals == {0: (14.0, None), 1: (8.0, None)}

    def test_samples_are_pruned(self) -> None:
        """A test for 60 saves half an error of 100: the branch is better answered at once."""
        rows = [[0, 0], [0, 1], [1, 0], [1, 1]]
        problem = table(rows, [0, 1, 1, 1], full=[1.0, 60.0])
        pruned = sampled_trees.act_totals(problem, self.training)
        assert pruned[0] == (1 + 0.5 * 50 + 0.5 * 0, None)
        grown = sampled_trees.act_totals(problem, replace(self.training, prune_samples=False))
        assert grown[0] == (1 + 0.5 * 60 + 0.5 * 0, None)

    @pytest.mark.parametrize(("r", "wrong", "cut"), [(1, 2, 2.5), (2, 1, 0.5), (9, 1, 0.5)])
    def test_threshold_of_the_cheapest_cut(self, r: int, wrong: int, cut: float) -> None:
        """Most gain has the cut that leaves 1111 above; the other one leaves fewer false alarms.

        To miss a case of class 1 costs 1000, so that only a pure 0 is ever answered 0.
        """
        errors = [[0.0, 1000.0], [1.0, 0.0]]
        problem = numbers([0, 1, 2, 3, 4, 5, 6], [0, 1, 0, 1, 1, 1, 1], errors=errors)
        options = replace(self.training, r=r, max_depth=1, prune=False)
        total, threshold = sampled_trees.act_totals(problem, options)[0]
        assert total == pytest.approx(wrong / 7)
        assert threshold == cut
        assert sampled_trees.act(problem, options)["threshold"] == cut

    def test_delayed_tests_are_one_order(self) -> None:
        """Both branches of the first test ask the second: 10 + 20, whoever needs it."""
        rows = [[0, 0]] * 2 + [[1, 0], [1, 1]]
        problem = table(rows, [0, 0, 0, 1], full=[10.0, 20.0])
        assert sampled_trees.act_totals(problem, self.training)[0] == (10 + 20 / 2, None)
        for delayed in ({0}, {0, 1}):
            late = replace(problem, delayed=delayed)
            # in its own branch the second test is worth 20 (a leaf: 50); in the whole order it
            # would cost all four cases 20 and save two of them 50, so it stays
            assert sampled_trees.act_totals(late, self.training)[0] == (10 + 20, None)
        dear = replace(problem, delayed={0, 1}, full=[10.0, 40.0])
        # now it costs all four cases 40 and saves 25 each: out of the order
        assert sampled_trees.act_totals(dear, self.training)[0] == (10 + 25, None)
        kept = replace(self.training, prune_samples=False)
        assert sampled_trees.act_totals(dear, kept)[0] == (10 + 40, None)

    def test_sample_below_a_delayed_test(self) -> None:
        """The second test costs 40 and saves half the cases 50 each: as an order, it is cut."""
        rows = [[0, 0], [0, 0], [1, 0], [1, 1]]
        problem = table(rows, [2, 2, 0, 1], full=[10.0, 40.0])
        task, place = at_root(problem, w=0, form="training")

        def first_then_second(task: Task, at: Place) -> plain_trees.Split:
            return sampling_basics.legal_cuts(task, at, len(at.state.paid))[0].split

        for ordered, total, levels in [(False, 10 + 40 / 2, 2), (True, 10 + 25, 1)]:
            tree = sampled_trees.grow(task, place, first_then_second)
            at = place._replace(ordered=ordered)
            assert sampled_trees.total_cost(task, tree, at) == total
            assert depth(tree) == levels

    @pytest.mark.parametrize("r", [1, 2, 5])
    def test_all_samples_but_one_are_drawn(self, r: int, monkeypatch: pytest.MonkeyPatch) -> None:
        """Three tests of two branches; SEG2 is asked anew only where a sample has its root."""
        keys = []

        def draw(task: Task, place: Place) -> None:
            keys.append(place.key)

        monkeypatch.setattr(sampled_trees, "seg2_choose_attribute", draw)
        sampled_trees.act_totals(PARITY, replace(self.training, r=r))
        assert len(keys) == len(set(keys)) == 3 * 2 * (r - 1)

    def test_lookahead_depth(self) -> None:
        """Without a look ahead, a test of no use is as good as any, and the cheapest wins."""
        totals = sampled_trees.act_totals(PARITY, replace(self.training, lookahead_depth=0))
        assert totals == {0: (501.0, None), 1: (510.0, None), 2: (510.0, None)}

    def test_lookahead_reduction(self) -> None:
        """Below the cheap test nothing pays at once; below the others the last test does."""
        totals = sampled_trees.act_totals(PARITY, replace(self.training, lookahead_reduction=True))
        assert totals == {0: (501.0, None), 1: (20.0, None), 2: (20.0, None)}
        free = replace(PARITY, full=[0.0, 0.0, 0.0])  # to save nothing is not to pay
        totals = sampled_trees.act_totals(free, replace(self.training, lookahead_reduction=True))
        assert totals == {0: (500.0, None), 1: (0.0, None), 2: (0.0, None)}

    def test_set_aside(self) -> None:
        """The first branch is answered 0, but two of the six cases set aside there are not 0."""
        problem = table([[0]] * 8 + [[1]] * 4, [0] * 6 + [1] * 6)
        believed = replace(self.training, aside=frozenset(range(2, 8)))
        assert sampled_trees.act_totals(problem, believed)[0][0] == pytest.approx(
            2 / 6 * 100 * 2 / 6
        )
        too_few = replace(self.training, aside=frozenset(range(4, 8)))
        assert sampled_trees.act_totals(problem, too_few)[0][0] == 0
        tree = sampled_trees.act(problem, believed)
        assert tree["counts"] == [6, 6]
        assert [child and child["counts"] for child in tree["children"]] == [[6, 2], [0, 4], None]

    def test_set_aside_is_routed_like_the_others(self) -> None:
        """Where no other lacks a value, one without stays where it is; so does a new one."""
        rows: list[list[Any]] = [[0], [0], [1], [None], [2]]
        problem = table(rows, [0, 0, 1, 1, 1], domains=[3])
        tree = sampled_trees.act(problem, replace(self.training, aside=frozenset({3, 4})))
        assert tree["counts"] == [2, 3]
        below = [child and child["counts"] for child in tree["children"]]
        assert below == [[2, 0], [0, 1], None, None]

    @quick
    @given(problems(missing=True, whole_weights=True, delays=True), st.sampled_from((0, 0.5, 1)))
    def test_greedy_twin_is_eg2(self, problem: Problem, w: float) -> None:
        options = Options(r=0, w=w, cf=0.2)
        grown = sampled_trees.eg2_plain(problem, options)
        assert sampled_trees.act(problem, options) == expected_cost.prune_costs(
            grown, problem, cf=0.2
        )

    @quick
    @given(problems(missing=True, whole_weights=True))
    def test_free_greedy_twin_is_id3(self, problem: Problem) -> None:
        """With w = 0 ICF rises with the gain."""
        grown = sampled_trees.eg2_plain(problem, Options(w=0))
        assert grown == expected_cost.relabel(plain_trees.id3(problem), problem)

    @quick
    @given(problems(max_cases=10, max_tests=4, missing=True, delays=True), st.integers(0, 9))
    def test_root_has_the_lowest_total(self, problem: Problem, seed: int) -> None:
        options = Options(r=2, seed=seed, prune=False)
        totals = sampled_trees.act_totals(problem, options)
        tree = sampled_trees.act(problem, options)
        assume(not basics.is_leaf(tree))
        total, threshold = totals[tree["test"]]
        assert threshold == tree["threshold"]
        assert total <= min(total for total, _ in totals.values()) * (1 + 1e-6)

    @quick
    @given(problems(max_cases=10, max_tests=4, missing=True), st.integers(0, 9))
    def test_more_samples_cost_no_more(self, problem: Problem, seed: int) -> None:
        """The first samples are the same; with delays, the best parts may make a worse order."""
        few = sampled_trees.act_totals(problem, Options(r=2, seed=seed))
        many = sampled_trees.act_totals(problem, Options(r=4, seed=seed))
        for a, (total, _) in few.items():
            assert many[a][0] <= total * (1 + 1e-6)

    @quick
    @given(problems(max_cases=10, max_tests=4, missing=True, delays=True), st.integers(0, 3))
    def test_total_is_that_of_a_tree(self, problem: Problem, limit: int) -> None:
        """With one sample and nothing pruned, the root's total is the estimate of EG2 below it."""
        options = Options(r=1, prune_samples=False, max_depth=limit)
        task, place = at_root(problem, **vars(options))
        for a in (
            sampling_basics.candidates(task, place) if not sampled_trees.stops(task, place) else []
        ):
            if problem.kinds[a.test] == "numeric":
                continue
            first = a.split

            def choose(task: Task, at: Place, first: Any = first) -> Any:
                return first if at is place else sampled_trees.eg2_choose_attribute(task, at)

            tree = sampled_trees.finished(sampled_trees.grow(task, place, choose), task)
            expected = sum(expected_cost.estimate(tree, problem))
            assert sampled_trees.act_totals(problem, options)[a.test][0] == pytest.approx(expected)

    @quick
    @given(
        problems(max_cases=10, max_tests=4, missing=True, whole_weights=True, delays=True),
        st.integers(0, 3),
        st.sampled_from((1, 2, 3)),
    )
    def test_limits_hold(self, problem: Problem, limit: int, least: int) -> None:
        options = Options(r=2, max_depth=limit, min_cases=least, prune=False)
        for learn in (sampled_trees.act, sampled_trees.lsid3):
            tree = learn(problem, options)
            assert depth(tree) <= limit
            assert all(
                basics.is_leaf(node) or basics.size(node) >= 2 * least for node in nodes(tree)
            )

    @quick
    @given(problems(max_cases=12, max_tests=3, missing=True, delays=True), st.integers(1, 6))
    def test_set_aside_counts_in_the_end(self, problem: Problem, n_aside: int) -> None:
        assume(n_aside < len(problem.rows))
        options = Options(r=2, aside=frozenset(range(n_aside)))
        tree = sampled_trees.act(problem, options)
        assert tree["counts"] == basics.count(problem, basics.everything(problem))
        for node in nodes(tree):
            assert node["label"] == basics.cheapest(node["counts"], problem.errors)


class TestLsid3:
    def test_smallest_tree(self) -> None:
        """The numeric test alone needs five leaves, the nominal one three."""
        rows: list[list[Any]] = [[1, 0], [2, 1], [3, 2], [4, 1], [5, 0]]
        problem = table(rows, [0, 1, 0, 1, 0], kinds=["numeric", "nominal"], domains=[0, 3])
        totals = sampled_trees.lsid3_totals(problem, Options(r=3))
        assert totals[1][0] == 3
        assert sampled_trees.lsid3(problem, Options(r=3, prune=False))["test"] == 1

    def test_pruning_sends_missing_values_whole(self) -> None:
        """Each node counts whole cases, whatever was raised."""
        values: list[float | None] = [1, 2, None, None, 5, 6]
        problem = numbers(values, [0, 0, 0, 1, 1, 1])
        tree = sampled_trees.lsid3(problem, Options(r=1, form="training"))
        assert all(c == int(c) for node in nodes(tree) for c in node["counts"])

    @quick
    @given(problems(max_cases=10, max_tests=4, missing=True, whole_weights=True))
    def test_no_prices_no_errors(self, problem: Problem) -> None:
        """Only ties of ID3 look at prices, and r >= 1 never asks ID3."""
        other = replace(problem, full=[0.0] * len(problem.full), groups=[], delayed=set())
        other = replace(other, errors=[[7.0 * (e > 0) for e in row] for row in problem.errors])
        options = Options(r=2)
        assert sampled_trees.lsid3(problem, options) == sampled_trees.lsid3(other, options)

    @quick
    @given(problems(max_cases=10, max_tests=4, missing=True, whole_weights=True))
    def test_counts_stay_whole(self, problem: Problem) -> None:
        for node in nodes(sampled_trees.lsid3(problem, Options(r=1))):
            assert all(c == int(c) for c in node["counts"])
            below = [child["counts"] for child in node["children"] if child is not None]
            if below and all(row[node["test"]] is not None for row in problem.rows):
                assert node["counts"] == [sum(column) for column in zip(*below, strict=True)]


class TestBudget:
    def test_asks_what_it_can_afford(self) -> None:
        """For 11 the parity is out of reach; for 20 it is not, and its price is no objection."""
        options = Options(r=1, w=0, form="training")
        assert basics.is_leaf(sampled_trees.act(PARITY, replace(options, max_test_cost=11)))
        tree = sampled_trees.act(PARITY, replace(options, max_test_cost=20))
        assert (tree["test"], depth(tree)) == (1, 2)
        totals = sampled_trees.act_totals(PARITY, replace(options, max_test_cost=20))
        assert totals == {0: (500.0, None), 1: (0.0, None), 2: (0.0, None)}

    def test_delayed_test_fixes_what_is_asked_beneath(self) -> None:
        """After the delayed one, 15 are left: for the better of the two others, not for both."""
        rows = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 0, 0]]
        problem = table(rows, [0, 0, 1, 1, 1], full=[5.0, 10.0, 10.0], delayed={0})
        task, place = at_root(problem, w=0, max_test_cost=20)
        worth = {a.test: a.worth for a in sampling_basics.candidates(task, place)}
        assert worth[1] > worth[2]
        assert sampling_basics.affordable(task, place, 0) == {0, 1}
        assert sampling_basics.affordable(task, place._replace(left=25.0), 0) == {0, 1, 2}

    def test_beneath_a_delayed_test_nothing_more_is_spent(self) -> None:
        problem = replace(PARITY, delayed={0, 1})
        task, place = at_root(problem, w=0, max_test_cost=12)
        first = sampling_basics.legal_cuts(task, place, 0)[0].split
        below = sampling_basics.places_below(task, place, first)[0]
        assert below is not None
        assert (below.left, below.allowed, below.ordered) == (11.0, frozenset({0, 1}), True)
        second = sampling_basics.legal_cuts(task, below, 1)[0].split
        last = sampling_basics.places_below(task, below, second)[0]
        assert last is not None
        assert (last.left, last.allowed, last.ordered) == (11.0, frozenset({0, 1}), True)
        assert [a.test for a in sampling_basics.candidates(task, below)] == [1]

    def test_an_order_is_priced_as_a_whole(self) -> None:
        """Taken one after the other, the third test would bring the second down to 1."""
        rows = [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 0, 1]]
        problem = table(
            rows,
            [0, 1, 0, 1],
            full=[1.0, 10.0, 2.0],
            groups=[{1: 9.0, 2: 0.0}],
            delayed={0, 1, 2},
        )
        for limit, allowed in [(13.0, {0, 1, 2}), (12.0, {0, 1})]:
            task, place = at_root(problem, w=0, max_test_cost=limit)
            assert sampling_basics.affordable(task, place, 0) == allowed

    @quick
    @given(
        problems(max_cases=10, max_tests=4, missing=True, whole_weights=True, delays=True),
        st.sampled_from((0.0, 1.0, 5.0, 20.0, 60.0)),
        st.integers(0, 2),
        st.booleans(),
    )
    def test_is_kept(self, problem: Problem, limit: float, r: int, prune: bool) -> None:
        tree = sampled_trees.act(problem, Options(r=r, w=0, max_test_cost=limit, prune=prune))
        columns = [list(column) for column in zip(*problem.rows, strict=True)]
        turned = [column[a:] + column[:a] for a, column in enumerate(columns)]
        fresh = [list(row) for row in zip(*turned, strict=True)]
        for row in problem.rows + fresh:
            assert routing.bill(tree, row, problem) <= limit * (1 + 1e-9)

    @quick
    @given(problems(max_cases=10, max_tests=4, missing=True), st.integers(0, 2))
    def test_ample_budget_is_no_price(self, problem: Problem, r: int) -> None:
        """But for ties, which go to the lower price: all of them are equal here."""
        usable = {a for a in problem.usable if problem.kinds[a] == "nominal"}
        equal = replace(problem, usable=usable, full=[3.0] * len(problem.full), groups=[])
        free = replace(equal, full=[0.0] * len(problem.full))
        rich = sampled_trees.act(equal, Options(r=r, w=0, max_test_cost=1e9))
        assert rich == sampled_trees.act(free, Options(r=r, w=0))

"""The twins, checked by hand: prices, expected errors, answers, ID3, DTMC."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from reference import basics, c45_trees, expected_cost, plain_trees, routing
from reference.basics import Node, Problem
from support.problems import problems
from support.small_problems import ask, leaf, numeric, quick, table, total, uniform, xor


class TestExpectedError:
    @pytest.mark.parametrize(
        ("m", "s", "exact", "c45"),
        [
            (1, 0, 0.75, 0.75),
            (2, 0, 1, 1),
            (6, 0, 1.23780, 1.23780),
            (9, 0, 1.28480, 1.28480),
            (16, 1, 2.55377, 2.50689),
            (10, 2, 3.55444, 3.54774),
            (2, 1, 1.73205, 1.79624),
            (3, 2, 2.72568, 2.79952),
            (100, 5, 7.33268, 7.30163),
            (150, 50, 54.49899, 54.58048),
            (400, 200, 207.23795, 207.42023),
            (20, 20, 20, 20),
        ],
    )
    def test_vectors(self, m: float, s: float, exact: float, c45: float) -> None:
        assert c45_trees.expected_error(m, s, 0.25, "exact") == pytest.approx(exact, abs=6e-6)
        assert c45_trees.expected_error(m, s, 0.25, "c45") == pytest.approx(c45, abs=6e-6)
        assert c45_trees.expected_error(m, s, 0.25, "training") == s

    @pytest.mark.parametrize(("cf", "exact"), [(0.2, 7.79111), (0.3, 6.93517)])
    def test_confidence(self, cf: float, exact: float) -> None:
        assert c45_trees.expected_error(100, 5, cf, "exact") == pytest.approx(exact, abs=6e-6)

    @given(st.integers(1, 12), st.floats(0.05, 0.6), st.data())
    def test_exact_solves_the_binomial(self, m: int, cf: float, data: st.DataObject) -> None:
        s = data.draw(st.integers(0, m - 1))
        p = c45_trees.expected_error(m, s, cf, "exact") / m
        tail = sum(math.comb(m, k) * p**k * (1 - p) ** (m - k) for k in range(s + 1))
        assert tail == pytest.approx(cf, abs=1e-9)

    def test_fraction_of_an_error_lies_between(self) -> None:
        none, one = c45_trees.expected_error(10, 0), c45_trees.expected_error(10, 1)
        assert c45_trees.expected_error(10, 0.5) == pytest.approx((none + one) / 2)

    def test_no_cases_no_errors(self) -> None:
        assert c45_trees.expected_error(0, 0) == 0
        assert c45_trees.expected_error(0, 0, form="exact") == 0


class TestPrices:
    full = (9.2464, 24.2124, 61.1264)

    def test_shared_discount(self) -> None:
        group = dict.fromkeys(range(3), 0.8 * min(self.full))
        problem = table([[0, 0, 0]], [0], full=list(self.full), groups=[group])
        opened = basics.State(opened=frozenset({0}))
        marginal = [basics.price(problem, a, opened) for a in range(3)]
        assert marginal == pytest.approx([1.84928, 16.81528, 53.72928])
        assert [basics.price(problem, a, basics.START) for a in range(3)] == list(self.full)

    def test_paid_is_free_and_never_below_zero(self) -> None:
        groups = [{0: 1.0, 1: 3.0}, {0: 2.0, 1: 4.0}]
        problem = table([[0, 0]], [0], full=[5.0, 5.0], groups=groups)
        state = basics.after(problem, 0, basics.START)
        assert state == basics.State(frozenset({0}), frozenset({0, 1}))
        assert basics.price(problem, 0, state) == 0
        assert basics.price(problem, 1, state) == 0  # 5 - 3 - 4
        assert basics.chooser_price(problem, 1, state, "static") == 5
        assert basics.chooser_price(problem, 0, state, "static") == 0

    def test_each_group_opens_once(self) -> None:
        problem = table(
            [[0, 0, 0]], [0], full=[10.0, 10.0, 10.0], groups=[{0: 2.0, 1: 2.0}, {1: 3.0, 2: 3.0}]
        )
        assert basics.order(problem, [0, 1, 2], basics.START)[0] == 10 + 8 + 7
        assert basics.order(problem, [0, 2, 1], basics.START)[0] == 10 + 10 + 5

    def turney(self, **changes: Any) -> tuple[Node, Problem]:
        """Return Turney's example: alpha, then delayed delta and epsilon, which share 2.00."""
        problem = table(
            [[0, 0, 0]],
            [1],
            full=[5.0, 7.0, 10.0],
            groups=[{1: 2.0, 2: 2.0}],
            errors=uniform(2, 50.0),
            **{"delayed": {1, 2}} | changes,
        )
        epsilon = ask(2, leaf(1, 0), leaf(0, 1))
        return ask(0, leaf(1, 0), ask(1, leaf(3, 0), epsilon)), problem

    def test_turney(self) -> None:
        tree, problem = self.turney()
        row: list[float | None] = [1.0, 1.0, 0.0]
        bill = routing.bill(tree, row, problem)
        assert bill == 5 + (7 + 8) + 0
        assert bill + problem.errors[routing.predict_label(tree, row)][1] == 70

    def test_a_delayed_test_orders_what_it_does_not_meet(self) -> None:
        tree, problem = self.turney()
        assert routing.bill(tree, [1.0, 0.0, 0.0], problem) == 20
        assert routing.bill(tree, [0.0, 0.0, 0.0], problem) == 5
        immediate = self.turney(delayed=set())[1]
        assert routing.bill(tree, [1.0, 0.0, 0.0], immediate) == 12

    def test_all_delayed_costs_every_case_the_same(self) -> None:
        tree, problem = self.turney(delayed={0, 1, 2})
        rows = product((0.0, 1.0), repeat=3)
        assert {routing.bill(tree, list(row), problem) for row in rows} == {20}
        assert expected_cost.estimate(tree, problem)[0] == 20

    def test_estimate_of_a_delayed_subtree(self) -> None:
        tree, problem = self.turney()
        assert expected_cost.estimate(tree, problem)[0] == pytest.approx(5 + 5 / 6 * 15)


class TestPaperFigures:
    """Figures 7 and 9: two trees over 400 cases, four leaves and two tests on every path."""

    first = ask(0, ask(1, leaf(95, 5), leaf(5, 95)), ask(1, leaf(95, 5), leaf(5, 95)))
    second = ask(2, ask(3, leaf(50, 0), leaf(50, 100)), ask(3, leaf(50, 0), leaf(50, 100)))

    def problem(self, **changes: Any) -> Problem:
        defaults = {"full": [10.0] * 4, "errors": uniform(2, 100.0)}
        return table([[0, 0, 0, 0]], [1], **defaults | changes)

    def test_uniform_errors(self) -> None:
        assert total(self.first, self.problem()) == pytest.approx(27.30, abs=0.005)
        assert total(self.second, self.problem()) == pytest.approx(47.97, abs=0.01)

    def test_dear_test(self) -> None:
        problem = self.problem(full=[40.0, 10.0, 10.0, 10.0])
        assert total(self.first, problem) == pytest.approx(57.3, abs=0.005)
        assert total(self.second, problem) == pytest.approx(48.0, abs=0.05)

    def test_nonuniform_errors(self) -> None:
        problem = self.problem(full=[0.0] * 4, errors=[[0.0, 199.0], [1.0, 0.0]])
        assert total(self.first, problem) == pytest.approx(7.30, abs=0.005)
        assert total(self.second, problem) == pytest.approx(1.63, abs=0.005)

    def test_multinomial_penalty(self) -> None:
        errors = [[0.0, 10.0, 100.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
        cost = expected_cost.leaf_cost([10, 3, 0], 0, errors, penalty="multinomial")
        by_hand = c45_trees.expected_error(13, 3) * 10 + c45_trees.expected_error(13, 0) * 100
        assert cost == pytest.approx(by_hand)
        assert expected_cost.leaf_penalty([10, 3, 0], 0, errors) == pytest.approx(
            0.8 * 10 + 0.2 * 100
        )


class TestLabels:
    def test_ties(self) -> None:
        assert basics.majority([2, 2, 1]) == 0
        assert basics.cheapest([2, 2], uniform(2, 5.0)) == 0
        assert basics.cheapest([1, 2], [[0, 2], [4, 0]]) == 1  # 4 either way; class 1 is larger
        assert basics.cheapest([1, 1], [[0, 2], [1, 0]]) == 1

    def test_free_errors_leave_the_majority(self) -> None:
        assert basics.cheapest([1, 3, 2], uniform(3, 0.0)) == 1


class TestID3:
    def test_solves_xor(self) -> None:
        tree = plain_trees.id3(xor())
        assert tree["test"] == 0
        assert [child and child["test"] for child in tree["children"]] == [1, 1, None]
        assert c45_trees.training_errors(tree) == 0

    def test_no_gain_takes_the_cheapest(self) -> None:
        assert plain_trees.id3(xor(full=[3.0, 2.0]))["test"] == 1
        assert plain_trees.id3(xor(full=[2.0, 2.0]))["test"] == 0

    def test_gain_before_price(self) -> None:
        problem = table([[0, 0], [0, 0], [1, 1], [0, 1]], [0, 0, 1, 1], full=[0.0, 9.0])
        assert plain_trees.id3(problem)["test"] == 1

    def test_equal_gain_takes_the_lower_price_in_context(self) -> None:
        rows = [[a, b, b] for a, b in product((0, 1), repeat=2)]
        classes = [0, 1, 2, 3]
        problem = table(
            rows, classes, full=[1.0, 5.0, 6.0], groups=[{0: 3.0, 2: 3.0}], errors=uniform(4, 1.0)
        )
        assert plain_trees.id3(problem)["children"][0]["test"] == 2  # 6 - 3 < 5
        assert plain_trees.id3(problem, prices="static")["children"][0]["test"] == 1

    def test_thresholds_are_midpoints_and_the_smaller_wins(self) -> None:
        assert plain_trees.id3(numeric([1, 2, 4], [0, 0, 1]))["threshold"] == 3
        assert plain_trees.id3(numeric([1, 2, 3, 4], [0, 1, 1, 0]))["threshold"] == 1.5
        flat = numeric([1, 1, 2, 2], [0, 1, 0, 1])
        assert plain_trees.id3(flat)["threshold"] == 1.5

    def test_missing_is_an_answer_of_its_own(self) -> None:
        problem = table([[0], [1], [1], [None]], [0, 1, 1, 0], full=[4.0])
        tree = plain_trees.id3(problem)
        assert [child["counts"] for child in tree["children"]] == [[1, 0], [0, 2], [1, 0]]
        assert routing.predict_label(tree, [None]) == 0
        assert [routing.bill(tree, row, problem) for row in ([0], [None])] == [4, 0]
        assert routing.bill(tree, [None], replace(problem, charge_missing=True)) == 4

    def test_where_none_was_missing_the_node_answers(self) -> None:
        problem = table([[0], [1], [1]], [0, 1, 1], full=[4.0])
        tree = routing.add_ways(plain_trees.id3(problem), problem)
        assert routing.terminal(tree, [None]) is tree
        assert routing.predict_label(tree, [None]) == 1
        assert routing.bill(tree, [None], problem) == 0

    def test_a_way_on_is_taken_where_it_costs_less(self) -> None:
        """Without the first value the second still tells: 2 errors of 10, and none if it is 1."""
        rows: list[list[Any]] = [[0, 0]] * 2 + [[0, 1]] * 3 + [[1, 0]] * 2 + [[1, 1]]
        classes = [0, 0, 1, 1, 1, 1, 1, 1]
        problem = table(rows, classes, full=[1.0, 1.0], errors=uniform(2, 10.0))
        tree = ask(0, ask(1, leaf(2, 0), leaf(0, 3)), leaf(0, 3))
        routing.add_ways(tree, problem)
        assert tree["way"] is None  # two errors either way, and the second test is not free
        cheap = replace(problem, classes=[0, 0, 1, 1, 1, 0, 1, 1])
        tree = ask(0, ask(1, leaf(2, 0), leaf(0, 3)), leaf(1, 2))
        routing.add_ways(tree, cheap)
        assert tree["way"] is tree["children"][0]
        assert [routing.predict_label(tree, [None, b]) for b in (0, 1, None)] == [0, 1, 1]
        assert [routing.bill(tree, [None, b], cheap) for b in (0, 1, None)] == [1, 1, 0]

    def test_empty_branch_answers_with_its_parent(self) -> None:
        problem = table([[0], [2], [2]], [0, 1, 1], domains=[3], full=[4.0])
        tree = plain_trees.id3(problem)
        assert tree["children"][1] is None
        assert routing.terminal(tree, [1.0]) is tree
        assert routing.shares(tree, [1.0]) == pytest.approx([1 / 3, 2 / 3])
        assert routing.bill(tree, [1.0], problem) == 4

    def test_never_asks_what_it_may_not(self) -> None:
        assert plain_trees.id3(table([[0, 0], [1, 1]], [0, 1], usable={1}))["test"] == 1
        assert basics.is_leaf(plain_trees.id3(table([[0, 0], [1, 1]], [0, 1], usable=set())))

    @quick
    @given(problems(whole_weights=True))
    def test_fits_what_can_be_fitted(self, problem: Problem) -> None:
        assume(len(problem.usable) == len(problem.kinds))
        answers: dict[tuple[float | None, ...], set[int]] = {}
        for row, c in zip(problem.rows, problem.classes, strict=True):
            answers.setdefault(tuple(row), set()).add(c)
        contradictions = any(len(classes) > 1 for classes in answers.values())
        assert (c45_trees.training_errors(plain_trees.id3(problem)) > 0) == contradictions

    @quick
    @given(problems(whole_weights=True))
    def test_whole_weights_are_copies(self, problem: Problem) -> None:
        copies = [i for i, weight in enumerate(problem.weights) for _ in range(int(weight))]
        unrolled = Problem(**vars(problem))
        unrolled.rows = [problem.rows[i] for i in copies]
        unrolled.classes = [problem.classes[i] for i in copies]
        unrolled.weights = [1.0] * len(copies)
        assert plain_trees.id3(unrolled) == plain_trees.id3(problem)
        assert plain_trees.dtmc(unrolled) == plain_trees.dtmc(problem)


class TestDTMC:
    def test_stops_on_xor(self) -> None:
        problem = xor(full=[1.0, 1.0], errors=uniform(2, 1e6))
        assert basics.is_leaf(plain_trees.dtmc(problem))
        assert basics.is_leaf(plain_trees.dtmc(problem, "expected"))

    def test_asks_only_if_it_pays(self) -> None:
        rows, classes = [[0], [0], [1], [1]], [0, 0, 1, 1]  # 2 errors of 10 against 4 prices
        assert (
            plain_trees.dtmc(table(rows, classes, full=[4.9], errors=uniform(2, 10.0)))["test"]
            == 0
        )
        assert basics.is_leaf(
            plain_trees.dtmc(table(rows, classes, full=[5.0], errors=uniform(2, 10.0)))
        )

    def test_free_but_useless_is_not_asked(self) -> None:
        assert basics.is_leaf(plain_trees.dtmc(xor()))

    def test_equal_savings_take_the_larger_gain(self) -> None:
        # Either test leaves two errors of eight: as 3:1 and 1:3, or as 2:0 and 2:4.
        rows = [[0, 0], [0, 0], [0, 1], [1, 1], [0, 1], [1, 1], [1, 1], [1, 1]]
        problem = table(rows, [0, 0, 0, 0, 1, 1, 1, 1])
        cases = basics.everything(problem)
        splits = [plain_trees.plain_splits(problem, cases, a)[0] for a in (0, 1)]
        savings = [plain_trees.saving_of(problem, cases, split, 0.0, "min") for split in splits]
        assert [saving.reduction for saving in savings] == [2, 2]
        assert [saving.gain for saving in savings] == pytest.approx([0.18872, 0.31128], abs=1e-5)
        assert plain_trees.dtmc(problem)["test"] == 1

    def test_label_is_the_cheapest(self) -> None:
        problem = table([[0], [0], [0]], [0, 0, 1], errors=[[0.0, 9.0], [1.0, 0.0]])
        assert plain_trees.dtmc(problem)["label"] == 1
        assert plain_trees.id3(problem)["label"] == 0

    @pytest.mark.parametrize(("charged", "paying"), [(False, 4), (True, 5)])
    def test_pays_for_the_missing_only_if_they_are_charged(
        self, charged: bool, paying: int
    ) -> None:
        """Two errors of 10 are saved; the fifth case has no value."""
        rows: list[list[Any]] = [[0], [0], [1], [1], [None]]
        problem = table(rows, [0, 0, 1, 1, 0], errors=uniform(2, 10.0), charge_missing=charged)
        for price, asks in ((20 / paying - 0.1, True), (20 / paying, False)):
            tree = plain_trees.dtmc(replace(problem, full=[price]))
            assert basics.is_leaf(tree) is not asks

    @quick
    @given(problems(), st.sampled_from(["min", "expected"]), st.sampled_from([2.0, 4.0, 0.5]))
    def test_scale_of_errors_does_not_matter_when_tests_are_free(
        self, problem: Problem, criterion: str, scale: float
    ) -> None:
        problem.full = [0.0] * len(problem.full)
        problem.groups = []
        tree = plain_trees.dtmc(problem, criterion)
        problem.errors = [[scale * cost for cost in row] for row in problem.errors]
        assert plain_trees.dtmc(problem, criterion) == tree

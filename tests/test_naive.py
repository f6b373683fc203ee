"""The truth checked against numbers worked out by hand and against its own invariants."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import naive
from naive import Node, Problem
from problems import problems

quick = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)


def table(rows: list[list[Any]], classes: list[int], **changes: Any) -> Problem:
    """Return a problem of free two-valued nominal tests and unit errors, with ``changes``."""
    n_tests = len(rows[0])
    n_classes = max(classes) + 1
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
        "errors": uniform(n_classes, 1.0),
    }
    return Problem(**defaults | changes)


def uniform(n_classes: int, cost: float) -> list[list[float]]:
    return [[0.0 if p == a else cost for a in range(n_classes)] for p in range(n_classes)]


def xor(copies: int = 1, **changes: Any) -> Problem:
    rows = [list(pair) for pair in product((0, 1), repeat=2)] * copies
    return table(rows, [a ^ b for a, b in rows], **changes)


def numeric(values: list[float], classes: list[int], **changes: Any) -> Problem:
    rows = [[value] for value in values]
    return table(rows, classes, **{"kinds": ["numeric"], "domains": [0]} | changes)


def leaf(*counts: float, label: int | None = None) -> Node:
    return naive.leaf(list(counts), naive.majority(list(counts)) if label is None else label)


def ask(test: int, *children: Node | None, threshold: float | None = None) -> Node:
    """Return an inner node with the counts of its children."""
    kept = [child["counts"] for child in children if child is not None]
    counts = [sum(column) for column in zip(*kept, strict=True)]
    asked = {"test": test, "threshold": threshold, "children": list(children)}
    return leaf(*counts) | asked


def nodes(tree: Node) -> list[Node]:
    """Return all nodes in preorder."""
    below = [nodes(child) for child in tree["children"] if child is not None]
    return [tree, *(node for part in below for node in part)]


def total(tree: Node, problem: Problem, **how: Any) -> float:
    return sum(naive.estimate(tree, problem, **how))


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
        assert naive.expected_error(m, s, 0.25, "exact") == pytest.approx(exact, abs=6e-6)
        assert naive.expected_error(m, s, 0.25, "c45") == pytest.approx(c45, abs=6e-6)
        assert naive.expected_error(m, s, 0.25, "training") == s

    @pytest.mark.parametrize(("cf", "exact"), [(0.2, 7.79111), (0.3, 6.93517)])
    def test_confidence(self, cf: float, exact: float) -> None:
        assert naive.expected_error(100, 5, cf, "exact") == pytest.approx(exact, abs=6e-6)

    @given(st.integers(1, 12), st.floats(0.05, 0.6), st.data())
    def test_exact_solves_the_binomial(self, m: int, cf: float, data: st.DataObject) -> None:
        s = data.draw(st.integers(0, m - 1))
        p = naive.expected_error(m, s, cf, "exact") / m
        tail = sum(math.comb(m, k) * p**k * (1 - p) ** (m - k) for k in range(s + 1))
        assert tail == pytest.approx(cf, abs=1e-9)

    def test_fraction_of_an_error_lies_between(self) -> None:
        none, one = naive.expected_error(10, 0), naive.expected_error(10, 1)
        assert naive.expected_error(10, 0.5) == pytest.approx((none + one) / 2)

    def test_no_cases_no_errors(self) -> None:
        assert naive.expected_error(0, 0) == 0
        assert naive.expected_error(0, 0, form="exact") == 0


class TestPrices:
    full = (9.2464, 24.2124, 61.1264)

    def test_shared_discount(self) -> None:
        group = dict.fromkeys(range(3), 0.8 * min(self.full))
        problem = table([[0, 0, 0]], [0], full=list(self.full), groups=[group])
        opened = naive.State(opened=frozenset({0}))
        marginal = [naive.price(problem, a, opened) for a in range(3)]
        assert marginal == pytest.approx([1.84928, 16.81528, 53.72928])
        assert [naive.price(problem, a, naive.START) for a in range(3)] == list(self.full)

    def test_paid_is_free_and_never_below_zero(self) -> None:
        groups = [{0: 1.0, 1: 3.0}, {0: 2.0, 1: 4.0}]
        problem = table([[0, 0]], [0], full=[5.0, 5.0], groups=groups)
        state = naive.after(problem, 0, naive.START)
        assert state == naive.State(frozenset({0}), frozenset({0, 1}))
        assert naive.price(problem, 0, state) == 0
        assert naive.price(problem, 1, state) == 0  # 5 - 3 - 4
        assert naive.chooser_price(problem, 1, state, "static") == 5
        assert naive.chooser_price(problem, 0, state, "static") == 0

    def test_each_group_opens_once(self) -> None:
        problem = table(
            [[0, 0, 0]], [0], full=[10.0, 10.0, 10.0], groups=[{0: 2.0, 1: 2.0}, {1: 3.0, 2: 3.0}]
        )
        assert naive.order(problem, [0, 1, 2], naive.START)[0] == 10 + 8 + 7
        assert naive.order(problem, [0, 2, 1], naive.START)[0] == 10 + 10 + 5

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
        bill = naive.bill(tree, row, problem)
        assert bill == 5 + (7 + 8) + 0
        assert bill + problem.errors[naive.predict_label(tree, row)][1] == 70

    def test_a_delayed_test_orders_what_it_does_not_meet(self) -> None:
        tree, problem = self.turney()
        assert naive.bill(tree, [1.0, 0.0, 0.0], problem) == 20
        assert naive.bill(tree, [0.0, 0.0, 0.0], problem) == 5
        immediate = self.turney(delayed=set())[1]
        assert naive.bill(tree, [1.0, 0.0, 0.0], immediate) == 12

    def test_all_delayed_costs_every_case_the_same(self) -> None:
        tree, problem = self.turney(delayed={0, 1, 2})
        rows = product((0.0, 1.0), repeat=3)
        assert {naive.bill(tree, list(row), problem) for row in rows} == {20}
        assert naive.estimate(tree, problem)[0] == 20

    def test_estimate_of_a_delayed_subtree(self) -> None:
        tree, problem = self.turney()
        assert naive.estimate(tree, problem)[0] == pytest.approx(5 + 5 / 6 * 15)


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
        cost = naive.leaf_cost([10, 3, 0], 0, errors, penalty="multinomial")
        by_hand = naive.expected_error(13, 3) * 10 + naive.expected_error(13, 0) * 100
        assert cost == pytest.approx(by_hand)
        assert naive.leaf_penalty([10, 3, 0], 0, errors) == pytest.approx(0.8 * 10 + 0.2 * 100)


class TestLabels:
    def test_ties(self) -> None:
        assert naive.majority([2, 2, 1]) == 0
        assert naive.cheapest([2, 2], uniform(2, 5.0)) == 0
        assert naive.cheapest([1, 2], [[0, 2], [4, 0]]) == 1  # 4 either way; class 1 is larger
        assert naive.cheapest([1, 1], [[0, 2], [1, 0]]) == 1

    def test_free_errors_leave_the_majority(self) -> None:
        assert naive.cheapest([1, 3, 2], uniform(3, 0.0)) == 1


class TestID3:
    def test_solves_xor(self) -> None:
        tree = naive.id3(xor())
        assert tree["test"] == 0
        assert [child["test"] for child in tree["children"]] == [1, 1]
        assert naive.training_errors(tree) == 0

    def test_no_gain_takes_the_cheapest(self) -> None:
        assert naive.id3(xor(full=[3.0, 2.0]))["test"] == 1
        assert naive.id3(xor(full=[2.0, 2.0]))["test"] == 0

    def test_gain_before_price(self) -> None:
        problem = table([[0, 0], [0, 0], [1, 1], [0, 1]], [0, 0, 1, 1], full=[0.0, 9.0])
        assert naive.id3(problem)["test"] == 1

    def test_equal_gain_takes_the_lower_price_in_context(self) -> None:
        rows = [[a, b, b] for a, b in product((0, 1), repeat=2)]
        classes = [0, 1, 2, 3]
        problem = table(
            rows, classes, full=[1.0, 5.0, 6.0], groups=[{0: 3.0, 2: 3.0}], errors=uniform(4, 1.0)
        )
        assert naive.id3(problem)["children"][0]["test"] == 2  # 6 - 3 < 5
        assert naive.id3(problem, prices="static")["children"][0]["test"] == 1

    def test_thresholds_are_midpoints_and_the_smaller_wins(self) -> None:
        assert naive.id3(numeric([1, 2, 4], [0, 0, 1]))["threshold"] == 3
        assert naive.id3(numeric([1, 2, 3, 4], [0, 1, 1, 0]))["threshold"] == 1.5
        flat = numeric([1, 1, 2, 2], [0, 1, 0, 1])
        assert naive.id3(flat)["threshold"] == 1.5

    def test_missing_goes_with_the_heaviest(self) -> None:
        problem = table([[0], [1], [1], [None]], [0, 1, 1, 0])
        tree = naive.id3(problem)
        assert [child["counts"] for child in tree["children"]] == [[1, 0], [1, 2]]
        assert naive.predict_label(tree, [None]) == 1

    def test_missing_on_a_tie_goes_first(self) -> None:
        tree = naive.id3(table([[0], [1], [None]], [0, 1, 0]))
        assert [child["counts"] for child in tree["children"]] == [[2, 0], [0, 1]]

    def test_empty_branch_answers_with_its_parent(self) -> None:
        problem = table([[0], [2], [2]], [0, 1, 1], domains=[3], full=[4.0])
        tree = naive.id3(problem)
        assert tree["children"][1] is None
        assert naive.terminal(tree, [1.0]) is tree
        assert naive.shares(tree, [1.0]) == pytest.approx([1 / 3, 2 / 3])
        assert naive.bill(tree, [1.0], problem) == 4

    def test_never_asks_what_it_may_not(self) -> None:
        assert naive.id3(table([[0, 0], [1, 1]], [0, 1], usable={1}))["test"] == 1
        assert naive.is_leaf(naive.id3(table([[0, 0], [1, 1]], [0, 1], usable=set())))

    @quick
    @given(problems(whole_weights=True))
    def test_fits_what_can_be_fitted(self, problem: Problem) -> None:
        assume(len(problem.usable) == len(problem.kinds))
        answers: dict[tuple[float | None, ...], set[int]] = {}
        for row, c in zip(problem.rows, problem.classes, strict=True):
            answers.setdefault(tuple(row), set()).add(c)
        contradictions = any(len(classes) > 1 for classes in answers.values())
        assert (naive.training_errors(naive.id3(problem)) > 0) == contradictions

    @quick
    @given(problems(whole_weights=True))
    def test_whole_weights_are_copies(self, problem: Problem) -> None:
        copies = [i for i, weight in enumerate(problem.weights) for _ in range(int(weight))]
        unrolled = Problem(**vars(problem))
        unrolled.rows = [problem.rows[i] for i in copies]
        unrolled.classes = [problem.classes[i] for i in copies]
        unrolled.weights = [1.0] * len(copies)
        assert naive.id3(unrolled) == naive.id3(problem)
        assert naive.dtmc(unrolled) == naive.dtmc(problem)


class TestDTMC:
    def test_stops_on_xor(self) -> None:
        problem = xor(full=[1.0, 1.0], errors=uniform(2, 1e6))
        assert naive.is_leaf(naive.dtmc(problem))
        assert naive.is_leaf(naive.dtmc(problem, "expected"))

    def test_asks_only_if_it_pays(self) -> None:
        rows, classes = [[0], [0], [1], [1]], [0, 0, 1, 1]  # 2 errors of 10 against 4 prices
        assert naive.dtmc(table(rows, classes, full=[4.9], errors=uniform(2, 10.0)))["test"] == 0
        assert naive.is_leaf(naive.dtmc(table(rows, classes, full=[5.0], errors=uniform(2, 10.0))))

    def test_free_but_useless_is_not_asked(self) -> None:
        assert naive.is_leaf(naive.dtmc(xor()))

    def test_equal_savings_take_the_larger_gain(self) -> None:
        # Either test leaves two errors of eight: as 3:1 and 1:3, or as 2:0 and 2:4.
        rows = [[0, 0], [0, 0], [0, 1], [1, 1], [0, 1], [1, 1], [1, 1], [1, 1]]
        problem = table(rows, [0, 0, 0, 0, 1, 1, 1, 1])
        cases = naive.everything(problem)
        splits = [naive.plain_splits(problem, cases, a)[0] for a in (0, 1)]
        savings = [naive.saving_of(problem, cases, split, 0.0, "min") for split in splits]
        assert [saving.reduction for saving in savings] == [2, 2]
        assert [saving.gain for saving in savings] == pytest.approx([0.18872, 0.31128], abs=1e-5)
        assert naive.dtmc(problem)["test"] == 1

    def test_label_is_the_cheapest(self) -> None:
        problem = table([[0], [0], [0]], [0, 0, 1], errors=[[0.0, 9.0], [1.0, 0.0]])
        assert naive.dtmc(problem)["label"] == 1
        assert naive.id3(problem)["label"] == 0

    def test_pays_for_the_missing_too(self) -> None:
        rows: list[list[Any]] = [[0], [0], [1], [1], [None]]
        classes = [0, 0, 1, 1, 0]
        # Two errors of 10 saved; five cases, the one without a value included, pay.
        assert naive.dtmc(table(rows, classes, full=[3.9], errors=uniform(2, 10.0)))["test"] == 0
        assert naive.is_leaf(naive.dtmc(table(rows, classes, full=[4.0], errors=uniform(2, 10.0))))

    @quick
    @given(problems(), st.sampled_from(["min", "expected"]), st.sampled_from([2.0, 4.0, 0.5]))
    def test_scale_of_errors_does_not_matter_when_tests_are_free(
        self, problem: Problem, criterion: str, scale: float
    ) -> None:
        problem.full = [0.0] * len(problem.full)
        problem.groups = []
        tree = naive.dtmc(problem, criterion)
        problem.errors = [[scale * cost for cost in row] for row in problem.errors]
        assert naive.dtmc(problem, criterion) == tree


class TestC45:
    def test_collapse_gives_up_on_xor(self) -> None:
        assert naive.is_leaf(naive.c45(xor(), prune=False))
        kept = naive.c45(xor(), prune=False, collapse=False)
        assert [child["counts"] for child in kept["children"]] == [[1, 1], [1, 1]]

    def test_no_gain_is_no_bar_to_a_nominal_test(self) -> None:
        tree = naive.c45(xor(copies=2))
        assert naive.training_errors(tree) == 0
        assert len(nodes(tree)) == 7

    def test_numeric_tests_need_a_gain(self) -> None:
        problem = xor(copies=2, kinds=["numeric"] * 2, domains=[0, 0])
        assert naive.is_leaf(naive.c45(problem, prune=False, collapse=False))

    def test_numeric_penalty_and_threshold(self) -> None:
        problem = numeric([1, 2, 3, 4, 6, 7, 8, 9], [0] * 4 + [1] * 4)
        look = naive.look_numeric(problem, naive.everything(problem), 0, naive.Settings())
        assert look is not None
        assert look.gain == pytest.approx(1 - math.log2(5) / 8)  # cuts after 2, 3, 4, 6 and 7
        assert look.threshold == 4  # a value of the table, not the midpoint 5
        assert look.split_information == 1

    def test_threshold_may_be_a_value_from_elsewhere(self) -> None:
        problem = numeric([1, 2, 6, 7, 4], [0, 0, 1, 1, 0])
        cases = [(i, 1.0) for i in range(4)]
        look = naive.look_numeric(problem, cases, 0, naive.Settings())
        assert look is not None
        assert look.threshold == 4
        assert look.gain == 1  # one cut tried, no penalty

    def test_values_too_close_are_one(self) -> None:
        problem = numeric([1, 1, 1 + 9e-6, 1 + 9e-6], [0, 0, 1, 1])
        assert naive.is_leaf(naive.c45(problem, prune=False))
        problem = numeric([1, 1, 1 + 2e-5, 1 + 2e-5], [0, 0, 1, 1])
        assert not naive.is_leaf(naive.c45(problem, prune=False))

    def test_small_branches_do_not_count(self) -> None:
        rows, classes = [[0], [0], [0], [1]], [0, 0, 0, 1]
        assert naive.is_leaf(naive.c45(table(rows, classes), prune=False))
        assert naive.c45(table(rows, classes), prune=False, min_cases=1)["test"] == 0

    def test_gain_ratio_under_the_average_gain(self) -> None:
        # Gain 1 in four branches, ratio .5; gain .717 in two (7:0 and 1:8), ratio .725.
        rows = [[2 * c + i % 2, c] for c in (0, 1) for i in range(8)]
        rows[0][1] = 1
        classes = [0] * 8 + [1] * 8
        problem = table(rows, classes, domains=[4, 2])
        assert naive.c45(problem, prune=False)["test"] == 0  # .717 is below the average .858
        useless = table(
            [[*row, i // 2 % 2] for i, row in enumerate(rows)], classes, domains=[4, 2, 2]
        )
        assert naive.c45(useless, prune=False)["test"] == 1  # but not below .572

    def test_only_tests_of_many_values_and_others_unusable(self) -> None:
        rows = [[i // 2, 0] for i in range(8)]
        problem = table(rows, [0, 0, 1, 1] * 2, domains=[4, 2])
        assert naive.is_leaf(naive.c45(problem, prune=False))  # no average to compare with
        alone = table([[i // 2] for i in range(8)], [0, 0, 1, 1] * 2, domains=[4])
        assert naive.c45(alone, prune=False)["test"] == 0

    def test_missing_is_shared_out(self) -> None:
        rows: list[list[Any]] = [[0]] * 4 + [[1]] * 2 + [[None]]
        tree = naive.c45(table(rows, [0, 0, 0, 0, 1, 1, 1]), prune=False)
        left, right = tree["children"]
        assert left["counts"] == pytest.approx([4, 2 / 3])
        assert right["counts"] == pytest.approx([0, 2 + 1 / 3])

    def test_missing_lowers_the_gain_and_is_a_branch(self) -> None:
        rows: list[list[Any]] = [[0]] * 2 + [[1]] * 2 + [[None]] * 4
        problem = table(rows, [0, 0, 1, 1, 0, 0, 1, 1])
        look = naive.look_nominal(problem, naive.everything(problem), 0, naive.Settings())
        assert look is not None
        assert look.gain == 0.5
        assert look.split_information == 1.5

    def test_mixed_answer(self) -> None:
        tree = ask(0, leaf(3, 1), leaf(0, 4))
        assert naive.shares(tree, [None], fractional=True) == pytest.approx([3 / 8, 5 / 8])
        assert naive.predict_label(tree, [None], fractional=True) == 1
        assert naive.predict_label(tree, [None]) == 0
        half = ask(0, leaf(2, 0), leaf(0, 2))
        assert naive.predict_label(half, [None], fractional=True) == 0

    def test_mixed_bill(self) -> None:
        last = ask(2, leaf(1, 0), leaf(0, 1))
        tree = ask(0, ask(1, leaf(1, 0), leaf(0, 1)), ask(1, leaf(1, 0), last))
        problem = table([[0, 0, 0]], [1], full=[1.0, 10.0, 100.0], groups=[{1: 4.0, 2: 30.0}])
        assert naive.bill(tree, [None, 1.0, 0.0], problem, fractional=True) == 1 + 10 + 70
        assert naive.bill(tree, [None, 0.0, 0.0], problem, fractional=True) == 1 + 10
        problem.delayed = {1}
        assert naive.bill(tree, [None, 0.0, 0.0], problem, fractional=True) == 1 + 10 + 70

    @pytest.mark.parametrize(
        ("criterion", "chosen"), [("eg2", 1), ("idx", 1), ("csid3", 0), ("gain_ratio", 0)]
    )
    def test_price_sways_the_choice(self, criterion: str, chosen: int) -> None:
        # Gains 1 and .189 (3:1 and 1:3). ICF .083 : .093, IDX .091 : .377, CS-ID3 .091 : .071.
        rows = [[c, int(i < 3) if c else int(i < 1)] for c in (0, 1) for i in range(4)]
        problem = table(rows, [0] * 4 + [1] * 4, full=[11.0, 0.5])
        assert naive.c45(problem, criterion, prune=False)["test"] == chosen

    def test_subtree_raising(self) -> None:
        rows = [[0, 0]] * 10 + [[0, 1]] * 10 + [[1, 0]] * 2 + [[1, 1]] * 2
        problem = table(rows, [row[1] for row in rows])
        tree = ask(0, ask(1, leaf(10, 0), leaf(0, 10)), leaf(2, 2))
        cases = naive.everything(problem)
        assert naive.tree_errors(problem, tree, cases, naive.Settings()) == pytest.approx(
            2 * 10 * (1 - 0.25**0.1) + naive.expected_error(4, 2)
        )
        raised, errors = naive.prune_errors(problem, tree, cases, naive.Settings())
        assert raised == ask(1, leaf(12, 0), leaf(0, 12))
        assert errors == pytest.approx(2 * 12 * (1 - 0.25 ** (1 / 12)))
        kept, _ = naive.prune_errors(problem, tree, cases, naive.Settings(raising=False))
        assert kept == tree

    def test_strays_are_answered_by_the_node(self) -> None:
        problem = table([[2], [2], [0], [1]], [0, 1, 0, 1], domains=[3])
        tree = ask(0, leaf(1, 0), leaf(0, 1), None)
        how = naive.Settings()
        errors = naive.tree_errors(problem, tree, naive.everything(problem), how)
        assert errors == 0.75 + 0.75 + naive.expected_error(2, 1)

    def test_pruning_to_a_leaf(self) -> None:
        # EE(14, 1) = 2.52 as a leaf; 8 (1 - .25 ** (1/8)) + EE(6, 1) = 1.27 + 2.20 as a tree.
        rows = [[0]] * 8 + [[1]] * 6
        problem = table(rows, [0] * 13 + [1])
        tree = ask(0, leaf(8, 0), leaf(5, 1))
        pruned, errors = naive.prune_errors(
            problem, tree, naive.everything(problem), naive.Settings()
        )
        assert pruned == leaf(13, 1)
        assert errors == naive.expected_error(14, 1)

    @quick
    @given(problems(max_cases=24, missing=True, fractional_weights=True))
    def test_weights_add_up(self, problem: Problem) -> None:
        for criterion in ("gain_ratio", "eg2", "idx", "csid3"):
            tree = naive.c45(problem, criterion, prune=False)
            assert naive.size(tree) == pytest.approx(sum(problem.weights))
            for node in nodes(tree):
                below = [naive.size(child) for child in node["children"] if child is not None]
                assert naive.is_leaf(node) or sum(below) == pytest.approx(naive.size(node))

    @quick
    @given(problems(max_cases=24, missing=True, fractional_weights=True), st.booleans())
    def test_pruning_knows_the_errors_of_its_result(self, problem: Problem, raising: bool) -> None:
        how = naive.Settings(raising=raising)
        cases = naive.everything(problem)
        grown = naive.c45(problem, prune=False)
        pruned, errors = naive.prune_errors(problem, grown, cases, how)
        assert len(nodes(pruned)) <= len(nodes(grown))
        assert naive.size(pruned) == pytest.approx(sum(problem.weights))
        again = naive.tree_errors(problem, pruned, cases, how)
        assert again == pytest.approx(errors)


class TestCostPruning:
    def prunings(self, tree: Node) -> list[Node]:
        """Return every tree that cutting some nodes to leaves can make."""
        bare = naive.leaf(tree["counts"], tree["label"])
        if naive.is_leaf(tree):
            return [bare]
        choices = [[None] if c is None else self.prunings(c) for c in tree["children"]]
        return [bare, *(tree | {"children": list(pick)} for pick in product(*choices))]

    @quick
    @given(
        problems(max_cases=10, max_tests=3, missing=True, whole_weights=True),
        st.sampled_from(["c45", "exact", "training"]),
        st.sampled_from(["laplace", "multinomial"]),
    )
    def test_finds_the_cheapest_pruning(self, problem: Problem, form: str, penalty: str) -> None:
        tree = naive.relabel(naive.id3(problem), problem)
        assume(len(nodes(tree)) < 20)
        best = min(total(t, problem, form=form, penalty=penalty) for t in self.prunings(tree))
        pruned = naive.prune_costs(tree, problem, form=form, penalty=penalty)
        assert total(pruned, problem, form=form, penalty=penalty) == pytest.approx(best)

    @quick
    @given(problems(missing=True, whole_weights=True, delays=True), st.sampled_from([0.1, 0.25]))
    def test_never_dearer_and_idempotent(self, problem: Problem, cf: float) -> None:
        tree = naive.relabel(naive.id3(problem), problem)
        before = total(tree, problem, cf=cf)
        pruned = naive.prune_costs(tree, problem, cf)
        assert total(pruned, problem, cf=cf) <= before * (1 + 1e-9)
        assert naive.prune_costs(pruned, problem, cf) == pruned

    def test_free_errors_leave_a_leaf(self) -> None:
        problem = xor(copies=20, errors=uniform(2, 0.0))
        assert naive.is_leaf(naive.prune_costs(naive.id3(problem), problem))

    def test_keeps_what_pays(self) -> None:
        problem = xor(copies=20, full=[1.0, 1.0], errors=uniform(2, 100.0))
        tree = naive.id3(problem)
        assert naive.prune_costs(tree, problem) == tree

    def test_labels_become_the_cheapest(self) -> None:
        problem = table([[0]], [1], errors=[[0.0, 9.0], [1.0, 0.0]])
        assert naive.prune_costs(leaf(2, 1), problem)["label"] == 1

    def test_a_delayed_order_makes_a_rare_test_dear(self) -> None:
        # The second test spares one error of 500 for 2 cases, but all 10 would have to order it.
        tree = ask(0, leaf(8, 0), ask(1, leaf(1, 0), leaf(0, 1)))
        prices: dict[str, Any] = {"full": [1.0, 100.0], "errors": uniform(2, 500.0)}
        immediate = table([[0, 0]], [1], **prices)
        assert naive.prune_costs(tree, immediate, form="training") == tree
        delayed = table([[0, 0]], [1], **prices, delayed={0})
        assert naive.is_leaf(naive.prune_costs(tree, delayed, form="training"))

    def test_a_delayed_order_shares_a_test(self) -> None:
        # Cutting the second test in one place saves nothing while it is needed in the other.
        tree = ask(0, ask(1, leaf(2, 0), leaf(1, 1)), ask(1, leaf(2, 0), leaf(0, 2)))
        problem = table([[0, 0]], [1], full=[1.0, 100.0], errors=uniform(2, 1e4), delayed={0})
        pruned = naive.prune_costs(tree, problem, form="training")
        assert [child["test"] for child in pruned["children"]] == [None, 1]


class TestRouting:
    @quick
    @given(problems(missing=True, whole_weights=True, delays=True), st.booleans())
    def test_bills_average_to_the_estimate(self, problem: Problem, cautious: bool) -> None:
        tree = naive.dtmc(problem, "expected") if cautious else naive.id3(problem)
        bills = [naive.bill(tree, row, problem) for row in problem.rows]
        charged = sum(w * b for w, b in zip(problem.weights, bills, strict=True))
        assert naive.estimate(tree, problem)[0] == pytest.approx(charged / sum(problem.weights))

    @quick
    @given(problems(missing=True, whole_weights=True))
    def test_training_cases_stop_where_they_were_counted(self, problem: Problem) -> None:
        tree = naive.id3(problem)
        counted = {id(node): [0.0] * problem.n_classes for node in nodes(tree)}
        for i, weight in naive.everything(problem):
            node = naive.terminal(tree, problem.rows[i])
            counted[id(node)][problem.classes[i]] += weight
        for node in nodes(tree):
            here = node["counts"] if naive.is_leaf(node) else [0.0] * problem.n_classes
            assert counted[id(node)] == here

    @quick
    @given(problems(max_cases=20, missing=True, fractional_weights=True, delays=True))
    def test_shares_and_bills_are_sane(self, problem: Problem) -> None:
        tree = naive.c45(problem, "eg2")
        for row in problem.rows:
            for fractional in (False, True):
                mixed = naive.shares(tree, row, fractional)
                assert sum(mixed) == pytest.approx(1)
                assert 0 <= naive.predict_label(tree, row, fractional) < problem.n_classes
                assert 0 <= naive.bill(tree, row, problem, fractional) <= sum(problem.full) + 1e-9


class TestOrder:
    """The order of the cases must not matter: no rule hangs on the last bit of a sum."""

    def shape(self, tree: Node) -> tuple[Any, ...]:
        """Return all of a tree but its counts."""
        below = [None if child is None else self.shape(child) for child in tree["children"]]
        return tree["label"], tree["test"], tree["threshold"], *below

    @quick
    @given(problems(max_cases=24, missing=True, fractional_weights=True, delays=True), st.data())
    def test_shuffled_cases_give_the_same_tree(
        self, problem: Problem, data: st.DataObject
    ) -> None:
        order = data.draw(st.permutations(range(len(problem.rows))))
        shuffled = Problem(**vars(problem))
        shuffled.rows = [problem.rows[i] for i in order]
        shuffled.classes = [problem.classes[i] for i in order]
        shuffled.weights = [problem.weights[i] for i in order]
        for learn in (naive.id3, naive.dtmc, naive.c45):
            tree, other = learn(problem), learn(shuffled)
            assert self.shape(tree) == self.shape(other)
            pruned = [naive.prune_costs(grown, problem) for grown in (tree, other)]
            assert self.shape(pruned[0]) == self.shape(pruned[1])


class TestProblems:
    @quick
    @given(problems(missing=True, delays=True, whole_weights=True, every_class=True))
    def test_problems_are_well_formed(self, problem: Problem) -> None:
        tests = range(len(problem.kinds))
        assert len(problem.rows) == len(problem.classes) == len(problem.weights) >= 1
        assert set(problem.classes) == set(range(problem.n_classes))
        assert all(weight > 0 and weight == int(weight) for weight in problem.weights)
        assert problem.usable | problem.delayed <= set(tests)
        assert all(problem.errors[c][c] == 0 for c in range(problem.n_classes))
        for row, a in product(problem.rows, tests):
            value = row[a]
            if problem.kinds[a] == "nominal" and value is not None:
                assert value in range(problem.domains[a])
        for group in problem.groups:
            assert all(0 <= discount <= problem.full[a] for a, discount in group.items())

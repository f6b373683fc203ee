"""The twins, checked by hand: C4.5, pruning by costs, routing, orders."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from reference import basics, c45_trees, expected_cost, plain_trees, routing
from reference.basics import Node, Problem
from support.problems import problems
from support.small_problems import ask, leaf, numeric, quick, table, total, uniform, xor


def nodes(tree: Node) -> list[Node]:
    """Return all nodes in preorder."""
    below = [nodes(child) for child in tree["children"] if child is not None]
    return [tree, *(node for part in below for node in part)]


class TestC45:
    def test_collapse_gives_up_on_xor(self) -> None:
        assert basics.is_leaf(c45_trees.c45(xor(), prune=False))
        kept = c45_trees.c45(xor(), prune=False, collapse=False)
        assert [child["counts"] for child in kept["children"]] == [[1, 1], [1, 1]]

    def test_no_gain_is_no_bar_to_a_nominal_test(self) -> None:
        tree = c45_trees.c45(xor(copies=2))
        assert c45_trees.training_errors(tree) == 0
        assert len(nodes(tree)) == 7

    def test_numeric_tests_need_a_gain(self) -> None:
        problem = xor(copies=2, kinds=["numeric"] * 2, domains=[0, 0])
        assert basics.is_leaf(c45_trees.c45(problem, prune=False, collapse=False))

    def test_numeric_penalty_and_threshold(self) -> None:
        problem = numeric([1, 2, 3, 4, 6, 7, 8, 9], [0] * 4 + [1] * 4)
        look = c45_trees.look_numeric(problem, basics.everything(problem), 0, c45_trees.Settings())
        assert look is not None
        assert look.gain == pytest.approx(1 - math.log2(5) / 8)  # cuts after 2, 3, 4, 6 and 7
        assert look.threshold == 4  # a value of the table, not the midpoint 5
        assert look.split_information == 1

    def test_threshold_may_be_a_value_from_elsewhere(self) -> None:
        problem = numeric([1, 2, 6, 7, 4], [0, 0, 1, 1, 0])
        cases = [(i, 1.0) for i in range(4)]
        look = c45_trees.look_numeric(problem, cases, 0, c45_trees.Settings())
        assert look is not None
        assert look.threshold == 4
        assert look.gain == 1  # one cut tried, no penalty

    def test_values_too_close_are_one(self) -> None:
        problem = numeric([1, 1, 1 + 9e-6, 1 + 9e-6], [0, 0, 1, 1])
        assert basics.is_leaf(c45_trees.c45(problem, prune=False))
        problem = numeric([1, 1, 1 + 2e-5, 1 + 2e-5], [0, 0, 1, 1])
        assert not basics.is_leaf(c45_trees.c45(problem, prune=False))

    def test_small_branches_do_not_count(self) -> None:
        rows, classes = [[0], [0], [0], [1]], [0, 0, 0, 1]
        assert basics.is_leaf(c45_trees.c45(table(rows, classes), prune=False))
        assert c45_trees.c45(table(rows, classes), prune=False, min_cases=1)["test"] == 0

    def test_gain_ratio_under_the_average_gain(self) -> None:
        # Gain 1 in four branches, ratio .5; gain .717 in two (7:0 and 1:8), ratio .725.
        rows = [[2 * c + i % 2, c] for c in (0, 1) for i in range(8)]
        rows[0][1] = 1
        classes = [0] * 8 + [1] * 8
        problem = table(rows, classes, domains=[4, 2])
        assert c45_trees.c45(problem, prune=False)["test"] == 0  # .717 is below the average .858
        useless = table(
            [[*row, i // 2 % 2] for i, row in enumerate(rows)], classes, domains=[4, 2, 2]
        )
        assert c45_trees.c45(useless, prune=False)["test"] == 1  # but not below .572

    def test_only_tests_of_many_values_and_others_unusable(self) -> None:
        rows = [[i // 2, 0] for i in range(8)]
        problem = table(rows, [0, 0, 1, 1] * 2, domains=[4, 2])
        assert basics.is_leaf(c45_trees.c45(problem, prune=False))  # no average to compare with
        alone = table([[i // 2] for i in range(8)], [0, 0, 1, 1] * 2, domains=[4])
        assert c45_trees.c45(alone, prune=False)["test"] == 0

    def test_missing_is_shared_out(self) -> None:
        rows: list[list[Any]] = [[0]] * 4 + [[1]] * 2 + [[None]]
        tree = c45_trees.c45(table(rows, [0, 0, 0, 0, 1, 1, 1]), prune=False)
        left, right = tree["children"]
        assert left["counts"] == pytest.approx([4, 2 / 3])
        assert right["counts"] == pytest.approx([0, 2 + 1 / 3])

    def test_missing_lowers_the_gain_and_is_a_branch(self) -> None:
        rows: list[list[Any]] = [[0]] * 2 + [[1]] * 2 + [[None]] * 4
        problem = table(rows, [0, 0, 1, 1, 0, 0, 1, 1])
        look = c45_trees.look_nominal(problem, basics.everything(problem), 0, c45_trees.Settings())
        assert look is not None
        assert look.gain == 0.5
        assert look.split_information == 1.5

    def test_mixed_answer(self) -> None:
        tree = ask(0, leaf(3, 1), leaf(0, 4))
        assert routing.shares(tree, [None], fractional=True) == pytest.approx([3 / 8, 5 / 8])
        assert routing.predict_label(tree, [None], fractional=True) == 1
        half = ask(0, leaf(2, 0), leaf(0, 2))
        assert routing.predict_label(half, [None], fractional=True) == 0

    def test_mixed_bill(self) -> None:
        last = ask(2, leaf(1, 0), leaf(0, 1))
        tree = ask(0, ask(1, leaf(1, 0), leaf(0, 1)), ask(1, leaf(1, 0), last))
        problem = table([[0, 0, 0]], [1], full=[1.0, 10.0, 100.0], groups=[{1: 4.0, 2: 30.0}])
        assert routing.bill(tree, [None, 1.0, 0.0], problem, fractional=True) == 1 + 10 + 70
        assert routing.bill(tree, [None, 0.0, 0.0], problem, fractional=True) == 1 + 10
        problem.delayed = {1}
        assert routing.bill(tree, [None, 0.0, 0.0], problem, fractional=True) == 1 + 10 + 70

    @pytest.mark.parametrize(
        ("criterion", "chosen"), [("eg2", 1), ("idx", 1), ("csid3", 0), ("gain_ratio", 0)]
    )
    def test_price_sways_the_choice(self, criterion: str, chosen: int) -> None:
        # Gains 1 and .189 (3:1 and 1:3). ICF .083 : .093, IDX .091 : .377, CS-ID3 .091 : .071.
        rows = [[c, int(i < 3) if c else int(i < 1)] for c in (0, 1) for i in range(4)]
        problem = table(rows, [0] * 4 + [1] * 4, full=[11.0, 0.5])
        assert c45_trees.c45(problem, criterion, prune=False)["test"] == chosen

    def test_subtree_raising(self) -> None:
        rows = [[0, 0]] * 10 + [[0, 1]] * 10 + [[1, 0]] * 2 + [[1, 1]] * 2
        problem = table(rows, [row[1] for row in rows])
        tree = ask(0, ask(1, leaf(10, 0), leaf(0, 10)), leaf(2, 2))
        cases = basics.everything(problem)
        assert c45_trees.tree_errors(problem, tree, cases, c45_trees.Settings()) == pytest.approx(
            2 * 10 * (1 - 0.25**0.1) + c45_trees.expected_error(4, 2)
        )
        raised, errors = c45_trees.prune_errors(problem, tree, cases, c45_trees.Settings())
        assert raised == ask(1, leaf(12, 0), leaf(0, 12))
        assert errors == pytest.approx(2 * 12 * (1 - 0.25 ** (1 / 12)))
        kept, _ = c45_trees.prune_errors(problem, tree, cases, c45_trees.Settings(raising=False))
        assert kept == tree

    def test_strays_are_answered_by_the_node(self) -> None:
        problem = table([[2], [2], [0], [1]], [0, 1, 0, 1], domains=[3])
        tree = ask(0, leaf(1, 0), leaf(0, 1), None)
        how = c45_trees.Settings()
        errors = c45_trees.tree_errors(problem, tree, basics.everything(problem), how)
        assert errors == 0.75 + 0.75 + c45_trees.expected_error(2, 1)

    def test_pruning_to_a_leaf(self) -> None:
        # EE(14, 1) = 2.52 as a leaf; 8 (1 - .25 ** (1/8)) + EE(6, 1) = 1.27 + 2.20 as a tree.
        rows = [[0]] * 8 + [[1]] * 6
        problem = table(rows, [0] * 13 + [1])
        tree = ask(0, leaf(8, 0), leaf(5, 1))
        pruned, errors = c45_trees.prune_errors(
            problem, tree, basics.everything(problem), c45_trees.Settings()
        )
        assert pruned == leaf(13, 1)
        assert errors == c45_trees.expected_error(14, 1)

    @quick
    @given(problems(max_cases=24, missing=True, fractional_weights=True))
    def test_weights_add_up(self, problem: Problem) -> None:
        for criterion in ("gain_ratio", "eg2", "idx", "csid3"):
            tree = c45_trees.c45(problem, criterion, prune=False)
            assert basics.size(tree) == pytest.approx(sum(problem.weights))
            for node in nodes(tree):
                below = [basics.size(child) for child in node["children"] if child is not None]
                assert basics.is_leaf(node) or sum(below) == pytest.approx(basics.size(node))

    @quick
    @given(problems(max_cases=24, missing=True, fractional_weights=True), st.booleans())
    def test_pruning_knows_the_errors_of_its_result(self, problem: Problem, raising: bool) -> None:
        how = c45_trees.Settings(raising=raising)
        cases = basics.everything(problem)
        grown = c45_trees.c45(problem, prune=False)
        pruned, errors = c45_trees.prune_errors(problem, grown, cases, how)
        assert len(nodes(pruned)) <= len(nodes(grown))
        assert basics.size(pruned) == pytest.approx(sum(problem.weights))
        again = c45_trees.tree_errors(problem, pruned, cases, how)
        assert again == pytest.approx(errors)


class TestCostPruning:
    def prunings(self, tree: Node) -> list[Node]:
        """Return every tree that cutting some nodes to leaves can make."""
        bare = basics.leaf(tree["counts"], tree["label"])
        if basics.is_leaf(tree):
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
        tree = expected_cost.relabel(plain_trees.id3(problem), problem)
        assume(len(nodes(tree)) < 20)
        best = min(total(t, problem, form=form, penalty=penalty) for t in self.prunings(tree))
        pruned = expected_cost.prune_costs(tree, problem, form=form, penalty=penalty)
        assert total(pruned, problem, form=form, penalty=penalty) == pytest.approx(best)

    @quick
    @given(
        problems(missing=True, whole_weights=True, delays=True),
        st.sampled_from([0.1, 0.25]),
    )
    def test_never_dearer_and_idempotent(self, problem: Problem, cf: float) -> None:
        tree = expected_cost.relabel(plain_trees.id3(problem), problem)
        before = total(tree, problem, cf=cf)
        pruned = expected_cost.prune_costs(tree, problem, cf)
        assert total(pruned, problem, cf=cf) <= before * (1 + 1e-9)
        assert expected_cost.prune_costs(pruned, problem, cf) == pruned

    def test_free_errors_leave_a_leaf(self) -> None:
        problem = xor(copies=20, errors=uniform(2, 0.0))
        assert basics.is_leaf(expected_cost.prune_costs(plain_trees.id3(problem), problem))

    def test_keeps_what_pays(self) -> None:
        problem = xor(copies=20, full=[1.0, 1.0], errors=uniform(2, 100.0))
        tree = plain_trees.id3(problem)
        assert expected_cost.prune_costs(tree, problem) == tree

    def test_labels_become_the_cheapest(self) -> None:
        problem = table([[0]], [1], errors=[[0.0, 9.0], [1.0, 0.0]])
        assert expected_cost.prune_costs(leaf(2, 1), problem)["label"] == 1

    def test_a_delayed_order_makes_a_rare_test_dear(self) -> None:
        # The second test spares one error of 500 for 2 cases, but all 10 would have to order it.
        tree = ask(0, leaf(8, 0), ask(1, leaf(1, 0), leaf(0, 1)))
        prices: dict[str, Any] = {"full": [1.0, 100.0], "errors": uniform(2, 500.0)}
        immediate = table([[0, 0]], [1], **prices)
        assert expected_cost.prune_costs(tree, immediate, form="training") == tree
        delayed = table([[0, 0]], [1], **prices, delayed={0})
        assert basics.is_leaf(expected_cost.prune_costs(tree, delayed, form="training"))

    def test_a_delayed_order_shares_a_test(self) -> None:
        # Cutting the second test in one place saves nothing while it is needed in the other.
        tree = ask(0, ask(1, leaf(2, 0), leaf(1, 1)), ask(1, leaf(2, 0), leaf(0, 2)))
        problem = table([[0, 0]], [1], full=[1.0, 100.0], errors=uniform(2, 1e4), delayed={0})
        pruned = expected_cost.prune_costs(tree, problem, form="training")
        assert [child["test"] for child in pruned["children"]] == [None, 1]


class TestRouting:
    @quick
    @given(problems(missing=True, whole_weights=True, delays=True), st.booleans())
    def test_bills_average_to_the_estimate(self, problem: Problem, cautious: bool) -> None:
        tree = plain_trees.dtmc(problem, "expected") if cautious else plain_trees.id3(problem)
        bills = [routing.bill(tree, row, problem) for row in problem.rows]
        charged = sum(w * b for w, b in zip(problem.weights, bills, strict=True))
        assert expected_cost.estimate(tree, problem)[0] == pytest.approx(
            charged / sum(problem.weights)
        )

    @quick
    @given(problems(missing=True, whole_weights=True))
    def test_training_cases_stop_where_they_were_counted(self, problem: Problem) -> None:
        tree = plain_trees.id3(problem)
        counted = {id(node): [0.0] * problem.n_classes for node in nodes(tree)}
        for i, weight in basics.everything(problem):
            node = routing.terminal(tree, problem.rows[i])
            counted[id(node)][problem.classes[i]] += weight
        for node in nodes(tree):
            here = node["counts"] if basics.is_leaf(node) else [0.0] * problem.n_classes
            assert counted[id(node)] == here

    @quick
    @given(problems(max_cases=20, missing=True, fractional_weights=True, delays=True))
    def test_shares_and_bills_are_sane(self, problem: Problem) -> None:
        tree = c45_trees.c45(problem, "eg2")
        for row in problem.rows:
            for fractional in (False, True):
                mixed = routing.shares(tree, row, fractional)
                assert sum(mixed) == pytest.approx(1)
                assert 0 <= routing.predict_label(tree, row, fractional) < problem.n_classes
                assert (
                    0 <= routing.bill(tree, row, problem, fractional) <= sum(problem.full) + 1e-9
                )


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
        for learn in (plain_trees.id3, plain_trees.dtmc, c45_trees.c45):
            tree, other = learn(problem), learn(shuffled)
            assert self.shape(tree) == self.shape(other)
            pruned = [expected_cost.prune_costs(grown, problem) for grown in (tree, other)]
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

"""Kernels against their slow twins: the same tree, prices and estimates on random problems.

``FRUGALTREE_EXAMPLES`` sets how many problems each test draws (``make test-long``: thousands).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frugaltree.engines import greedy
from frugaltree.engines.estimate import ERROR_FORMS, costs_as_leaves
from frugaltree.engines.pruning import prune_to_leaves
from frugaltree.engines.ways import ways_of
from frugaltree.kernels import criteria
from frugaltree.kernels.cost import error_estimate
from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.greedy.choose import Rules
from frugaltree.kernels.sentinels import NONE
from frugaltree.tree.routing import own_ways
from frugaltree.tree.tree import Tree
from reference import c45_trees, expected_cost, plain_trees, routing
from support import bridge
from support.examples import many
from support.house_rules import KINDS, ruled
from support.problems import problems

CRITERIA = {
    "gain_ratio": criteria.GAIN_RATIO,
    "eg2": criteria.EG2,
    "idx": criteria.IDX,
    "csid3": criteria.CSID3,
}
FORMS = ["c45", "exact", "training"]
PLAIN = {"missing": True, "whole_weights": True, "delays": True}
FRACTIONAL = {"missing": True, "fractional_weights": True, "delays": True, "max_cases": 30}


def majority(counts: np.ndarray) -> np.ndarray:
    return (counts >= counts.max(axis=1, keepdims=True) * (1 - 1e-9)).argmax(axis=1)


def grown(problem, rules, *, fractional=False, reduce=False):
    coded = bridge.problem_of(problem, fractional=fractional)
    nodes = greedy.to_preorder(greedy.grow(coded, rules, reduce=reduce), coded.cases)
    return coded, nodes


@many
@given(problems(**PLAIN))
@pytest.mark.parametrize("prices", ["context", "static"])
def test_id3(prices, problem):
    rules = Rules(criteria.GAIN, 1.0, 1.0, False, prices == "context", False)
    coded, nodes = grown(problem, rules)
    got = bridge.as_dict(nodes, majority(nodes.counts), coded.table)
    bridge.assert_same(got, plain_trees.id3(problem, prices))


@many
@given(problems(**PLAIN))
@pytest.mark.parametrize("criterion", ["min", "expected"])
def test_dtmc(criterion, problem):
    rules = Rules(criteria.GAIN, 1.0, 1.0, False, True, criterion == "expected")
    coded, nodes = grown(problem, rules, reduce=True)
    labels = coded.answers(nodes)
    got = bridge.as_dict(nodes, labels, coded.table)
    bridge.assert_same(got, plain_trees.dtmc(problem, criterion))


RULED = {"missing": True, "whole_weights": True}


@many
@given(ruled(problems(**RULED), KINDS))
def test_id3_and_dtmc_under_rules(problem):
    rules = Rules(criteria.GAIN, 1.0, 1.0, False, True, False)
    coded, nodes = grown(problem, rules)
    got = bridge.as_dict(nodes, majority(nodes.counts), coded.table)
    bridge.assert_same(got, plain_trees.id3(problem))
    coded, nodes = grown(problem, rules, reduce=True)
    labels = coded.answers(nodes)
    bridge.assert_same(bridge.as_dict(nodes, labels, coded.table), plain_trees.dtmc(problem))


@many
@given(ruled(problems(missing=True, max_cases=30), KINDS))
@pytest.mark.parametrize("criterion", ["gain_ratio", "eg2"])
def test_c45_frame_under_rules(criterion, problem):
    rules = Rules(CRITERIA[criterion], 1.0, 2.0, True, True, False)
    coded = bridge.problem_of(problem, fractional=True)
    nodes = greedy.prune_by_errors(coded, greedy.grow(coded, rules), 0.25, "c45")
    nodes = greedy.to_preorder(nodes, coded.cases)
    got = bridge.as_dict(nodes, majority(nodes.counts), coded.table)
    bridge.assert_same(got, c45_trees.c45(problem, criterion))


WEIGHED = {"missing": True, "fractional_weights": True, "delays": True}


@many
@given(problems(**WEIGHED), st.sampled_from([0.0, 1.0, 2.0, 3.0]))
def test_id3_with_large_leaves_and_fractions(problem, least):
    rules = Rules(criteria.GAIN, 1.0, least, False, True, False, min_leaf=least)
    coded, nodes = grown(problem, rules)
    got = bridge.as_dict(nodes, majority(nodes.counts), coded.table)
    bridge.assert_same(got, plain_trees.id3(problem, min_leaf=least))


@many
@given(problems(**WEIGHED), st.sampled_from([0.0, 1.0, 2.0, 3.0]))
@pytest.mark.parametrize("criterion", ["min", "expected"])
def test_dtmc_with_large_leaves_and_fractions(criterion, problem, least):
    rules = Rules(criteria.GAIN, 1.0, least, False, True, criterion == "expected", min_leaf=least)
    coded, nodes = grown(problem, rules, reduce=True)
    labels = coded.answers(nodes)
    got = bridge.as_dict(nodes, labels, coded.table)
    bridge.assert_same(got, plain_trees.dtmc(problem, criterion, min_leaf=least))


@many
@given(problems(**FRACTIONAL), st.sampled_from([1.0, 2.0, 3.0]))
@pytest.mark.parametrize("criterion", CRITERIA)
def test_c45_frame_grows_large_leaves(criterion, problem, least):
    rules = Rules(CRITERIA[criterion], 0.7, max(2.0, least), True, True, False, min_leaf=least)
    coded, nodes = grown(problem, rules, fractional=True)
    got = bridge.as_dict(nodes, majority(nodes.counts), coded.table)
    ref = c45_trees.c45(problem, criterion, w=0.7, prune=False, collapse=False, min_leaf=least)
    bridge.assert_same(got, ref)


@many
@given(problems(**FRACTIONAL))
@pytest.mark.parametrize("criterion", CRITERIA)
def test_c45_frame_grows(criterion, problem):
    rules = Rules(CRITERIA[criterion], 0.7, 2.0, True, True, False)
    coded, nodes = grown(problem, rules, fractional=True)
    got = bridge.as_dict(nodes, majority(nodes.counts), coded.table)
    ref = c45_trees.c45(problem, criterion, w=0.7, prune=False, collapse=False)
    bridge.assert_same(got, ref)


@many
@given(problems(**FRACTIONAL))
def test_c45_frame_collapses(problem):
    rules = Rules(criteria.GAIN_RATIO, 1.0, 2.0, True, True, False)
    coded = bridge.problem_of(problem, fractional=True)
    nodes = greedy.to_preorder(greedy.collapse_tree(coded, greedy.grow(coded, rules)), coded.cases)
    got = bridge.as_dict(nodes, majority(nodes.counts), coded.table)
    bridge.assert_same(got, c45_trees.c45(problem, prune=False))


@many
@given(problems(**FRACTIONAL))
@pytest.mark.parametrize("raising", [True, False])
@pytest.mark.parametrize("criterion", ["gain_ratio", "eg2"])
def test_c45_frame_prunes(criterion, raising, problem):
    rules = Rules(CRITERIA[criterion], 1.0, 2.0, True, True, False)
    coded = bridge.problem_of(problem, fractional=True)
    nodes = greedy.prune_by_errors(coded, greedy.grow(coded, rules), 0.25, "c45", raising=raising)
    nodes = greedy.to_preorder(nodes, coded.cases)
    got = bridge.as_dict(nodes, majority(nodes.counts), coded.table)
    bridge.assert_same(got, c45_trees.c45(problem, criterion, raising=raising))


@many
@given(problems(missing=True, whole_weights=True, delays=True, max_cases=20))
@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_weight_is_so_many_cases(criterion, problem):
    rules = Rules(CRITERIA[criterion], 1.0, 2.0, True, True, False)
    several = [i for i, weight in enumerate(problem.weights) for _ in range(int(weight))]
    repeated = replace(
        problem,
        rows=[problem.rows[i] for i in several],
        classes=[problem.classes[i] for i in several],
        weights=[1.0] * len(several),
    )
    trees = []
    for one in (problem, repeated):
        coded = bridge.problem_of(one, fractional=True)
        nodes = greedy.prune_by_errors(coded, greedy.grow(coded, rules), 0.25, "c45")
        nodes = greedy.to_preorder(nodes, coded.cases)
        trees.append(bridge.as_dict(nodes, majority(nodes.counts), coded.table))
    bridge.assert_same(*trees)


def tree_of(coded, nodes, *, fractional):
    labels = coded.answers(nodes)
    copy = Nodes(*(array.copy() for array in nodes))  # a tree freezes its arrays
    tree = Tree(
        coded.table.columns, tuple(coded.classes), copy, labels, own_ways(copy), fractional
    )
    return tree if fractional else replace(tree, ways=ways_of(coded, tree))


@many
@given(problems(**PLAIN))
@pytest.mark.parametrize("penalty", ["laplace", "multinomial"])
@pytest.mark.parametrize("form", FORMS)
def test_cost_pruning_and_estimate(form, penalty, problem):
    rules = Rules(criteria.EG2, 1.0, 1.0, False, True, False)
    coded, nodes = grown(problem, rules)
    labels = coded.answers(nodes)
    ref_tree = bridge.as_dict(nodes, labels, coded.table)

    tree = tree_of(coded, nodes, fractional=False)
    how = error_estimate.LeafEstimate(0.2, ERROR_FORMS[form], penalty == "multinomial")
    leaves = costs_as_leaves(nodes, coded.errors, labels, how)
    bills = tree.bills(bridge.encoded(problem), coded.prices)
    tests = bills @ coded.cases.weights / coded.weight
    errors = leaves[nodes.test == NONE].sum() / coded.weight
    assert (tests, errors) == pytest.approx(
        expected_cost.estimate(ref_tree, problem, 0.2, form, penalty), rel=1e-9, abs=1e-9
    )
    pruned, _ = prune_to_leaves(coded, nodes, leaves, coded.prices)
    labels = coded.answers(pruned)
    got = bridge.as_dict(pruned, labels, coded.table)
    bridge.assert_same(got, expected_cost.prune_costs(ref_tree, problem, 0.2, form, penalty))


@many
@given(problems(**PLAIN))
def test_cases_end_where_they_should_and_pay_what_they_should(problem):
    rules = Rules(criteria.EG2, 1.0, 1.0, False, True, False)
    coded, nodes = grown(problem, rules)
    tree = tree_of(coded, nodes, fractional=False)
    ref = routing.add_ways(bridge.as_dict(nodes, tree.labels, coded.table), problem)
    rows = problem.rows + with_gaps(problem.rows)
    X = bridge.encoded(replace(problem, rows=rows))
    ends, bills = tree.find(X), tree.bills(X, coded.prices)
    for i, row in enumerate(rows):
        assert tree.labels[ends[i]] == routing.predict_label(ref, row)
        assert bills[i] == pytest.approx(routing.bill(ref, row, problem), rel=1e-12, abs=1e-12)
        assert sum(step.price for step in tree.path(X[i], coded.prices)) == pytest.approx(bills[i])
    np.testing.assert_allclose(tree.shares[ends], [routing.shares(ref, row) for row in rows])


def with_gaps(rows):
    """Return the rows with some of their values left out."""
    return [[None if (i + a) % 3 == 0 else v for a, v in enumerate(r)] for i, r in enumerate(rows)]


@many
@given(problems(**FRACTIONAL))
def test_fractional_cases_answer_and_pay_as_they_should(problem):
    rules = Rules(criteria.EG2, 1.0, 2.0, True, True, False)
    coded, nodes = grown(problem, rules, fractional=True)
    tree = tree_of(coded, nodes, fractional=True)
    ref = bridge.as_dict(nodes, tree.labels, coded.table)
    shares, bills, _ = tree.answers(bridge.encoded(problem), coded.prices)
    for i, row in enumerate(problem.rows):
        np.testing.assert_allclose(shares[i], routing.shares(ref, row, True), atol=1e-12)
        assert bills[i] == pytest.approx(routing.bill(ref, row, problem, True), abs=1e-12)


def test_expected_errors_equal_the_twin_and_scipy():
    rng = np.random.default_rng(0)
    for _ in range(300):
        m = float(rng.integers(1, 2000))
        s = float(rng.integers(0, m + 1)) if rng.random() < 0.5 else rng.uniform(0, m)
        cf = float(rng.choice([0.001, 0.01, 0.1, 0.25, 0.4]))
        for form, code in zip(FORMS, range(3), strict=True):
            got = error_estimate.expected_error(m, s, cf, code)
            assert got == pytest.approx(c45_trees.expected_error(m, s, cf, form), rel=1e-9)


def test_prices_are_arrays_of_one_layout():
    arrays = ("full", "discount", "member", "delayed", "usable")
    assert Prices._fields == (*arrays, "charge_missing", "rules", "conditions")

"""Trees cut short, gone on with, and counted anew."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frugaltree import ACTClassifier, ID3Classifier
from frugaltree.engines.budgets import HeldOut, best_affordable, surely_affordable
from frugaltree.engines.extending import extended
from frugaltree.engines.mixing import mixed_places, recounted, take_values
from frugaltree.engines.prefixes import cut_short, spending_levels
from frugaltree.kernels.data.nodes import Nodes
from support.examples import many
from support.given import as_given
from support.problems import problems

pytestmark = [
    pytest.mark.filterwarnings("ignore:all cases are of one class"),
    pytest.mark.filterwarnings("ignore:group .* the discount"),
]


def walked(tree, prices, values, budget):
    """Return where a case ends that stops at the first test beyond the budget, step by step."""
    bills, node = tree.charges(prices).bill, 0
    while not tree.is_leaf(node) and bills[node] <= budget * (1 + 1e-12):
        x, test = values[tree.nodes.test[node]], tree.nodes.test[node]
        if np.isnan(x):
            onward = int(tree.ways[node])
        elif tree.columns[test].is_nominal:
            onward = dict(tree.slots(node)).get(int(x), -1)
        else:
            onward = dict(tree.slots(node)).get(int(x > tree.nodes.threshold[node]), -1)
        if onward == -1:
            break
        node = onward
    return node


@many
@given(problem=problems(missing=True, groups=False), share=st.floats(0.0, 1.0))
def test_a_tree_cut_short_is_the_tree_stopped_early(problem, share):
    (X, y, costs), weights = as_given(problem)
    learner = ID3Classifier(costs).fit(X, y, weights)
    tree, prices, values = learner.tree_, learner._prices(), learner._encoded(X)
    levels = spending_levels(tree, prices)
    budget = share * levels[-1]
    short = cut_short(tree, prices, budget)
    for row, end in zip(values, short.find(values), strict=True):
        node = walked(tree, prices, row, budget)
        assert short.labels[end] == tree.labels[node]
        np.testing.assert_array_equal(short.nodes.counts[end], tree.nodes.counts[node])
    assert short.bills(values, prices).max() <= budget * (1 + 1e-9) + 1e-9
    assert cut_short(tree, prices, levels[-1]) is tree


@many
@given(problem=problems(delays=True, missing=True), first=st.floats(0, 1))
def test_a_tree_that_goes_on_keeps_to_the_budget_and_to_what_it_was(problem, first):
    (X, y, costs), weights = as_given(problem)
    total = costs.total([*X.columns])
    small = first * total
    learner = ACTClassifier(costs, n_samples=1, max_test_cost=small, random_state=0)
    learner.fit(X, y, weights)
    whole = learner._read(X, y, weights)
    before = learner.tree_

    def search(part, left):
        one = ACTClassifier(costs, n_samples=1, max_test_cost=left, random_state=0)
        return one._search(part)

    nodes = extended(whole, before.nodes, total, search)
    learner._keep(whole, Nodes(*(array.copy() for array in nodes)))
    after, prices, values = learner.tree_, learner._prices(), learner._encoded(X)
    assert after.bills(values, prices).max() <= total * (1 + 1e-9) + 1e-9
    assert after.n_nodes >= before.n_nodes
    ends = after.find(values)
    wrong = [(y != learner.classes_[tree.labels[tree.find(values)]]) for tree in (before, after)]
    errors = np.array(costs.matrix(learner.classes_.tolist()))
    apart = errors[~np.eye(len(errors), dtype=bool)]
    if apart.size and np.ptp(apart) == 0.0:
        assert (wrong[1] * weights).sum() <= (wrong[0] * weights).sum() + 1e-9
    counts = np.zeros_like(after.nodes.counts)
    places = np.searchsorted(learner.classes_, y)
    np.add.at(counts, (ends, places), weights)
    for node in range(len(counts) - 1, 0, -1):
        counts[after.nodes.parent[node]] += counts[node]
    np.testing.assert_allclose(after.nodes.counts, counts)


@many
@given(problem=problems(missing=True), seed=st.integers(0, 1000))
def test_a_tree_of_mixed_cases_is_counted_by_the_cases(problem, seed):
    (X, y, costs), weights = as_given(problem)
    _, codes = np.unique(y, return_inverse=True)
    places = mixed_places(codes, X.shape[1], 3, 0.5, seed)
    learner = ID3Classifier(costs).fit(take_values(X, places), np.tile(y, 4), np.tile(weights, 4))
    whole = learner._read(X, y, weights)
    nodes = recounted(whole, Nodes(*(array.copy() for array in learner.tree_.nodes)))
    assert (nodes.counts.sum(axis=1) > 0).all()
    np.testing.assert_allclose(
        nodes.counts[0], np.bincount(codes, weights, minlength=nodes.counts.shape[1])
    )
    tree = learner._as_tree(whole, nodes)
    values = learner._encoded(X)
    ends = tree.find(values)
    for case, end in enumerate(ends):
        assert tree.nodes.counts[end, codes[case]] > 0
    for node in range(tree.n_nodes):
        below = [child for _, child in tree.branches(node)]
        stay = weights[ends == node].sum()
        np.testing.assert_allclose(tree.weights[node], tree.weights[below].sum() + stay)


def test_copies_keep_their_class_and_their_columns():
    codes = np.array([0, 1, 1, 0, 1])
    places = mixed_places(codes, 3, 4, 0.5, 0)
    assert (codes[places] == np.tile(codes, 5)[:, None]).all()
    X = np.arange(15.0).reshape(5, 3)
    mixed = take_values(X, places)
    assert (mixed[:5] == X).all()
    assert (mixed % 3 == np.arange(3)).all()
    assert (mixed[5:] != np.tile(X, (4, 1))).any()


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=6))
def test_the_best_affordable_is_the_best_of_all_up_to_there(trees):
    costs, bills = [float(c) for c, _ in trees], [float(b) for _, b in trees]
    for place, chosen in enumerate(best_affordable(costs, bills)):
        offered = [(costs[i], bills[i], i) for i in range(place + 1)]
        assert chosen == min(offered)[2]


def test_few_cases_held_out_must_be_sure():
    ones = np.ones(100)

    def held_out(budget, errors):
        errors = np.asarray(errors, float)
        return HeldOut(budget, errors=errors, bills=ones, right=errors == 0, weights=ones)

    worse = np.r_[np.ones(30), np.zeros(70)]
    little = np.r_[np.zeros(69), np.ones(31)]  # one more, of other cases
    trees = [held_out(1, np.zeros(100)), held_out(2, worse), held_out(3, worse)]
    assert surely_affordable(trees) == [0, 0, 0]
    trees = [held_out(1, worse), held_out(2, little), held_out(3, np.zeros(100))]
    assert surely_affordable(trees) == [0, 1, 2]

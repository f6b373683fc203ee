"""ACT: the paper's figures, what it finds that greedy learners cannot, and what always holds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from frugaltree import (
    ACTClassifier,
    Costs,
    DTMCClassifier,
    EG2Classifier,
)
from frugaltree.anytime import Stop
from frugaltree.datasets import (
    make_multi_xor,
    make_multiplexer,
    make_xor,
    make_xor_3d,
)
from frugaltree.engines import cells as coded
from frugaltree.engines.estimate import costs_as_leaves
from frugaltree.engines.greedy import grow, to_preorder
from frugaltree.engines.pruning import prune_to_leaves
from frugaltree.engines.sampling.finish import pruned
from frugaltree.engines.sampling.frontier import CostedTests
from frugaltree.engines.sampling.iidt import costs_now
from frugaltree.kernels import criteria
from frugaltree.kernels.greedy.choose import Rules
from frugaltree.kernels.sampling.cache import SetCache
from support.act import PLAIN, root
from support.examples import many
from support.given import as_given, bits, study
from support.problems import problems

pytestmark = [
    pytest.mark.filterwarnings("ignore:all cases are of one class"),
    pytest.mark.filterwarnings("ignore:group .* the discount"),
]


def ready(learner, X, y, weights=None, seed=0):
    """Return the problem of a learner and its search, before a tree is grown."""
    problem = learner._read(X, y, weights)
    return problem, learner._prepared_search(
        problem, learner._candidates(problem)[0], seed, Stop()
    )


def figure_7():
    """Return the 400 cases of Figures 7 to 9, by kind, with their number.

    Whether a1 and a7 differ tells the class but for 5 % of the cases. Where a2 and a9 are alike,
    every case is negative; where they differ, two in three are positive.
    """
    alike = {(0, 0): (24, 24, 24, 23), (1, 1): (23, 24, 24, 24)}
    differ = {(0, 1): (2, 1, 1, 1), (1, 0): (1, 1, 1, 2)}
    negative = {**alike, **differ}
    positive = {(0, 1): (48, 47), (1, 0): (47, 48), (0, 0): (3, 2), (1, 1): (2, 3)}
    places = {"negative": [(0, 0), (0, 1), (1, 0), (1, 1)], "positive": [(0, 1), (1, 0)]}
    kinds = [
        (a1, a2, a7, a9, label, n)
        for label, cells in (("negative", negative), ("positive", positive))
        for (a1, a7), numbers in cells.items()
        for (a2, a9), n in zip(places[label], numbers, strict=True)
    ]
    *columns, labels, numbers = zip(*kinds, strict=True)
    X = pd.DataFrame(dict(zip(("a1", "a2", "a7", "a9"), columns, strict=True)))
    return X.astype("category"), labels, numbers


def errors(fp, fn):
    return {("positive", "negative"): fp, ("negative", "positive"): fn}


@pytest.mark.parametrize(
    ("prices", "errors", "first", "totals"),
    [
        ([10, 10, 10, 10], 100, "a1", [27.3, 48.0, 27.3, 48.0]),
        ([40, 10, 10, 10], 100, "a2", [57.3, 48.0, 57.3, 48.0]),
        ([1, 1, 1, 1], errors(100, 1500), "a2", [53.7, 39.5, 53.7, 39.5]),
    ],
    ids=["figure 7", "figure 8", "figure 9"],
)
def test_figures_7_to_9(prices, errors, first, totals):
    """Equal costs: fewer errors count. A dear test, or a dear kind of error: others do.

    The trees of the figures are two tests deep, so that samples stop after one more.
    """
    X, y, weights = figure_7()
    act = ACTClassifier(Costs(prices, errors=errors), n_samples=1, cf=0.25, lookahead_stop=1)
    _, search = ready(act, X, y, weights)
    costed = [search.evaluate(search.root(0), 1, range(a, a + 1)) for a in search.tests]
    assert CostedTests.merged(costed).total / 400 == pytest.approx(totals, abs=0.05)
    assert root(act.fit(X, y, weights)) == first
    assert act.tree_.n_leaves == 4


@pytest.mark.parametrize(("price", "first"), [(10, "a1"), (40, "a2")])
def test_figures_7_and_8_with_whole_samples(price, first):
    X, y, weights = figure_7()
    costs = Costs([price, 10, 10, 10], errors=100)
    for r in (1, 5):
        act = ACTClassifier(costs, n_samples=r, random_state=0).fit(X, y, weights)
        assert root(act) == first


def test_figure_9_as_printed_asks_nothing():
    """At 199 : 1 it is cheapest to call everyone positive, by footnote 4 of the paper."""
    X, y, weights = figure_7()
    act = ACTClassifier(Costs([10, 10, 10, 10], errors=errors(1, 199))).fit(X, y, weights)
    assert act.tree_.n_leaves == 1
    assert act.predict(X[:1]).tolist() == ["positive"]


@pytest.mark.parametrize("prices", ["context", "static"])
@pytest.mark.parametrize(
    "name", ["heart", "hepatitis", "glass", "tae", "iris", "tic-tac-toe", "car", "voting", "wine"]
)
def test_act_0_is_eg2_and_pruning_by_costs(name, prices):
    """EG2 as the greedy learners grow it: to purity, by plain gain; then Section 3.4."""
    X, y, costs = study(name, 2)
    act = ACTClassifier(costs, n_samples=0, prices=prices).fit(X, y)
    problem = act._read(X, y, None)
    rules = Rules(criteria.EG2, act.w_, 1.0, False, prices == "context", False)
    nodes = to_preorder(grow(problem, rules), problem.cases)
    how = act._leaf_estimate(problem.first_decision)
    leaf = costs_as_leaves(nodes, problem.errors, problem.answers(nodes), how)
    nodes, _ = prune_to_leaves(problem, nodes, leaf, problem.prices)
    ref = clone(act)
    ref.cf_ = act.cf_
    ref._keep(problem, nodes)
    assert act.to_text() == ref.to_text()
    assert act.expected_cost_ == ref.expected_cost_
    assert act.history_[-1].samples == 0


def test_act_0_depends_on_no_seed():
    X, y, costs = study("heart")
    one, other = (ACTClassifier(costs, n_samples=0, random_state=s).fit(X, y) for s in (0, 1))
    assert one.to_text() == other.to_text()


CONCEPTS = {  # how to make cases, how many, how many tests matter
    "2-XOR": (lambda n, seed: make_xor(n, 2, 8, seed), 100, 2),
    "XOR-5": (lambda n, seed: make_xor(n, 5, 5, seed), 200, 5),
    "Multi-XOR": (make_multi_xor, 200, 10),
    "multiplexer-20": (lambda n, seed: make_multiplexer(n, 4, seed), 615, 20),
}


SEEDS = 6


@pytest.mark.parametrize("name", CONCEPTS)
def test_what_act_finds_and_greedy_learners_cannot(name):
    """On fresh cases, with irrelevant tests ten times cheaper than those that matter."""
    make, n, n_relevant = CONCEPTS[name]
    costs = []
    for seed in range(SEEDS):
        (X, y), (fresh, truth) = bits(*make(n, seed)), bits(*make(1000, 100 + seed))
        prices = Costs([10] * n_relevant + [1] * (X.shape[1] - n_relevant), errors=5000)
        nominal = {"categorical_features": range(X.shape[1])}
        learners = (
            ACTClassifier(prices, n_samples=8, random_state=seed, **nominal),
            EG2Classifier(prices, **nominal),
            DTMCClassifier(prices, **nominal),
        )
        costs.append([learner.fit(X, y).total_cost(fresh, truth) for learner in learners])
    act, eg2, dtmc = np.transpose(costs)
    print(f"\n{name}: ACT {act.mean():.0f}, EG2 {eg2.mean():.0f}, DTMC {dtmc.mean():.0f}")
    for greedy in (eg2, dtmc):
        assert act.mean() < greedy.mean() / 2
        assert mean_in_errors(greedy - act) > 4


def mean_in_errors(differences):
    """Return a mean of differences as so many of its standard errors."""
    return differences.mean() / (differences.std(ddof=1) / len(differences) ** 0.5)


def test_cost_falls_as_the_sample_grows():
    """The mean cost on fresh cases of three concepts, over 20 seeds of cases and draws."""
    concepts = (
        (lambda n, seed: make_xor(n, 4, 12, seed), 150),
        (lambda n, seed: make_xor(n, 5, 8, seed), 200),
        (make_multi_xor, 150),
    )
    costs = np.zeros((20, 3))
    for seed in range(20):
        for make, n in concepts:
            (X, y), (fresh, truth) = bits(*make(n, seed)), bits(*make(1000, 100 + seed))
            learner = ACTClassifier(
                Costs([10] * X.shape[1], errors=2000),
                random_state=seed,
                categorical_features=range(X.shape[1]),
            )
            costs[seed] += [
                learner.set_params(n_samples=r).fit(X, y).total_cost(fresh, truth) / len(concepts)
                for r in (1, 4, 16)
            ]
    steps = [mean_in_errors(costs[:, i] - costs[:, i + 1]) for i in (0, 1)]
    print(f"\nr = 1, 4, 16: {costs.mean(axis=0).round(1)}, falls by {np.round(steps, 1)} errors")
    assert min(steps) > 3.5


def test_numeric_parity():
    X, y = make_xor_3d(300, random_state=0)
    fresh, truth = make_xor_3d(1000, random_state=1)
    costs = Costs(dict.fromkeys(X.columns, 1), errors=1000)
    act = ACTClassifier(costs, n_samples=20, random_state=0).fit(X, y)
    eg2 = EG2Classifier(costs).fit(X, y)
    assert act.total_cost(fresh, truth) < 0.75 * eg2.total_cost(fresh, truth)


@pytest.mark.parametrize("name", ["heart", "tae", "car"])
@pytest.mark.parametrize("r", [0, 3])
def test_free_errors_ask_nothing(name, r):
    X, y, costs = study(name, errors=0)
    act = ACTClassifier(costs, n_samples=r).fit(X, y)
    assert act.tree_.n_leaves == 1
    assert act.expected_cost_ == 0


def test_where_nothing_costs_anything_nothing_is_asked():
    X, y, _ = study("iris")
    act = ACTClassifier(Costs(dict.fromkeys(X.columns, 0), errors=0)).fit(X, y)
    assert act.tree_.n_leaves == 1
    assert (act.w_, act.cf_) == (0.5, 0.3)


def test_w_and_cf_follow_the_costs():
    X, y, costs = study("heart")
    act = ACTClassifier(costs, n_samples=0).fit(X, y)
    assert act.w_ == costs.w(X.columns, [*act.classes_])
    assert act.cf_ == costs.cf(X.columns, [*act.classes_])
    assert act.tuning_ is None


@many
@given(problems(**PLAIN), st.integers(0, 3), st.integers(0, 99))
def test_pruning_never_raises_the_estimate(problem, r, seed):
    (X, y, costs), weights = as_given(problem)
    _, search = ready(ACTClassifier(costs), X, y, weights)
    *_, (tree, _) = search.grow(r, search.root(seed))
    tree = to_preorder(tree, search.problem.cases)
    after, cost = pruned(search, tree)
    before = costs_now(search, tree)[0] / search.problem.weight
    assert cost <= before * (1 + 1e-12)
    assert cost == pytest.approx(costs_now(search, after)[0] / search.problem.weight)


@many
@given(problems(**PLAIN), st.integers(0, 3), st.integers(0, 99))
def test_what_is_expected_is_what_was_minimised(problem, r, seed):
    (X, y, costs), weights = as_given(problem)
    act = ACTClassifier(costs, n_samples=r, random_state=seed).fit(X, y, weights)
    minimised = act.history_[-1].cost
    if costs.delayed and X.isna().to_numpy().any():  # it takes every test of an order for charged
        assert act.expected_cost_ <= minimised * (1 + 1e-9)
    else:
        assert act.expected_cost_ == pytest.approx(minimised)
    assert act.expected_test_cost_ == pytest.approx(np.average(act.bill(X), weights=weights))


def test_equal_seeds_equal_trees():
    X, y, costs = study("tae")

    def text(random_state):
        return ACTClassifier(costs, n_samples=2, random_state=random_state).fit(X, y).to_text()

    assert text(3) == text(3) == text(np.int64(3))
    assert text(np.random.RandomState(3)) == text(3)
    assert len({text(seed) for seed in range(8)}) > 1


def test_a_live_random_state_moves_on():
    X, y, costs = study("tae")
    act = ACTClassifier(costs, n_samples=2, random_state=np.random.RandomState(0))
    assert len({act.fit(X, y).to_text() for _ in range(8)}) > 1


@pytest.mark.parametrize("delayed", [False, True])
def test_equal_cases_may_be_merged_or_not(monkeypatch, delayed):
    X, y, costs = study("tae", 4)
    costs = Costs(costs.tests, costs.groups, errors=1000, delayed=X.columns[:2] * delayed)
    X, y = (
        X.sample(400, with_replacement=True, seed=0),
        y.sample(400, with_replacement=True, seed=0),
    )
    act = ACTClassifier(costs, random_state=0)
    merged = ready(act, X, y)[1].table.weights
    assert merged.max() > 1
    ref = clone(act).fit(X, y)
    monkeypatch.setattr(
        coded, "_merged", lambda columns, weights: (np.arange(400), weights.astype(np.int64))
    )
    assert act.fit(X, y).to_text() == ref.to_text()
    assert act.expected_cost_ == ref.expected_cost_


class Forgetful(ACTClassifier):
    """Remembers hardly more than one tree at a time."""

    def _prepared_search(self, *args):
        return replace(super()._prepared_search(*args), cache_bytes=0)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("tic-tac-toe", {}),
        ("heart", {}),
        ("heart", {"estimate": "validation"}),
        ("heart", {"max_test_cost": 80}),
    ],
    ids=str,
)
def test_what_is_forgotten_does_not_matter(name, options):
    X, y, costs = study(name)
    act = ACTClassifier(costs, random_state=0, **options)
    _, search = ready(act, X, y)
    *_, _ = search.grow(5, search.root(0))
    remembered = search._idle[0].sets.cache.used.sets
    assert remembered > 2 * len(SetCache.empty(search.table, 0).sets)
    forgetful = Forgetful(costs, random_state=0, **options)
    assert forgetful.fit(X, y).to_text() == act.fit(X, y).to_text()
    assert forgetful.expected_cost_ == act.expected_cost_


def test_what_is_forgotten_does_not_matter_with_delays():
    X, y, costs = study("heart")
    costs = Costs(costs.tests, costs.groups, errors=1000, delayed=X.columns[3:8])
    act, forgetful = (
        kind(costs, n_samples=2, random_state=0).fit(X, y) for kind in (ACTClassifier, Forgetful)
    )
    assert forgetful.to_text() == act.to_text()

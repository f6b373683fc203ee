"""Peers: paid for what they ask, tuned alike, and no more told than the rules allow."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

from frugaltree import Costs, Group
from frugaltree.compare.learners import make
from frugaltree.compare.peers import (
    CANDIDATES,
    INNER_FOLDS,
    CARTPeer,
    LightGBMPeer,
    STreeDPeer,
    base,
)
from frugaltree.compare.peers.base import TrainingSet
from frugaltree.compare.peers.billing import AskedTests, bill_orders, rank_tests
from frugaltree.compare.peers.questions import Questions
from frugaltree.datasets import load, load_costs
from frugaltree.exceptions import FrugaltreeError
from frugaltree.kernels.cost.charges import ChargeBuffers, node_charges
from frugaltree.kernels.cost.prices import charge
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.metrics import error_cost

NEEDS = {"cart": "sklearn", "streed": "pystreed", "lightgbm": "lightgbm"}


@pytest.fixture(params=NEEDS)
def key(request):
    pytest.importorskip(NEEDS[request.param])
    return request.param


@pytest.fixture(scope="module")
def heart():
    X, y = load("heart", return_X_y=True)
    return X, y, load_costs("heart", errors=2000, delayed=False)


# ------------------------------------------------------------------------------ bills

# The root asks for blood test 0; below yes, blood test 1, then test 2.
TREE = AskedTests(np.array([0, -1, 1, -1, 2, -1, -1]), np.array([-1, 0, 0, 2, 2, 4, 4]))
BLOOD = {"blood": Group(["chol", "fbs"], cost=2.0)}
TESTS = {"chol": 5, "fbs": 3, "thal": 100}


def charged(costs, trees, leaves):
    prices = costs.prices(["chol", "fbs", "thal"])
    return bill_orders(prices, rank_tests(trees, np.array(leaves), prices.delayed)).tolist()


def test_the_bill_of_a_path():
    # 2 + 5; 2 + 5 + 3; 2 + 5 + 3 + 100
    assert charged(Costs(TESTS, BLOOD), [TREE], [[1], [3], [5]]) == [7, 10, 110]


def test_a_delayed_test_orders_all_that_could_follow():
    costs = Costs(TESTS, BLOOD, delayed=["fbs"])
    assert charged(costs, [TREE], [[1], [3], [6]]) == [7, 110, 110]
    # A tree that asks for thal follows: ordered wherever fbs was.
    after = AskedTests(np.array([-1]), np.array([-1]))
    thal = AskedTests(np.array([2, -1, -1]), np.array([-1, 0, 0]))
    late = Costs(TESTS, BLOOD, delayed=["chol"])
    assert charged(late, [after, thal], [[0, 1]]) == [100]
    chol = AskedTests(np.array([0, -1, -1]), np.array([-1, 0, 0]))
    split = AskedTests(np.array([1, -1, 2, -1, -1]), np.array([-1, 0, 0, 2, 2]))
    assert charged(late, [chol, split], [[1, 1]]) == [110]
    assert charged(Costs(TESTS, BLOOD), [chol, split], [[1, 1]]) == [10]


def test_several_trees_pay_once():
    assert charged(Costs(TESTS, BLOOD), [TREE, TREE], [[1, 3], [3, 1], [1, 1]]) == [10, 10, 7]


def test_unequal_discounts_depend_on_who_comes_first():
    costs = Costs({"chol": 20, "fbs": 15, "thal": 1}, {"g": Group({"chol": 12, "fbs": 9})})
    chol = AskedTests(np.array([0, -1, -1]), np.array([-1, 0, 0]))
    fbs = AskedTests(np.array([1, -1, -1]), np.array([-1, 0, 0]))
    assert charged(costs, [chol, fbs], [[1, 1]]) == [20 + 6]
    assert charged(costs, [fbs, chol], [[1, 1]]) == [15 + 8]


def random_tree(rng, n_tests, n_inner):
    """Return a random binary tree in preorder."""
    test, parent = [], []

    def grow(up, n):
        here = len(test)
        test.append(int(rng.integers(n_tests)) if n else -1)
        parent.append(up)
        if n:
            left = int(rng.integers(n))
            grow(here, left)
            grow(here, n - 1 - left)

    grow(-1, n_inner)
    return AskedTests(np.array(test), np.array(parent))


def random_costs(rng, names):
    groups = {}
    for g in range(int(rng.integers(0, 3))):
        members = [name for name in names if rng.random() < 0.5] or names[:1]
        if rng.random() < 0.5:
            groups[f"g{g}"] = Group(members, cost=float(rng.integers(0, 9)))
        else:
            groups[f"g{g}"] = Group({name: float(rng.integers(0, 9)) for name in members})
    delayed = [name for name in names if rng.random() < 0.3]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return Costs({name: float(rng.integers(0, 20)) for name in names}, groups, delayed)


@pytest.mark.filterwarnings("ignore:group")
@pytest.mark.parametrize("seed", range(100))
def test_bills_are_those_of_our_own_trees(seed):
    rng = np.random.default_rng(seed)
    names = [f"t{a}" for a in range(int(rng.integers(1, 6)))]
    tree = random_tree(rng, len(names), int(rng.integers(0, 9)))
    prices = random_costs(rng, names).prices(names)
    n = tree.test.size
    nodes = Nodes.empty(n, 1, 2)
    nodes.test[:], nodes.parent[:], nodes.counts[:] = tree.test, tree.parent, 1.0
    nodes.lacking[:] = 0
    out = ChargeBuffers.empty(n, *prices.member.shape)
    node_charges(prices, nodes, out)
    ref = out.bills
    leaves = np.flatnonzero(tree.test == -1)
    got = bill_orders(prices, rank_tests([tree], leaves[:, None], prices.delayed))
    np.testing.assert_allclose(got, ref[leaves])


# -------------------------------------------------------------------------- questions


def test_questions_of_numbers_are_asked_at_quantiles():
    values = np.arange(100.0)[:, None]
    questions = Questions.about(values, [0], nominal=[False], thresholds=3)
    assert questions.value.tolist() == [24.5, 49.5, 74.5]
    few = Questions.about(np.array([[1.0], [1.0], [5.0]]), [0], nominal=[False], thresholds=3)
    assert few.value.tolist() == [3.0]


def test_questions_about_unknown_and_new_values():
    values = np.array([[0.0, 1.0], [1.0, 2.0], [2.0, 3.0]])
    questions = Questions.about(values, [0, 1], nominal=[True, False], thresholds=1)
    assert questions.answers(np.array([[np.nan, np.nan], [-1.0, 0.0]])).tolist() == [
        [0, 0, 0, 0],
        [0, 0, 0, 1],
    ]
    assert list(questions.spans()) == [(0, 0, 2), (1, 3, 3)]


def test_questions_leave_out_what_never_varies():
    values = np.array([[0.0, 1.0, 7.0], [1.0, np.nan, 7.0]])
    questions = Questions.about(values, [0, 1, 2], nominal=[True, False, False], thresholds=9)
    assert questions.test.tolist() == [0]
    assert questions.value.tolist() == [0.0]  # one value of two is enough


# ------------------------------------------------------------------------------- peers


def tiny(n=20):
    """Class and first test agree; the second tells nothing and the third repeats the first."""
    a = ["no", "yes"] * n
    return (
        pl.DataFrame({"a": a, "b": [1.0, 1.0, 2.0, 2.0] * (n // 2), "c": [0, 9] * n}),
        pl.Series(a, dtype=pl.Enum(["no", "yes"])),
    )


@pytest.mark.parametrize(("prices", "bill"), [((3, 1, 7), 3), ((7, 1, 3), 3)])
def test_the_cheaper_of_two_equal_tests_is_paid(key, prices, bill):
    if key == "cart":
        pytest.skip("CART does not see prices")
    X, y = tiny()
    peer = make(key, Costs(dict(zip("abc", prices, strict=True)), errors=100), 0).fit(X, y)
    assert peer.predict(X).tolist() == y.to_list()
    assert peer.bill(X).tolist() == [bill] * len(X)


def test_a_test_dearer_than_an_error_is_not_taken(key):
    X, y = tiny()
    peer = make(key, Costs(default_test_cost=60, errors=100), 0).fit(X, y)
    assert peer.bill(X).tolist() == [0] * len(X)
    assert len(set(peer.predict(X))) == 1


def test_what_is_not_available_is_not_asked(key):
    X, y = tiny()
    costs = Costs({"a": 1, "b": 1, "c": 5}, errors=100, unavailable=["a"])
    peer = make(key, costs, 0).fit(X, y)
    assert peer.bill(X).tolist() == [5] * len(X)
    nothing = Costs(errors=100, unavailable=["a", "b", "c"])
    blind = make(key, nothing, 0).fit(X, y)
    assert blind.bill(X).tolist() == [0] * len(X)


def test_answers_are_the_cheapest(key):
    X, y = tiny()
    X = X.select("b")  # tells nothing
    costs = Costs(default_test_cost=1, errors={("no", "yes"): 90, ("yes", "no"): 10})
    peer = make(key, costs, 0).fit(X, y)
    assert set(peer.predict(X)) == {"yes"}


def test_bills_under_other_prices(key, heart):
    X, y, costs = heart
    peer = make(key, costs, 0).fit(X, y)
    own = peer.bill(X)
    assert (own == peer.bill(X, costs)).all()
    ones = peer.bill(X, Costs(default_test_cost=1))
    assert own.max() <= costs.total(X.columns)
    assert set(ones) <= set(range(X.width + 1))
    assert ((own > 0) == (ones > 0)).all()


def test_the_setting_chosen_is_the_best_tried(key, heart):
    X, y, costs = heart
    peer = make(key, costs, 0).fit(X, y)
    assert len(peer.tuning_) == CANDIDATES
    assert peer.tuning_[peer.setting_] == min(peer.tuning_.values())
    total = error_cost(y, peer.predict(X), costs) + peer.bill(X).mean()
    assert total < error_cost(y, ["healthy"] * len(y), costs)


def test_same_seed_same_peer(key, heart):
    X, y, costs = heart
    name = "streed(time_limit=60)" if key == "streed" else key  # the clock must not decide
    first = make(name, costs, 3).fit(X, y)
    again = clone(first).fit(X, y)
    assert first.setting_ == again.setting_
    assert (first.bill(X) == again.bill(X)).all()
    assert (first.predict(X) == again.predict(X)).all()


def test_all_peers_see_the_same_inner_folds(monkeypatch, heart):
    X, y, costs = heart
    seen = {}
    for key, library in NEEDS.items():
        pytest.importorskip(library)
        folds = seen[key] = []
        kept = base._inner_folds

        def watched(training, folds=folds, kept=kept):
            for train, test in kept(training):
                folds.append(test.tolist())
                yield train, test

        with monkeypatch.context() as patch:
            patch.setattr(base, "_inner_folds", watched)
            make(key, costs, 5).fit(X, y)
    assert len(seen["cart"]) == INNER_FOLDS
    assert seen["cart"] == seen["streed"] == seen["lightgbm"]


def test_large_tables_are_tuned_on_a_part(key, monkeypatch, heart):
    X, y, costs = heart
    monkeypatch.setattr(base, "TUNING_CASES", 60)
    sizes = []
    kept = base._inner_folds
    monkeypatch.setattr(
        base, "_inner_folds", lambda les: sizes.append(les.codes.size) or kept(les)
    )
    make(key, costs, 0).fit(X, y)
    assert sizes == [60]


def test_missing_and_unseen_values(key):
    X, y = load("hepatitis", return_X_y=True)
    peer = make(key, load_costs("hepatitis", errors=500, delayed=False), 0).fit(X[:100], y[:100])
    assert len(peer.predict(X)) == len(X)
    assert (peer.bill(X) >= 0).all()
    X, y = tiny()
    peer = make(key, Costs(default_test_cost=1, errors=100), 0).fit(X, y)
    odd = pl.DataFrame({"a": ["maybe", None], "b": [None, 1.0], "c": [None, 5]}, X.schema)
    assert set(peer.predict(odd)) <= {"no", "yes"}


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_hardly_any_cases(key, n):
    X, y = tiny()
    peer = make(key, Costs(default_test_cost=1, errors=100), 0).fit(X[:n], y[:n])
    assert len(peer.predict(X)) == len(X)
    assert (peer.bill(X) >= 0).all()


def test_a_rare_class(key):
    X, _ = tiny()
    y = ["x", *["no", "yes"] * 19, "y"]
    peer = make(key, Costs(default_test_cost=1, errors=100), 0).fit(X, y)
    assert set(peer.predict(X)) <= {"x", "y", "no", "yes"}


def test_arrays_will_do(key):
    rng = np.random.default_rng(0)
    X = rng.random((60, 3))
    y = (X[:, 1] > 0.5).astype(int)
    peer = make(key, Costs([1, 2, 3], errors=100), 0).fit(X, y)
    assert (peer.predict(X) == y).mean() > 0.9
    assert set(peer.bill(X)) == {2.0}


# ------------------------------------------------------------------- each against itself


def test_the_cart_path_is_what_scikit_learn_says(heart):
    X, y, costs = heart
    peer = CARTPeer(costs, random_state=0).fit(X, y)
    model = peer.model_
    answers = model.questions.answers(peer._values(X))
    paths = model.tree.decision_path(answers)
    prices = costs.prices(X.columns)
    for case, bill in enumerate(peer.bill(X)):
        nodes = paths[case].indices
        asked = model.questions.test[[f for f in model.tree.tree_.feature[nodes] if f >= 0]]
        paid, opened = np.zeros(X.width, np.uint8), np.zeros(3, np.uint8)
        assert bill == pytest.approx(sum(charge(prices, a, paid, opened) for a in asked))


def walked(node, case, asked):
    """Follow a case down LightGBM's own description of a tree."""
    while "split_feature" in node:
        asked[node["split_feature"]] = None
        value = case[node["split_feature"]]
        if node["decision_type"] == "==":
            left = str(int(value)) in node["threshold"].split("||")
        else:
            left = value <= node["threshold"]
        node = node["left_child" if left else "right_child"]


def test_lightgbm_pays_for_the_paths_of_all_trees(heart):
    pytest.importorskip("lightgbm")
    X, y, costs = heart
    peer = LightGBMPeer(costs, random_state=0).fit(X, y)
    assert peer.setting_ < 30  # something is asked
    assert peer.bill(X).max() > 0
    model, values, prices = peer.model_, peer._values(X), costs.prices(X.columns)
    trees = model.booster.dump_model()["tree_info"]
    for case, bill in zip(values[:, model.tests], peer.bill(X), strict=True):
        asked = {}
        for tree in trees:
            walked(tree["tree_structure"], case, asked)
        paid, opened = np.zeros(X.width, np.uint8), np.zeros(3, np.uint8)
        amounts = [charge(prices, model.tests[f], paid, opened) for f in asked]
        assert bill == pytest.approx(sum(amounts))


def brute_force(training, questions, depth):
    """Return the least cost of all trees of a depth: try everything."""
    answers = questions.answers(training.values).astype(bool)

    def least(cases, paid, opened, depth):
        codes = training.codes[cases]
        best = min(training.errors[label, codes].sum() for label in range(training.n_classes))
        if depth == 0:
            return best
        for q, a in enumerate(questions.test):
            now_paid, now_opened = paid.copy(), opened.copy()
            price = charge(training.prices, a, now_paid, now_opened) * cases.size
            yes = answers[cases, q]
            parts = [
                least(part, now_paid, now_opened, depth - 1) for part in (cases[yes], cases[~yes])
            ]
            best = min(best, price + sum(parts))
        return best

    n_tests, n_groups = training.prices.member.shape
    every = np.arange(training.codes.size)
    return least(every, np.zeros(n_tests, np.uint8), np.zeros(n_groups, np.uint8), depth)


@pytest.mark.parametrize(("seed", "depth"), [*itertools.product(range(8), (1, 2, 3))])
def test_streed_finds_the_least_total_cost(seed, depth):
    pytest.importorskip("pystreed")
    rng = np.random.default_rng(seed)
    values = np.column_stack(
        [rng.integers(0, 3, 40), rng.integers(0, 2, 40), rng.random(40), rng.integers(0, 2, 40)]
    ).astype(float)
    codes = ((values[:, 0] == 1) ^ (values[:, 2] > 0.5)).astype(np.intp)
    codes[rng.random(40) < 0.1] = 2
    costs = Costs(
        rng.integers(1, 10, 4).tolist(),
        {"g": Group([0, 2, 3], cost=4.0)},
        errors=np.where(np.eye(3), 0, rng.integers(5, 60, (3, 3))).tolist(),
    )
    prices, errors = costs.resolve(["a", "b", "c", "d"], [0, 1, 2])
    nominal = np.array([True, True, False, True])
    training = TrainingSet(
        values=values, codes=codes, nominal=nominal, prices=prices, errors=errors, seed=0
    )
    peer = STreeDPeer(thresholds=2, time_limit=60)
    model = peer._learner(training)(depth)
    assert model.total(training) == pytest.approx(brute_force(training, model.questions, depth))


def test_streed_is_not_bound_by_small_coins():
    pytest.importorskip("pystreed")
    X, y = tiny()
    costs = Costs({"a": 3e9, "b": 1e9, "c": 7e9}, errors=1e12)
    assert STreeDPeer(costs, random_state=0).fit(X, y).bill(X).tolist() == [3e9] * len(X)


def test_streed_out_of_time_still_answers():
    pytest.importorskip("pystreed")
    X, y = load("wine", return_X_y=True)
    peer = STreeDPeer(Costs(default_test_cost=1, errors=100), time_limit=1e-6).fit(X, y)
    assert len(peer.predict(X)) == len(X)


@pytest.mark.parametrize("cls", [STreeDPeer, LightGBMPeer])
def test_a_library_that_is_not_there(cls, monkeypatch):
    for library in NEEDS.values():
        if library != "sklearn":
            monkeypatch.setitem(__import__("sys").modules, library, None)
    X, y = tiny()
    with pytest.raises(FrugaltreeError, match=r"not installed; pip install 'frugaltree\[peers\]'"):
        cls(Costs(errors=1)).fit(X, y)

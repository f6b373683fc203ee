from __future__ import annotations

import os
from dataclasses import replace

import joblib
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from frugaltree import Costs, Group
from frugaltree.anytime import Stop
from frugaltree.datasets import load, load_costs
from frugaltree.engines.genetic.algorithm import Draws, Encoding, Scale, next_generation, select
from frugaltree.engines.genetic.evaluation import (
    CompleteTrials,
    IncompleteTrials,
    Trials,
    TrialSettings,
)
from frugaltree.estimators.icet import SEED_CF, SEED_W, Bias, Generation, ICETClassifier
from frugaltree.exceptions import FrugaltreeError
from frugaltree.kernels.fast_eg2.trial import Biases
from reference import basics, genetic
from support import bridge
from support.child import run_python
from support.problems import problems
from support.tables import as_pandas, mixed_columns

EXAMPLES = int(os.environ.get("FRUGALTREE_EXAMPLES", "150"))
many = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=EXAMPLES <= 200,
)
few = settings(many, max_examples=max(20, EXAMPLES // 5))

COMPLETE = {"delays": True, "max_cases": 60}
INCOMPLETE = {"missing": True, "fractional_weights": True, "delays": True, "max_cases": 24}
QUICK = {"generations": 3, "population": 8, "random_state": 0}


def make_biases(seed: int, n_tests: int, n: int = 6) -> Biases:
    """Return biases like those that strings spell, ties and extremes included."""
    rng = np.random.default_rng(seed)
    prices = rng.choice([1.0, 1.0, 5.0, 800.0, 8999.0, 9500.0], (n, n_tests))
    prices[::2] = rng.uniform(1, 10000, prices[::2].shape)
    w = np.where(rng.random(n) < 0.3, rng.choice([0.0, 1.0], n), rng.random(n))
    cf = np.where(rng.random(n) < 0.3, rng.choice([0.01, 0.25, 1.0], n), rng.uniform(0.01, 1, n))
    return Biases(prices, w, cf, rng.integers(0, 2**64, n, np.uint64))


def twin_of(bias: tuple, options: genetic.Options) -> genetic.Bias:
    twin = genetic.Bias([0] * 16, 0, options)
    twin.prices, twin.w, twin.cf = bias[0].tolist(), float(bias[1]), float(bias[2])
    return twin


def tree_dict(nodes, table):
    largest = nodes.counts.max(axis=1, keepdims=True)
    return bridge.as_dict(nodes, (nodes.counts >= largest * (1 - 1e-9)).argmax(axis=1), table)


def check_trials(problem, seed, n_grown, min_cases, form, kind):
    coded = bridge.problem_of(problem, fractional=True)
    options = genetic.Options(n_grown, min_cases=min_cases, form=form)
    trials = kind(coded, TrialSettings(n_grown, min_cases, options.unavailable_above, form))
    biases = make_biases(seed, len(problem.kinds))
    if form == "exact":  # beyond a half, the limit would lie below what was seen
        biases = biases._replace(cf=biases.cf * 0.4)
    got = trials.run(biases, np.zeros(1, np.int64))
    for i, bias in enumerate(zip(*biases, strict=True)):
        twin = twin_of(bias, options)
        ref = genetic.trial(problem, twin, int(bias[3]), options)
        assert got[i] == pytest.approx(ref, rel=1e-9, abs=1e-9)
        tree = trials.grow_tree(*bias[:3])
        bridge.assert_same(tree_dict(tree, coded.table), genetic.tree_of(problem, twin, options))


# ------------------------------------------------------------------------------- trials


def test_a_test_that_gains_nothing_alone_may_be_asked():
    """By rounding, the gain of either test of a parity is a little below 0 at the root."""
    rows = [[0, 0]] * 5 + [[0, 1]] * 4 + [[1, 0]] * 4 + [[1, 1]] * 5
    problem = basics.Problem(
        rows=rows, classes=[int(a == b) for a, b in rows], weights=[1.0] * 18,
        kinds=["nominal"] * 2, domains=[2, 2], n_classes=2, full=[0.0] * 2, groups=[],
        delayed=set(), usable={0, 1}, errors=[[0, 1], [1, 0]],
    )  # fmt: skip
    check_trials(problem, 0, 17, 1, "c45", CompleteTrials.of)


@many
@given(problems(**COMPLETE), st.integers(0, 10**6), st.data())
@pytest.mark.parametrize("form", ["c45", "exact", "training"])
def test_trials_on_complete_cases(form, problem, seed, data):
    assume(len(problem.rows) > 1)
    n_grown = data.draw(st.integers(1, len(problem.rows) - 1))
    min_cases = data.draw(st.sampled_from([2, 1, 1.5, 4]))
    check_trials(problem, seed, n_grown, min_cases, form, CompleteTrials.of)


@few
@given(problems(**INCOMPLETE), st.integers(0, 10**6), st.data())
@pytest.mark.parametrize("form", ["c45", "training"])
def test_trials_on_gaps_and_weights(form, problem, seed, data):
    assume(len(problem.rows) > 1)
    n_grown = data.draw(st.integers(1, len(problem.rows) - 1))
    check_trials(problem, seed, n_grown, 2, form, IncompleteTrials)


@pytest.mark.parametrize("name", ["heart", "iris", "tae", "car"])
def test_both_ways_of_running_trials_agree(name):
    X, y = load(name, return_X_y=True)
    problem = ICETClassifier(Costs(default_test_cost=4, errors=90))._read(X, y, None)
    settings = TrialSettings(len(y) // 2, 2, 9000, "c45")
    biases = make_biases(3, X.shape[1], 12)
    flag = np.zeros(1, np.int64)
    fast, slow = CompleteTrials.of(problem, settings), IncompleteTrials(problem, settings)
    np.testing.assert_allclose(fast.run(biases, flag), slow.run(biases, flag), rtol=1e-12)
    for bias in zip(*biases[:3], strict=True):
        for a, b in zip(fast.grow_tree(*bias), slow.grow_tree(*bias), strict=True):
            np.testing.assert_array_equal(a, b)


def test_the_table_decides_how_trials_run():
    columns, y = mixed_columns()
    settings = TrialSettings(40, 2, 9000, "c45")
    learner = ICETClassifier()
    with_gaps = learner._read(as_pandas(columns), y, None)
    assert isinstance(Trials.of(with_gaps, settings), IncompleteTrials)
    complete = as_pandas(mixed_columns(missing=False)[0])
    assert isinstance(Trials.of(learner._read(complete, y, None), settings), CompleteTrials)
    weights = np.arange(1, len(y) + 1) / 2
    assert isinstance(Trials.of(learner._read(complete, y, weights), settings), IncompleteTrials)


def test_trials_find_room_for_wide_tests():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 300, (200, 3)), rng.integers(0, 2, 200)
    X[:, 1:] //= 100
    problem = ICETClassifier(categorical_features=[0, 1, 2])._read(X, y, None)
    problem = replace(problem, cases=problem.cases._replace(domain=problem.cases.domain * 20))
    settings = TrialSettings(100, 1, 9000, "training")
    biases = make_biases(1, 3, 30)
    flag = np.zeros(1, np.int64)
    found = [kind(problem, settings).run(biases, flag) for kind in (Trials.of, IncompleteTrials)]
    np.testing.assert_allclose(*found)


def test_a_flag_cuts_trials_short():
    columns, y = mixed_columns(missing=False)
    problem = ICETClassifier()._read(as_pandas(columns), y, None)
    settings = TrialSettings(40, 2, 9000, "c45")
    for trials in (CompleteTrials.of(problem, settings), IncompleteTrials(problem, settings)):
        assert np.isnan(trials.run(make_biases(0, 5), np.ones(1, np.int64))).all()


# ------------------------------------------------------------------------------- breeding

ENCODING = Encoding(3, Scale((1, 10000), 12), Scale((0, 1), 8), Scale((0.01, 1.0), 8))


def random_strings(rng, n=12, length=ENCODING.length):
    return rng.integers(0, 2, (n, length), np.uint8)


def test_strings_spell_what_the_twin_reads():
    strings = random_strings(np.random.default_rng(0), 40)
    prices, w, cf = ENCODING.decode(strings)
    for i, string in enumerate(strings.tolist()):
        ref = genetic.Bias(string, 3, genetic.Options(1))
        assert prices[i].tolist() == pytest.approx(ref.prices, rel=1e-12)
        assert (w[i], cf[i]) == pytest.approx((ref.w, ref.cf), rel=1e-12)
        np.testing.assert_array_equal(ENCODING.encode(prices[i], w[i], cf[i]), string)


def test_the_ends_of_the_ranges_are_spelled_exactly():
    low, high = (ENCODING.decode(ENCODING.encode(np.full(3, p), w, cf)[None]) for p, w, cf in ENDS)
    assert [x.ravel()[0] for x in low] == [1.0, 0.0, 0.01]
    assert [x.ravel()[0] for x in high] == pytest.approx([10000.0, 1.0, 1.0], rel=1e-15)


ENDS = [(0.0, -1.0, 0.0), (1e9, 7.0, 7.0)]


def test_neighbours_differ_in_one_bit():
    bits = Scale((0, 255), 8).encode(np.arange(256.0))
    assert (np.abs(np.diff(bits.astype(int), axis=0)).sum(axis=1) == 1).all()


def test_a_dear_test_stays_available_to_the_seed():
    string = ENCODING.encode(np.array([20000.0, 9000.0, 12.0]), SEED_W, SEED_CF, 9000)
    prices, w, cf = ENCODING.decode(string[None])
    assert prices[0].tolist() == pytest.approx([9000, 9000, 12], abs=10000 / 4095)
    assert (prices <= 9000).all()
    assert (w[0], cf[0]) == (1.0, pytest.approx(0.25, abs=0.002))


@many
@given(st.integers(0, 10**6), st.integers(2, 13), st.booleans(), st.booleans())
def test_generations_follow_like_the_twins(seed, n, elitism, ties):
    rng = np.random.default_rng(seed)
    strings = random_strings(rng, n, 20)
    costs = rng.integers(0, 4, n).astype(float) if ties else rng.uniform(0, 100, n)
    worst = costs.max() + rng.choice([0.0, 0.0, 30.0, -1.0])
    drawn = Draws.draw(rng, strings.shape, rng.choice([0.0, 0.6, 1.0]), rng.choice([0.0, 0.05]))
    before = strings.copy()
    got = next_generation(strings, costs, worst, drawn, elitism=elitism)
    ref = genetic.breed(strings.tolist(), costs.tolist(), worst, drawn, elitism)
    assert got.tolist() == ref
    np.testing.assert_array_equal(strings, before)


def test_each_string_gets_its_share_of_copies_rounded():
    rng = np.random.default_rng(0)
    for _ in range(50):
        costs = rng.uniform(0, 10, 30)
        counts = np.bincount(select(costs, 10.0, rng.random()), minlength=30)
        expected = 30 * (10 - costs) / (10 - costs).sum()
        assert (np.abs(counts - expected) < 1).all()


def test_luck_is_drawn_as_often_as_the_rates_say():
    drawn = Draws.draw(np.random.default_rng(0), (1000, 200), 0.6, 0.01)
    assert drawn.flips.mean() == pytest.approx(0.01, abs=0.001)
    assert drawn.points.shape == (300, 2)
    assert (drawn.points[:, 0] < drawn.points[:, 1]).all()
    assert drawn.points.min() == 0
    assert drawn.points.max() == 200
    assert Draws.draw(np.random.default_rng(0), (50, 10), 0.6, 0).points.shape == (15, 2)


# ------------------------------------------------------------------------------- the search


def rehearse(learner, problem, encoding):
    """Return what the learner will draw: its first strings, then keys and draws by turns."""
    seed = np.random.RandomState(learner.random_state).randint(2**31, size=4)
    rng = np.random.default_rng(seed)
    shape = learner.population, encoding.length
    key = None if learner.resplit else rng.integers(0, 2**64, 1, np.uint64)[0]
    strings = rng.integers(0, 2, shape, np.uint8)
    if learner.seeded:
        strings[0] = encoding.encode(problem.prices.full, 1.0, 0.25, learner.unavailable_above)
    keys, draws = [], []
    for _ in range(learner.generations):
        drawn = rng.integers(0, 2**64, shape[0], np.uint64) if key is None else [key] * shape[0]
        keys.append([int(k) for k in drawn])
        draws.append(Draws.draw(rng, shape, learner.crossover_rate, learner.mutation_rate))
    return strings.tolist(), keys, draws[:-1]


@few
@given(problems(every_class=True, delays=True, max_cases=30, max_tests=3), st.booleans())
@pytest.mark.parametrize("resplit", [True, False])
def test_the_search_is_the_twins(resplit, problem, seeded):
    assume(problem.n_classes > 1)
    learner = ICETClassifier(
        generations=4, population=6, mutation_rate=0.02, scaling_window=2,
        resplit=resplit, seeded=seeded, random_state=5, unavailable_above=7000,
    )  # fmt: skip
    coded = bridge.problem_of(problem, fractional=True)
    options = genetic.Options(
        learner._trial_settings(coded).n_grown, unavailable_above=7000, window=2
    )
    given = rehearse(learner, coded, learner._encoding(coded))
    cost, bias, tree, history = genetic.icet(problem, *given, options)
    *_, last = learner._rounds(coded, Stop())
    assert last.fitted["bias_"].fitness == pytest.approx(cost, rel=1e-9, abs=1e-9)
    assert list(last.fitted["bias_"].costs.values()) == pytest.approx(bias.prices)
    assert last.fitted["bias_"][1:3] == pytest.approx((bias.w, bias.cf))
    bridge.assert_same(tree_dict(last.nodes, coded.table), tree)
    ref = [(min(costs), sum(costs) / len(costs), max(costs)) for costs in history]
    np.testing.assert_allclose(last.fitted["generations_"], ref, rtol=1e-9, atol=1e-9)


def heart():
    X, y = load("heart", return_X_y=True)
    return X, y, replace_errors(load_costs("heart", delayed=False), 500)


def replace_errors(costs, errors):
    return Costs(costs.tests, groups=costs.groups, delayed=costs.delayed, errors=errors)


def facts(fitted):
    return fitted.to_text(), fitted.bias_, fitted.generations_, fitted.expected_cost_


def test_what_a_fit_leaves_behind():
    X, y, costs = heart()
    fitted = ICETClassifier(costs, **QUICK).fit(X, y)
    assert fitted.termination_ == "completed"
    assert [*fitted.bias_.costs] == [*X.columns]
    assert fitted.bias_.fitness == min(g.best for g in fitted.generations_)
    assert len(fitted.generations_) == 3
    assert all(g.best <= g.mean <= g.worst for g in fitted.generations_)
    assert fitted.history_[-1].samples == 1 + 3 * 8
    assert fitted.history_[-1].cost == fitted.expected_cost_
    assert fitted.expected_cost_ == fitted.expected_test_cost_ + fitted.expected_error_cost_
    assert isinstance(fitted.bias_, Bias)
    assert isinstance(fitted.generations_[0], Generation)


def test_the_tree_is_that_of_the_best_bias_on_all_cases():
    X, y, costs = heart()
    fitted = ICETClassifier(costs, **QUICK).fit(X, y)
    problem = fitted._read(X, y, None)
    trials = IncompleteTrials(problem, fitted._trial_settings(problem))
    bias = fitted.bias_
    nodes = trials.grow_tree(np.array([*bias.costs.values()]), bias.w, bias.cf)
    for got, ref in zip(fitted.tree_.nodes, nodes, strict=True):
        np.testing.assert_array_equal(got, ref)


def test_the_same_seed_the_same_tree_whatever_the_workers():
    X, y, costs = heart()
    learner = ICETClassifier(costs, **QUICK)
    alone = facts(clone(learner).fit(X, y))
    assert facts(clone(learner).fit(X, y)) == alone
    assert facts(clone(learner).set_params(n_jobs=3).fit(X, y)) == alone
    assert facts(clone(learner).set_params(random_state=1).fit(X, y)) != alone
    columns, z = mixed_columns()
    gaps = clone(learner).set_params(costs=None)
    assert facts(clone(gaps).fit(as_pandas(columns), z)) == facts(
        clone(gaps).set_params(n_jobs=2).fit(as_pandas(columns), z)
    )


@pytest.mark.slow
def test_the_same_tree_in_processes():
    X, y, costs = heart()
    alone = facts(ICETClassifier(costs, **QUICK).fit(X, y))
    with joblib.parallel_config("loky"):
        assert facts(ICETClassifier(costs, n_jobs=2, **QUICK).fit(X, y)) == alone


def test_read_only_arrays_from_another_process_become_our_own():
    X, y, costs = heart()
    problem = ICETClassifier(costs)._read(X, y, None)
    trials = CompleteTrials.of(problem, TrialSettings(100, 2, 9000, "c45"))
    state = dict(vars(trials))
    state["errors"] = trials.errors.copy()
    state["errors"].flags.writeable = False
    state["cases"] = trials.cases._replace(codes=trials.cases.codes.copy())
    state["cases"].codes.flags.writeable = False
    again = object.__new__(CompleteTrials)
    again.__setstate__(state)
    assert again.errors.flags.writeable
    assert again.cases.codes.flags.writeable
    assert again.layout.shift == trials.layout.shift
    biases = make_biases(0, X.shape[1])
    flag = np.zeros(1, np.int64)
    np.testing.assert_array_equal(again.run(biases, flag), trials.run(biases, flag))


def test_a_bias_that_comes_up_again_is_not_tried_again():
    X, y, costs = heart()
    settled = {"mutation_rate": 0, "crossover_rate": 0, "resplit": False}
    fitted = ICETClassifier(costs, **QUICK, **settled).fit(X, y)
    assert fitted.history_[-1].samples == 1 + 8  # breeding only copies
    bests = [g.best for g in fitted.generations_]
    assert bests == [bests[0]] * 3


def test_one_parting_and_elitism_never_lose_the_best():
    X, y, costs = heart()
    fitted = ICETClassifier(
        costs, generations=8, population=10, resplit=False, random_state=2, mutation_rate=0.02
    ).fit(X, y)
    bests = [g.best for g in fitted.generations_]
    assert bests == sorted(bests, reverse=True)
    assert bests[-1] < bests[0]


def test_the_seed_is_plain_eg2():
    from frugaltree import EG2Classifier

    X, y, costs = heart()
    problem = EG2Classifier(costs)._read(X, y, None)
    first = next(ICETClassifier(costs, cost_bits=20, cf_bits=20)._rounds(problem, Stop()))
    eg2 = EG2Classifier(costs, prices="static").fit(X, y)
    np.testing.assert_array_equal(first.nodes.test, eg2.tree_.nodes.test)
    np.testing.assert_array_equal(first.nodes.threshold, eg2.tree_.nodes.threshold)
    assert first.progress.cost == eg2.expected_cost_
    assert first.fitted["bias_"].fitness is None


def test_seeded_searches_begin_with_the_true_prices():
    X, y, costs = heart()
    runs = {}
    for seeded in (True, False):
        learner = ICETClassifier(costs, generations=1, population=2, seeded=seeded, random_state=0)
        runs[seeded] = learner.fit(X, y)
    assert runs[True].generations_ != runs[False].generations_


def test_stopped_before_it_began():
    X, y, costs = heart()
    fitted = ICETClassifier(costs, time_limit=0, random_state=0).fit(X, y)
    assert fitted.termination_ == "time_limit"
    assert fitted.tree_.n_leaves > 1
    assert fitted.generations_ == []
    assert fitted.bias_.fitness is None


def test_stopped_on_the_way():
    X, y, costs = heart()
    fitted = ICETClassifier(costs, generations=10**6, time_limit=0.5, random_state=0).fit(X, y)
    assert fitted.termination_ == "time_limit"
    assert 0 < len(fitted.generations_) < 10**6
    assert fitted.bias_.fitness == min(g.best for g in fitted.generations_)


def test_learns_what_groups_and_delays_cost():
    """The dear test comes free with the cheap one's group, which static prices do not show."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, (2, 400))
    X = np.stack([a, b, a ^ b, rng.integers(0, 2, 400)], axis=1)
    y = a & b
    costs = Costs([20, 20, 30, 1], groups={"lab": Group([0, 1], cost=0)}, errors=1000)
    together = Costs([0, 0, 30, 1], groups={"lab": Group([0, 1], cost=20)}, errors=1000)
    bills = [
        ICETClassifier(c, random_state=0, generations=6).fit(X, y).bill(X).mean()
        for c in (costs, together)
    ]
    assert bills[1] <= 20
    assert bills[0] > bills[1]
    late = Costs([1, 20, 30, 1], delayed=[0], errors=1000)
    fitted = ICETClassifier(late, random_state=0, generations=6).fit(X, y)
    assert fitted.predict(X).tolist() == y.tolist()
    assert set(fitted.bill(X)) == {20.0, 21.0}  # b first: a would order both at once


def test_a_test_may_become_unavailable():
    X = np.repeat([[0, 0], [1, 1]], 10, axis=0)
    fitted = ICETClassifier(
        Costs([1, 1], errors=0), cost_range=(9500, 9600), random_state=0, generations=1
    ).fit(X, X[:, 0])
    assert fitted.tree_.n_leaves == 1
    assert min(fitted.bias_.costs.values()) >= 9500


def test_no_pessimism_at_all():
    X, y, costs = heart()
    fitted = ICETClassifier(costs, cf_range=(1.0, 1.0), **QUICK).fit(X, y)
    assert fitted.bias_.cf == 1.0
    assert fitted.tree_.n_leaves > 1


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("cost_range", (1,)),
        ("cost_range", (5, 1)),
        ("cost_range", ("a", "b")),
        ("cost_range", (1, np.inf)),
        ("w_range", (-1, 1)),
        ("w_range", (0, np.nan)),
        ("cf_range", (0, 1)),
        ("cf_range", (0.5, 1.5)),
    ],
)
def test_ranges_that_cannot_be(name, given):
    match = rf"{name} must be two numbers with .*low <= high.*; give the least and the greatest"
    with pytest.raises(FrugaltreeError, match=match):
        ICETClassifier(**{name: given}).fit([[0], [1]], [0, 1])


@pytest.mark.parametrize(
    "given",
    [
        {"generations": 0}, {"population": 1}, {"crossover_rate": 1.5}, {"cost_bits": 0},
        {"train_fraction": 1.0}, {"scaling_window": 0}, {"min_cases": 0.5}, {"seeded": "yes"},
        {"time_limit": -1}, {"cf_range": 0.5},
    ],
)  # fmt: skip
def test_parameters_that_cannot_be(given):
    name = next(iter(given))
    with pytest.raises(ValueError, match=f"The '{name}' parameter of ICETClassifier"):
        ICETClassifier(**given).fit([[0], [1]], [0, 1])


def test_two_cases():
    fitted = ICETClassifier(**QUICK).fit([[0], [1]], ["no", "yes"])
    assert fitted.tree_.n_leaves == 1
    assert len(fitted.generations_) == 3


def test_one_class_has_no_trials():
    with pytest.warns(UserWarning, match="one class"):
        fitted = ICETClassifier(**QUICK).fit([[0], [1]], ["no", "no"])
    assert fitted.generations_ == []
    assert fitted.termination_ == "completed"


@pytest.mark.filterwarnings("ignore:all cases are of one class")
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
@parametrize_with_checks(
    [ICETClassifier()],
    expected_failed_checks=lambda estimator: {
        "check_sample_weight_equivalence_on_dense_data": "trials part the rows at random",
    },
)
def test_scikit_learn(estimator, check):
    check(estimator)


# ------------------------------------------------------------------------------- compiled or not

FIT = """
import json, warnings
import numpy as np
from frugaltree import Costs
from frugaltree.datasets import load
from frugaltree.estimators.icet import ICETClassifier
out = []
for name, n in (("heart", 40), ("tae", 60), ("iris", 50), ("glass", 70), ("hepatitis", 30)):
    X, y = load(name, return_X_y=True)
    step = len(X) // n
    fitted = ICETClassifier(
        Costs(default_test_cost=3, errors=50), generations=3, population=6, random_state=0
    ).fit(X[::step], y[::step])
    out.append([fitted.to_text(), repr(fitted.bias_), repr(fitted.generations_)])
print(json.dumps(out))
"""


@pytest.mark.slow
@pytest.mark.parametrize("env", ["NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK"])
def test_interpreted_and_checked_kernels_give_the_same(env, tmp_path):
    checked = {"NUMBA_CACHE_DIR": str(tmp_path)} if env == "NUMBA_BOUNDSCHECK" else {}
    assert run_python(FIT, **{env: "1"}, **checked) == run_python(FIT)


def test_the_twin_of_a_part():
    problem = basics.Problem(
        rows=[[0], [1], [2]], classes=[0, 1, 1], weights=[1.0] * 3, kinds=["numeric"],
        domains=[0], n_classes=2, full=[1.0], groups=[], delayed=set(), usable={0},
        errors=[[0, 1], [1, 0]],
    )  # fmt: skip
    assert genetic.some(problem, [2, 0]).rows == [[2], [0]]
    grown, others = genetic.divide(12345, 100, 30)
    assert len(grown) == 30
    assert sorted(grown + others) == list(range(100))

"""ACT under limits: larger and larger samples, subtrees improved one by one, and when to stop."""

from __future__ import annotations

import os
import signal
import threading
from functools import partial
from math import inf
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from frugaltree import ACTClassifier, Costs, LSID3Classifier
from frugaltree.anytime import Stop, verbosity
from frugaltree.anytime import stop as stop_module
from frugaltree.datasets import make_multi_xor, make_xor
from frugaltree.engines.sampling import iidt, schedules
from frugaltree.kernels.sentinels import NONE
from support.examples import many
from support.given import as_given, bits, study
from support.problems import problems

pytestmark = [
    pytest.mark.filterwarnings("ignore:all cases are of one class"),
    pytest.mark.filterwarnings("ignore:group .* the discount"),
]

BOTH = pytest.mark.parametrize("schedule", ["doubling", "iidt"])


@pytest.fixture(autouse=True)
def no_earlier_interrupt(monkeypatch):
    monkeypatch.setattr(stop_module, "_last_interrupt", -inf)


def costs_of(act):
    return [moment.cost for moment in act.history_]


def parity():
    """Return 2-XOR among cheaper tests that say nothing; EG2's tree for it prunes to a leaf."""
    X, y = bits(*make_xor(120, 2, 6, 3))
    return X, y, Costs([10, 10, 6, 6, 6, 6, 6, 6], errors=60)


def nominal(X):
    return {"categorical_features": range(X.shape[1])}


# --------------------------------------------------------------------------------------- doubling


@pytest.mark.parametrize("name", ["heart", "tae", "tic-tac-toe", "glass"])
def test_doubling_keeps_the_best_of_its_samples(name):
    X, y, costs = study(name)
    act = ACTClassifier(costs, n_samples=None, max_steps=3, random_state=0).fit(X, y)
    each = [
        ACTClassifier(costs, n_samples=r, random_state=0).fit(X, y).expected_cost_
        for r in (0, 1, 2, 4)
    ]
    assert act.expected_cost_ == pytest.approx(min(each))
    assert act.termination_ == "steps"
    assert costs_of(act)[0] == pytest.approx(each[0])
    assert min(each) < each[0]


@many
@given(problems(missing=True, whole_weights=True, delays=True), st.integers(0, 99))
def test_doubling_on_random_problems(problem, seed):
    (X, y, costs), weights = as_given(problem)
    act = ACTClassifier(costs, random_state=seed)
    each = [
        clone(act).set_params(n_samples=r).fit(X, y, weights).expected_cost_ for r in (0, 1, 2, 3)
    ]
    act.set_params(n_samples=3, max_steps=9).fit(X, y, weights)
    assert act.expected_cost_ == pytest.approx(min(each))
    assert act.termination_ == "completed"


def sample_sizes(monkeypatch, act, X, y):
    """Return how many samples each growth of a fit took."""
    sizes = []
    grow = schedules.SamplingSearch.grow

    def noted(self, r, *args):
        sizes.append(r)
        return grow(self, r, *args)

    monkeypatch.setattr(schedules.SamplingSearch, "grow", noted)
    act.fit(X, y)
    return sizes


@pytest.mark.parametrize(
    ("largest", "max_steps", "sizes", "termination"),
    [
        (0, 9, [], "completed"),
        (1, None, [1], "completed"),
        (5, 9, [1, 2, 4, 5], "completed"),
        (8, 4, [1, 2, 4, 8], "completed"),
        (8, 3, [1, 2, 4], "steps"),
        (None, 5, [1, 2, 4, 8, 16], "steps"),
    ],
)
def test_samples_are_doubled_up_to_the_largest(
    monkeypatch, largest, max_steps, sizes, termination
):
    X, y, costs = study("iris")
    limits = {"max_steps": max_steps} if max_steps else {"time_limit": "1h"}
    act = ACTClassifier(costs, n_samples=largest, **limits)
    assert sample_sizes(monkeypatch, act, X, y) == sizes
    assert act.termination_ == termination


# ------------------------------------------------------------------------------------------- IIDT


def test_iidt_improves_a_tree_that_was_pruned_to_a_leaf():
    X, y, costs = parity()
    act = ACTClassifier(costs, n_samples=0, random_state=0, **nominal(X)).fit(X, y)
    assert act.tree_.n_leaves == 1
    act.set_params(n_samples=None, schedule="iidt", max_steps=4).fit(X, y)
    assert act.tree_.n_leaves == 4
    assert act.expected_test_cost_ == 20
    assert act.termination_ == "steps"


def test_iidt_reaches_what_a_contract_does():
    """On 6 tables of Multi-XOR, subtree by subtree, at least as good as r = 4 at once."""
    found = []
    for seed in range(6):
        X, y = bits(*make_multi_xor(200, seed))
        act = ACTClassifier(Costs([10] * 11, errors=1000), random_state=seed, **nominal(X))
        contract = clone(act).set_params(n_samples=4).fit(X, y).expected_cost_
        act.set_params(n_samples=None, schedule="iidt", max_steps=25).fit(X, y)
        found.append((act.history_[0].cost, contract, act.expected_cost_))
    greedy, contract, improved = np.mean(found, axis=0)
    print(f"\ngreedy {greedy:.1f}, ACT(4) {contract:.1f}, IIDT {improved:.1f}")
    assert improved <= contract * 1.02
    assert improved < greedy / 2


@many
@given(
    problems(missing=True, whole_weights=True, delays=True),
    st.integers(0, 99),
    st.fixed_dictionaries(
        {},
        optional={
            "estimate": st.just("validation"),
            "max_test_cost": st.sampled_from([0, 5, 30]),
            "max_depth": st.integers(0, 3),
            "granularity": st.sampled_from([0, 0.5, 1]),
        },
    ),
)
def test_iidt_never_raises_the_estimate(problem, seed, options):
    (X, y, costs), weights = as_given(problem)
    act = ACTClassifier(
        costs, n_samples=8, schedule="iidt", max_steps=6, random_state=seed, **options
    ).fit(X, y, weights)
    assert costs_of(act) == sorted(costs_of(act), reverse=True)
    assert act.predict(X).shape == y.shape
    if "estimate" not in options:
        cost = act.expected_error_cost_ if "max_test_cost" in options else act.expected_cost_
        assert cost == pytest.approx(act.history_[-1].cost)


def test_iidt_doubles_the_sample_of_a_subtree(monkeypatch):
    X, y, costs = study("tae")
    tasks = []
    regrow = iidt.regrow

    def noted(incumbent, seed, route, task, *rest):
        tasks.append((route, task.r))
        return regrow(incumbent, seed, route, task, *rest)

    monkeypatch.setattr(iidt, "regrow", noted)
    act = ACTClassifier(costs, n_samples=8, schedule="iidt", max_steps=60, random_state=0)
    act.fit(X, y)
    assert act.termination_ == "completed"
    assert {r for _, r in tasks} == {1, 2, 4, 8}
    assert [r for route, r in tasks if route == ()] == [1, 2, 4, 8]
    assert len({route for route, _ in tasks}) > 1


@pytest.mark.parametrize(("granularity", "only_root"), [(1.0, True), (0.0, False)])
def test_granularity(monkeypatch, granularity, only_root):
    X, y, costs = study("tae")
    routes = []
    regrow = iidt.regrow

    def noted(incumbent, seed, route, *rest):
        routes.append(route)
        return regrow(incumbent, seed, route, *rest)

    monkeypatch.setattr(iidt, "regrow", noted)
    act = ACTClassifier(
        costs, n_samples=2, schedule="iidt", max_steps=40, granularity=granularity, random_state=0
    )
    act.fit(X, y)
    assert () in routes
    assert (set(routes) == {()}) == only_root


def test_what_a_subtree_promises():
    """What it costs now, less what no tree could undercut, for a table checked by hand."""
    X, y, costs = parity()
    act = ACTClassifier(costs, cf=0.25, random_state=0, **nominal(X))
    problem = act._read(X, y, None)
    search = act._prepared_search(problem, act._candidates(problem)[0], 0, Stop())
    leaf = search.leaf(search.root(0))
    assert leaf.test.tolist() == [NONE]
    routes = iidt.routes_of(search, leaf)
    now, least = iidt.costs_now(search, leaf), iidt.least_costs(search, leaf, routes)
    m = 120
    assert least[0] == pytest.approx(6 * m + 60 * m * (1 - 0.25 ** (1 / m)))
    assert now[0] > 60 * min(np.bincount(y))
    task = iidt.choose(search, leaf, routes, {}, None, 0.1)
    assert task.utility == pytest.approx((now[0] - least[0]) / (1 * m * 8**3))
    assert iidt.choose(search, leaf, routes, {(): 4}, 8, 0.1).r == 8
    assert iidt.choose(search, leaf, routes, {(): 8}, 8, 0.1) is None


# ----------------------------------------------------------------------------------------- limits


@BOTH
@pytest.mark.parametrize("name", ["heart", "nursery"])
def test_under_a_time_limit_the_estimate_never_rises(schedule, name):
    X, y, costs = study(name)
    act = ACTClassifier(
        costs, n_samples=None, schedule=schedule, time_limit="400 ms", random_state=0
    ).fit(X, y)
    assert act.termination_ == "time_limit"
    assert len(act.history_) > 1
    assert costs_of(act) == sorted(costs_of(act), reverse=True)
    assert act.expected_cost_ == pytest.approx(act.history_[-1].cost)
    samples = [moment.samples for moment in act.history_]
    assert samples == sorted(samples)
    assert samples[0] == 0


@BOTH
def test_no_time_at_all_leaves_the_greedy_tree(schedule):
    X, y, costs = study("heart")
    act = ACTClassifier(costs, time_limit=0, schedule=schedule).fit(X, y)
    assert act.termination_ == "time_limit"
    greedy = ACTClassifier(costs, n_samples=0).fit(X, y)
    assert act.to_text() == greedy.to_text()


def test_no_time_to_try_settings():
    X, y, costs = study("heart")
    usual = ACTClassifier(costs, n_samples=0).fit(X, y)
    act = ACTClassifier(costs, time_limit=0, w="grid", cf=[0.4, 0.1]).fit(X, y)
    assert act.termination_ == "time_limit"
    assert act.tuning_ is None
    assert (act.w_, act.cf_) == (usual.w_, 0.4)


def test_settings_that_were_not_tried_to_the_end_do_not_count():
    class Impatient(ACTClassifier):
        def _searched(self, problem, setting, seed, stop):
            searched.append(setting)
            if len(searched) == 13:
                stop.request("steps")
            return super()._searched(problem, setting, seed, stop)

    searched = []
    X, y, costs = study("heart")
    act = Impatient(costs, n_samples=1, w="grid", random_state=0).fit(X, y)
    assert len(searched) == 13
    assert [tried.w for tried in act.tuning_] == [0.0, 0.25]  # two, with five folds each
    assert act.w_ == min(act.tuning_, key=lambda tried: tried.cost).w
    assert act.termination_ == "steps"


@BOTH
def test_steps_do_not_depend_on_the_clock(schedule):
    X, y, costs = study("glass")
    one, other = (
        ACTClassifier(
            costs,
            n_samples=None,
            max_steps=4,
            schedule=schedule,
            random_state=0,
            time_limit=time_limit,
        ).fit(X, y)
        for time_limit in (None, "1h")
    )
    assert one.to_text() == other.to_text()
    assert one.termination_ == other.termination_ == "steps"


NOTHING_TO_ASK = {
    "constant": (np.ones((10, 2)), [0, 1] * 5, {}),
    "a case": ([[1.0]], [0], {}),
    "two cases": ([[1.0], [2.0]], [0, 1], {}),
    "three cases": ([[1.0], [2.0], [3.0]], [0, 1, 0], {}),
    "never asked": (np.arange(20.0)[:, None], [0, 1] * 10, {"costs": Costs(never_ask=[0])}),
    "no depth": (np.arange(20.0)[:, None], [0, 1] * 10, {"max_depth": 0}),
    "too few": (np.arange(20.0)[:, None], [0, 1] * 10, {"min_cases": 11}),
    "one cut": (np.arange(20.0)[:, None], [0] * 10 + [1] * 10, {}),
    "all cuts": (np.arange(40.0).reshape(20, 2), [0, 1, 1, 0] * 5, {}),
    "quantiles": (np.arange(40.0)[:, None], [0, 1, 1, 0] * 10, {"split_points": "quantile"}),
    "nominal": ([[0, 0], [1, 1]] * 3, [0, 1] * 3, {"categorical_features": [0, 1]}),
    "held out": (np.ones((9, 1)), [0, 1, 0] * 3, {"estimate": "validation"}),
}


@BOTH
@pytest.mark.parametrize("limits", [{"time_limit": "1h"}, {"max_steps": 500}], ids=str)
@pytest.mark.parametrize("table", NOTHING_TO_ASK)
def test_a_search_ends_where_larger_samples_change_nothing(table, limits, schedule):
    X, y, options = NOTHING_TO_ASK[table]
    act = ACTClassifier(schedule=schedule, random_state=0, **options)
    each = [
        clone(act).set_params(n_samples=r, max_steps=500).fit(X, y).expected_cost_
        for r in (64, 512)
    ]
    act.set_params(n_samples=None, **limits).fit(X, y)
    assert act.termination_ == "completed"
    assert act.expected_cost_ == pytest.approx(each[0]) == each[1]


@pytest.mark.parametrize("learner", [ACTClassifier, LSID3Classifier])
def test_a_sample_larger_than_memory(learner):
    X, y = np.arange(20.0)[:, None], [0] * 10 + [1] * 10
    tree = learner(n_samples=2**50, random_state=0).fit(X, y)
    assert tree.termination_ == "completed"
    assert tree.tree_.n_leaves == 2


PATIENCE = 2.0
"""Seconds after which a learner has not heard, on a machine that does other things as well.

Untold, the searches below would go on for hours; how late they are is for benchmarks/sampling.py.
"""


@pytest.mark.parametrize(
    "options",
    [
        {"schedule": "doubling"},
        {"schedule": "iidt"},
        {"schedule": "doubling", "n_jobs": 2},
        {"schedule": "doubling", "w": "grid", "cf": "grid"},
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["krk", "thyroid"])
def test_a_deadline_is_kept(name, options):
    """The time begins once the table is read."""
    X, y, costs = study(name)
    act = ACTClassifier(costs, n_samples=None, time_limit=0.4, random_state=0, **options)

    began = perf_counter()
    act._read(X, y, None)
    read = perf_counter()
    act.fit(X, y)
    assert perf_counter() - read < (read - began) + 0.4 + PATIENCE
    assert act.termination_ == "time_limit"
    assert act.predict(X[:9]).shape == (9,)


@pytest.mark.skipif(os.name != "posix", reason="sends itself signals")
@pytest.mark.parametrize(
    "learner",
    [
        ACTClassifier(n_samples=10**6, random_state=0),
        ACTClassifier(n_samples=None, time_limit="1h", schedule="iidt", random_state=0),
        LSID3Classifier(n_samples=10**6, random_state=0),
    ],
    ids=["contract", "iidt", "LSID3"],
)
def test_ctrl_c_keeps_the_best_tree(learner, monkeypatch):
    X, y, costs = study("krk")
    learner = clone(learner).set_params(costs=costs)
    sent = []

    def interrupt():
        sent.append(perf_counter())
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(stop_module, "_last_interrupt", -inf)
    threading.Timer(0.6, interrupt).start()
    with pytest.warns(UserWarning, match="fit was interrupted; the best tree so far is kept"):
        learner.fit(X, y)
    assert perf_counter() - sent[-1] < PATIENCE
    assert learner.termination_ == "interrupted"
    assert learner.score(X, y) > -1


@pytest.mark.parametrize(("stopped", "leaves"), [(True, 13), (False, 1)])
def test_a_contract_that_is_cut_short_keeps_the_cheaper_tree(monkeypatch, stopped, leaves):
    """What was contracted for, here a leaf, is kept although it is dearer, if it is whole."""
    X, y, costs = study("heart")

    def grow(self, r, place, n_jobs=None):
        if stopped:
            self.stop.request("callback")
        yield self.leaf(place), 1.0

    monkeypatch.setattr(schedules.SamplingSearch, "grow", grow)
    act = ACTClassifier(costs, n_samples=5).fit(X, y)
    assert act.tree_.n_leaves == leaves
    assert act.expected_cost_ == pytest.approx(act.history_[-1].cost)
    assert act.termination_ == ("callback" if stopped else "completed")


# ---------------------------------------------------------------------------- those who watch


class Watcher:
    """Takes note of every round's tree, and stops after so many."""

    def __init__(self, last):
        self.last = last
        self.seen = []

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context, *, fitted_estimator):
        if context.task_name == "round":
            self.seen.append(fitted_estimator)
            return len(self.seen) == self.last
        return False


@pytest.mark.skipif(
    not hasattr(ACTClassifier, "set_callbacks"), reason="scikit-learn before 1.9 has no callbacks"
)
@BOTH
def test_a_callback_stops_a_fit(schedule):
    X, y, costs = study("tic-tac-toe")
    act = ACTClassifier(
        costs, n_samples=None, time_limit="1h", schedule=schedule, random_state=0
    ).set_callbacks(watcher := Watcher(3))
    act.fit(X, y)
    assert act.termination_ == "callback"
    assert len(watcher.seen) == 3
    assert act.score(X, y) > -1
    assert act.bill(X).shape == y.shape
    shown = [one.expected_cost_ for one in watcher.seen]
    assert shown == sorted(shown, reverse=True)
    assert shown[-1] == act.expected_cost_
    assert {one.termination_ for one in watcher.seen} == {"callback"}
    assert {one.w_ for one in watcher.seen} == {act.w_}
    again = ACTClassifier(
        costs, n_samples=None, max_steps=2, schedule=schedule, random_state=0
    ).fit(X, y)
    assert again.to_text() == act.to_text()


HEAD = """\
ACTClassifier: 120 cases, 8 tests, 2 classes
Parameters: categorical_features=range(0, 8), max_steps=2, n_samples=None, random_state=0{}
        Round  What                       Samples      Cost, CAD  vs first
*           1  greedy tree                      0          31.13
"""
LOGS = {
    "doubling": HEAD.format("")
    + """\
*           2  r = 1                           27          22.70   -27.1 %
            3  r = 2                           81          22.70   -27.1 %
Termination    steps
Expected cost  CAD 22.70 per case (tests CAD 20.00 + errors CAD 2.70)
Samples        81""",
    "iidt": HEAD.format(", schedule='iidt'")
    + """\
*           2  r = 1, node 0                   27          22.70   -27.1 %
            3  r = 2, node 4                   39          22.70   -27.1 %
Termination    steps
Expected cost  CAD 22.70 per case (tests CAD 20.00 + errors CAD 2.70)
Samples        39""",
}


@BOTH
def test_the_log(schedule, monkeypatch, caplog):
    monkeypatch.setattr(verbosity, "SearchLog", partial(verbosity.SearchLog, timeless=True))
    X, y, costs = parity()
    costs = Costs(costs.tests, errors=60, unit="CAD")
    act = ACTClassifier(
        costs,
        n_samples=None,
        max_steps=2,
        schedule=schedule,
        random_state=0,
        verbose=2,
        **nominal(X),
    )
    act.fit(X, y)
    assert "\n".join(caplog.messages) == LOGS[schedule]

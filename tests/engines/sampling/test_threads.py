"""The same tree from one thread, several threads, processes, and a cluster."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest
from joblib import parallel_config
from joblib.externals.loky import get_reusable_executor
from sklearn.base import clone

from frugaltree import ACTClassifier, Costs, LSID3Classifier
from frugaltree.engines.sampling import search as lookahead
from frugaltree.engines.sampling import threads as crew
from frugaltree.engines.sampling.plan import make_plan
from support.given import study

LARGE = 20_000
"""Far less than what is dealt out otherwise, for tables of the study to be large enough."""

LEARNERS = {
    "ACT": ACTClassifier(),
    "one sample": ACTClassifier(n_samples=1),
    "budget": ACTClassifier(max_test_cost=90, n_samples=3),
    "set aside": ACTClassifier(estimate="validation"),
    "whole samples": ACTClassifier(prune_samples=False, n_samples=2),
    "doubling": ACTClassifier(n_samples=None, max_steps=3),
    "iidt": ACTClassifier(n_samples=None, max_steps=6, schedule="iidt"),
    "tuned": ACTClassifier(n_samples=1, w=[0.0, 1.0], cf=[0.1, 0.3]),
    "LSID3": LSID3Classifier(),
}


@pytest.fixture(autouse=True)
def much_is_large(monkeypatch):
    monkeypatch.setattr(lookahead, "LARGE", LARGE)


def assert_same(got, ref):
    assert got.to_text() == ref.to_text()
    assert got.expected_cost_ == ref.expected_cost_
    assert got.termination_ == ref.termination_
    assert getattr(got, "tuning_", None) == getattr(ref, "tuning_", None)
    assert [moment.cost for moment in got.history_] == [moment.cost for moment in ref.history_]


def hold_up(monkeypatch, n_threads):
    """Let nobody weigh before so many threads are there; return where their names are noted."""
    method, names, enough = lookahead.SamplingSearch.evaluate_unclaimed, set(), threading.Event()

    def evaluate_unclaimed(self, *args):
        names.add(threading.current_thread().name)
        if len(names) >= n_threads:
            enough.set()
        assert enough.wait(60), "too few threads"
        return method(self, *args)

    monkeypatch.setattr(lookahead.SamplingSearch, "evaluate_unclaimed", evaluate_unclaimed)
    return names


@pytest.mark.parametrize("delayed", [False, True], ids=["at once", "delayed"])
@pytest.mark.parametrize("name", LEARNERS)
def test_threads(name, delayed, monkeypatch):
    X, y, costs = study("heart")
    if delayed:
        costs = Costs(costs.tests, costs.groups, delayed=X.columns[4:9], errors=1000)
    one = clone(LEARNERS[name]).set_params(costs=costs, random_state=0)
    several = clone(one).set_params(n_jobs=3)
    one.fit(X, y)
    names = hold_up(monkeypatch, 3)
    several.fit(X, y)
    assert len(names) >= 3
    assert_same(several, one)


def test_pieces_of_any_size(monkeypatch):
    X, y, costs = study("tic-tac-toe")
    act = ACTClassifier(costs, random_state=0).fit(X, y)
    for large in (1, 1000, 10**5, 10**12):
        for n_jobs in (1, 2, 7):
            monkeypatch.setattr(lookahead, "LARGE", large)
            assert_same(clone(act).set_params(n_jobs=n_jobs).fit(X, y), act)


@pytest.mark.parametrize("name", ["ACT", "budget", "set aside", "LSID3"])
@pytest.mark.parametrize("delayed", [False, True], ids=["at once", "delayed"])
def test_shares_of_a_subtree(name, delayed, monkeypatch):
    """No node is weighed together at first, but others ask at once for a share of the work."""
    X, y, costs = study("heart")
    if delayed:
        costs = Costs(costs.tests, costs.groups, delayed=X.columns[4:9], errors=1000)
    one = clone(LEARNERS[name]).set_params(costs=costs, random_state=0, n_samples=8).fit(X, y)
    grow, shares = lookahead.SamplingSearch.grow_until_shared, []

    def grow_until_shared(self, node, r, claims):
        claims.share_wanted[0] = len(shares) % 3 == 0
        nodes, open_nodes, costed = grow(self, node, r, claims)
        shares.append(len(open_nodes))
        return nodes, open_nodes, costed

    monkeypatch.setattr(lookahead.SamplingSearch, "grow_until_shared", grow_until_shared)
    monkeypatch.setattr(lookahead, "TASKS", 0.1)
    monkeypatch.setattr(crew, "PATIENCE", 0.0)
    for n_jobs in (2, 3):
        shares.clear()
        assert_same(clone(one).set_params(n_jobs=n_jobs).fit(X, y), one)
        assert any(shares)


def test_what_is_small_is_not_dealt_out(monkeypatch):
    monkeypatch.setattr(lookahead, "LARGE", 10**12)
    monkeypatch.setattr(crew, "Thread", None)
    X, y, costs = study("heart")
    ACTClassifier(costs, n_jobs=2, random_state=0).fit(X, y)


def test_an_error_in_a_thread_is_raised(monkeypatch):
    hold_up(monkeypatch, 2)
    weigh = lookahead.SamplingSearch.evaluate_unclaimed

    def fail(self, *args):
        weigh(self, *args)
        if threading.current_thread().name == "frugaltree-1":
            raise MemoryError("no room")
        return weigh(self, *args)

    monkeypatch.setattr(lookahead.SamplingSearch, "evaluate_unclaimed", fail)
    X, y, costs = study("heart")
    with pytest.raises(MemoryError, match="no room"):
        ACTClassifier(costs, n_samples=50, n_jobs=2, random_state=0).fit(X, y)
    assert not any(thread.name == "frugaltree-1" for thread in threading.enumerate())


def test_who_gives_up_leaves_no_thread_behind():
    """A search that nobody asks for more ends soon, however long it would have taken."""
    X, y, costs = study("heart")
    act = ACTClassifier(costs)
    problem = act._read(X, y, None)
    search = lookahead.SamplingSearch(problem, make_plan(problem))
    rounds = search.grow(400, search.root(0), n_jobs=2)
    next(rounds)
    rounds.close()
    assert search.stop.reason == "abandoned"
    assert not any(thread.name == "frugaltree-1" for thread in threading.enumerate())


def test_room_that_runs_out_in_a_thread_is_made(monkeypatch):
    """Every thread begins with hardly any memory, and all of them end with the same tree."""
    X, y, costs = study("heart")
    ref = ACTClassifier(costs, random_state=0).fit(X, y)
    make = lookahead.SamplingSearch._make_workspace

    def small(self):
        self.cache_bytes = 0
        return make(self)

    monkeypatch.setattr(lookahead.SamplingSearch, "_make_workspace", small)
    assert_same(clone(ref).set_params(n_jobs=3).fit(X, y), ref)


def nobody_here(monkeypatch):
    """Let no test be weighed in this process."""

    def evaluate(self, *args):
        raise AssertionError("weighed in the wrong process")

    monkeypatch.setattr(lookahead.SamplingSearch, "evaluate", evaluate)


@pytest.mark.slow
def test_processes(monkeypatch):
    X, y, costs = study("heart")
    learners = {
        name: clone(LEARNERS[name]).set_params(costs=costs, random_state=0)
        for name in ("ACT", "budget", "iidt", "tuned", "LSID3")
    }
    refs = {name: clone(learner).fit(X, y) for name, learner in learners.items()}
    try:
        with parallel_config("loky", n_jobs=2):
            nobody_here(monkeypatch)
            for name, learner in learners.items():
                assert_same(learner.fit(X, y), refs[name])
            limited = ACTClassifier(costs, n_samples=None, time_limit="300 ms").fit(X, y)
            assert limited.termination_ == "time_limit"
            assert limited.predict(X).shape == y.shape
    finally:
        get_reusable_executor().shutdown(wait=True)


@pytest.mark.slow
def test_a_cluster(monkeypatch, tmp_path):
    distributed = pytest.importorskip("distributed")
    X, y, costs = study("heart")
    act = ACTClassifier(costs, n_samples=3, random_state=0)
    lsid3 = LSID3Classifier(costs, n_samples=2, random_state=0)
    refs = [clone(learner).fit(X, y) for learner in (act, lsid3)]
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=None,
            local_directory=tmp_path,
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        workers = client.run(os.getpid)
        assert len(set(workers.values()) - {os.getpid()}) == 2
        with parallel_config("dask"):
            nobody_here(monkeypatch)
            for learner, ref in zip((act, lsid3), refs, strict=True):
                assert_same(learner.fit(X, y), ref)


def test_more_jobs_than_cases():
    act = ACTClassifier(Costs([1, 2], errors=9), random_state=0)
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 3), [0, 1, 1, 0] * 3
    assert_same(clone(act).set_params(n_jobs=16).fit(X, y), act.fit(X, y))

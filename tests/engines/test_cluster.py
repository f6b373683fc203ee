"""Searches on a cluster: the same tree wherever jobs are done, and whoever dies."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from threading import Timer
from typing import Any

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from frugaltree import Costs, FrugalTreeClassifier
from frugaltree.engines.exact import pessimism, spread
from frugaltree.engines.exact.shares import deal_actions
from frugaltree.engines.exact.threads import FOREVER
from frugaltree.estimators import frugal
from frugaltree.exceptions import FrugaltreeError
from frugaltree.kernels.exact.actions import action_of
from support.given import study
from support.stand_ins import HereCluster

STEPS = 40_000


@pytest.fixture(autouse=True)
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave this process early, for many small jobs."""
    monkeypatch.setattr(spread, "HERE_FIRST", 200)
    monkeypatch.setattr(spread, "JOB_STEPS", 1500)
    monkeypatch.setattr(spread, "SURVEY_STEPS", 500)
    monkeypatch.setattr(spread, "FIRST_EXCHANGE", 8000)
    monkeypatch.setattr(pessimism, "WORTH_SENDING", 0.0)


def learn(name: str = "hepatitis", **how: Any) -> FrugalTreeClassifier:
    given = study(name)
    how = {"pessimism": "paper", "max_steps": STEPS, "random_state": 0} | how
    return FrugalTreeClassifier(given.costs, **how).fit(given.X, given.y)


@contextmanager
def on(cluster: Any) -> Iterator[None]:
    """Let searches use a cluster that is none of joblib's."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(frugal, "active_cluster", lambda: cluster)
        yield


def told(learner: FrugalTreeClassifier) -> Any:
    """Return all that must not depend on a cluster."""
    rounds = [(one.cost, one.bound, one.steps, one.what) for one in learner.history_]
    return learner.to_text(), learner.termination_, learner.tuning_, rounds


# ---------------------------------------------------------------------- any cluster


@pytest.mark.parametrize("how", [{}, {"pessimism": "auto"}, {"max_depth": 3}])
def test_neither_order_nor_losses_matter(how: Any) -> None:
    with on(HereCluster()):
        ref = learn(**how)
    assert ref.history_[-1].steps <= STEPS
    for seed, losses in ((1, 0.0), (2, 0.1)):
        with on(HereCluster(seed, losses)):
            assert told(learn(**how)) == told(ref)


def test_the_cheapest_tree_is_found_in_shares() -> None:
    with on(cluster := HereCluster()):
        got = learn("tic-tac-toe", max_steps=None, max_depth=4)
    ref = learn("tic-tac-toe", max_steps=None, max_depth=4)
    assert cluster.sizes
    assert got.termination_ == ref.termination_ == "optimal"
    assert got.objective_ == pytest.approx(ref.objective_, rel=1e-12)


def test_better_trees_come_from_shares() -> None:
    with on(HereCluster()):
        got = learn()
    *_, best = (one for one in got.history_ if one.improved)
    assert best.what == "branch and bound"
    assert best.steps > 2000


def test_jobs_are_small() -> None:
    with on(cluster := HereCluster()):
        learn()
    assert np.median(cluster.sizes) < 1000  # but where lanes tell each other what they know


def test_a_search_goes_on_from_what_workers_know(tmp_path: Any) -> None:
    path = tmp_path / "search.frugal"
    with on(HereCluster()):
        first = learn(checkpoint=path)
    again = learn(checkpoint=path, max_steps=1)
    assert again.objective_ == first.objective_
    assert again.lower_bound_ == first.lower_bound_
    far = learn(checkpoint=path, max_steps=STEPS)
    assert far.objective_ <= first.objective_


def test_a_further_fit_goes_on_elsewhere() -> None:
    given = study("heart")
    learner = FrugalTreeClassifier(
        given.costs, pessimism="paper", max_steps=STEPS, random_state=0, warm_start=True
    )
    costs = []
    for cluster in (HereCluster(), None, HereCluster()):
        with on(cluster):
            costs.append(learner.fit(given.X, given.y).objective_)
    assert costs == sorted(costs, reverse=True)


def test_all_first_actions_are_dealt() -> None:
    for name in ("heart", "tic-tac-toe", "iris"):
        problem = FrugalTreeClassifier()._read(*study(name)[:2], None)
        shares = deal_actions(problem)
        assert all(one.least <= one.most for one in shares)
        assert all(one.most < other.least for one, other in pairwise(shares))
        n_tests = problem.cases.domain.size
        for a, domain in enumerate(problem.cases.domain.tolist()):
            for cut in range(domain):
                action = action_of(a, cut)
                assert sum(one.least <= action <= one.most for one in shares) == 1
        assert shares[-1].most < action_of(n_tests, 0) < FOREVER


def test_large_tables_are_searched_there_too() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 4))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0.5)
    learner = FrugalTreeClassifier(
        Costs([1, 2, 3, 4], errors=50), sample_rows=300, max_steps=4000, random_state=0
    )
    with on(cluster := HereCluster()):
        got = clone(learner).fit(X, y)
    assert cluster.sizes
    assert told(got) == told(learner.fit(X, y))


# ---------------------------------------------------------------------- a real one


@contextmanager
def started(n_workers: int) -> Iterator[Any]:
    """Start a cluster; let joblib use it."""
    distributed = pytest.importorskip("distributed")
    size = {"n_workers": n_workers, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(**size, silence_logs=50) as cluster,
        distributed.Client(cluster) as client,
        parallel_config("dask", client=client),
    ):
        yield client


@pytest.fixture(scope="module")
def two_workers() -> Iterator[Any]:
    with started(2) as client:
        yield client


def kill_one(client: Any, after: float) -> int:
    victim = min(client.run(os.getpid).values())
    Timer(after, os.kill, (victim, signal.SIGKILL)).start()
    return int(victim)


@pytest.mark.slow
@pytest.mark.parametrize("how", [{}, {"pessimism": "auto"}])
def test_workers_find_the_same_tree(two_workers: Any, how: Any) -> None:
    with on(HereCluster()):
        ref = learn(**how)
    assert told(learn(**how)) == told(ref)
    held = two_workers.run(lambda dask_worker: len(dask_worker.data))
    assert len(held) == 2
    victim = kill_one(two_workers, after=0.2)
    assert told(learn(**how)) == told(ref)
    assert victim not in two_workers.run(os.getpid).values()


@pytest.mark.slow
def test_a_single_worker_finds_the_same_tree_even_if_it_dies() -> None:
    with on(HereCluster()):
        ref = learn()
    with started(1) as client:
        assert told(learn()) == told(ref)
        kill_one(client, after=0.2)
        assert told(learn()) == told(ref)


@pytest.mark.slow
def test_time_is_kept(two_workers: Any) -> None:
    got = learn(max_steps=None, time_limit=1.5)
    assert got.termination_ == "time_limit"
    assert got.history_[-1].seconds < 2.0


@pytest.mark.slow
def test_a_worker_searches_by_itself(two_workers: Any) -> None:
    given = study("heart")
    learner = FrugalTreeClassifier(given.costs, pessimism="paper", max_steps=3000, random_state=0)
    with parallel_config("threading"):
        ref = cross_val_score(learner, given.X, given.y, cv=2, error_score="raise")
    got = cross_val_score(learner, given.X, given.y, cv=2, error_score="raise")
    assert got.tolist() == ref.tolist()


@pytest.mark.slow
def test_a_cluster_that_is_gone() -> None:
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=":0", silence_logs=50
    )
    client = distributed.Client(cluster)
    with parallel_config("dask", client=client):
        learn(max_steps=1000)
        Timer(1.0, cluster.close).start()
        with pytest.warns(UserWarning, match="the Dask cluster at tcp://.* is gone") as seen:
            left = learn(max_steps=None, time_limit=60)
        assert left.termination_ == "interrupted"
        assert left.history_[-1].seconds < 30
        assert any("best tree so far" in str(one.message) for one in seen)
        client.close()
        with pytest.raises(FrugaltreeError, match=r"is gone \(its client is closed\); start one"):
            learn()

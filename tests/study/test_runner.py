"""The runner: nothing is lost, nothing is done twice, whatever ends it."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from frugaltree.datasets import names
from frugaltree.exceptions import FrugaltreeError
from study import clusters
from study.clusters import run_job
from study.learners import make, read_icet_seconds
from study.plan import Experiment, choose
from study.problems import Problem
from study.results import KEY, Results
from study.runner import estimate_seconds, find_missing, run_units
from study.units import ANY, Unit

SMALL = Experiment(
    "small",
    ("table",),
    ("c4.5", "eg2", "dtmc", "icet(generations=2)", "act"),
    (Problem("iris", "1"), Problem("monks-1", "2"), Problem("heart", "expert")),
    ("100", "1000", "500:4000"),
    (0, 1, 2),
)
FACTS = [*KEY, "test_cost", "confusion", "cases", "leaves"]
"""All but the time that it took."""

SCRIPT = f"""
import sys
from study.plan import Experiment
from study.problems import Problem
from study.results import Results
from study.runner import run_units

if __name__ == "__main__":
    with Results(sys.argv[1], create=True) as results:
        run_units({SMALL!r}.units(), results, n_jobs=2)
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return the outcomes of an uninterrupted run."""
    with Results(tmp_path_factory.mktemp("whole") / "study.sqlite", create=True) as results:
        report = run_units(SMALL.units(), results, n_jobs=1)
        assert report.done == len(SMALL.units())
        assert not report.failed
        return results.frame().select(FACTS)


def start(path):
    command = [sys.executable, "-c", SCRIPT, str(path)]
    folder = Path(__file__).parents[2]
    return subprocess.Popen(command, cwd=folder, start_new_session=True)


def test_blind_learners_are_trained_once(whole):
    units = SMALL.units()
    assert Unit("c4.5", "iris", ANY, ANY, 0) in units
    assert sum(unit.learner == "c4.5" for unit in units) == 3 * 3
    assert sum(unit.learner == "eg2" for unit in units) == 3 * 3
    assert sum(unit.learner == "act" for unit in units) == 3 * 3 * 3
    c45 = whole.filter((pl.col("learner") == "c4.5") & (pl.col("data") == "iris"))
    assert set(c45["prices"]) >= {"1", "2", "3", "4", "random-1"}


def test_a_second_run_has_nothing_to_do(tmp_path):
    with Results(tmp_path / "study.sqlite", create=True) as results:
        quick_data = [unit for unit in SMALL.units() if unit.learner == "dtmc"]
        assert run_units(quick_data[:5], results, n_jobs=1).done == 5
        assert run_units(quick_data, results, n_jobs=1).done == len(quick_data) - 5
        assert run_units(quick_data, results, n_jobs=1).done == 0
        assert find_missing(quick_data, results.done()) == []


def test_kills_at_any_moment_change_nothing(tmp_path, whole):
    path, moments = tmp_path / "study.sqlite", random.Random(1)
    killed = 0
    for _ in range(10):
        process = start(path)
        try:
            process.wait(moments.uniform(1.0, 6.0))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            killed += 1
    assert start(path).wait() == 0
    with Results(path) as results:
        assert results.frame().select(FACTS).equals(whole)
    assert killed >= 2


def test_a_second_runner_is_turned_away(tmp_path):
    path = tmp_path / "study.sqlite"
    with Results(path, create=True) as first, first.lock(), Results(path) as second:
        with pytest.raises(FrugaltreeError, match="another run is at work"):
            run_units(SMALL.units(), second, n_jobs=1)
        assert len(second) == 0


def test_a_worker_of_a_cluster_is_lost(tmp_path, whole):
    distributed = pytest.importorskip("distributed")
    size = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with (
        distributed.LocalCluster(**size) as cluster,
        distributed.Client(cluster) as client,
        Results(tmp_path / "study.sqlite", create=True) as results,
    ):
        victim = min(client.run(os.getpid).values())
        sizes = []

        def lose_one(file):
            sizes.append(len(file))
            if len(sizes) == 3:
                os.kill(victim, signal.SIGKILL)

        where = cluster.scheduler_address
        report = run_units(SMALL.units(), results, backend="dask", scheduler=where, after=lose_one)
        assert victim not in client.run(os.getpid).values()
        assert not report.failed
        assert results.frame().select(FACTS).equals(whole)


def test_a_scheduler_that_does_not_answer(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(clusters, "CONNECT_SECONDS", 0.5)
    with (
        Results(tmp_path / "study.sqlite", create=True) as results,
        pytest.raises(FrugaltreeError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"),
    ):
        run_units(SMALL.units(), results, backend="dask", scheduler="tcp://127.0.0.1:9")


def test_a_failing_fit_does_not_harm_the_others(tmp_path):
    good = Unit("dtmc", "iris", "1", "100", 0)
    bad = Unit("act(n_samples=-1)", "iris", "1", "100", 0)
    with Results(tmp_path / "study.sqlite", create=True) as results:
        report = run_units([bad, good], results, n_jobs=1)
        assert report.done == 1
        assert [unit for unit, _ in report.failed] == [bad]
        assert "n_samples" in str(report)
        assert good in results.done()
    outcomes, failed = run_job([bad])
    assert not outcomes
    assert len(failed) == 1


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: path.write_bytes(b"no database at all" * 100), "cannot be read"),
        (lambda path: sqlite3.connect(path).executescript("CREATE TABLE t (a)"), "no results"),
        (lambda path: _other_format(path), "has format 99"),
    ],
    ids=["text", "foreign", "other format"],
)
def test_a_file_that_is_no_results_file_stays_as_it_is(tmp_path, make, reason):
    path = tmp_path / "study.sqlite"
    make(path)
    before = path.read_bytes()
    with pytest.raises(FrugaltreeError, match=reason):
        Results(path, create=True)
    assert path.read_bytes() == before


def _other_format(path):
    Results(path, create=True).close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA journal_mode=DELETE")
        db.execute("PRAGMA user_version=99")


def test_packed_results_are_taken_up_again(tmp_path, whole):
    packed = tmp_path / "study.parquet"
    with Results(tmp_path / "one.sqlite", create=True) as one:
        one.unpack(_packed_whole(tmp_path, whole))
        one.pack(packed)
        frame = one.frame()
    with Results(tmp_path / "two.sqlite", create=True) as two:
        assert two.unpack(packed) == len(frame)
        assert two.unpack(packed) == 0
        assert two.is_packed(packed)
        assert two.frame().equals(frame)
        assert find_missing(SMALL.units(), two.done()) == []


def test_what_a_killed_run_did_not_pack_is_packed_later(tmp_path, whole):
    packed = tmp_path / "study.parquet"
    with Results(tmp_path / "one.sqlite", create=True) as results:
        assert not results.is_packed(packed)
        results.pack(packed)
        assert results.is_packed(packed)
        results.unpack(_packed_whole(tmp_path, whole))
        assert not results.is_packed(packed)


def _packed_whole(folder, whole):
    path = folder / "whole.parquet"
    whole.with_columns(pl.lit(0.5).alias("seconds")).write_parquet(path)
    return path


def test_a_packed_file_that_is_none(tmp_path):
    path = tmp_path / "packed.parquet"
    path.write_bytes(b"nothing")
    with Results(tmp_path / "study.sqlite", create=True) as results:
        with pytest.raises(FrugaltreeError, match="cannot be read as packed"):
            results.unpack(path)
        with pytest.raises(FrugaltreeError, match="no file"):
            results.unpack(tmp_path / "none.parquet")
        assert len(results) == 0


def test_the_study_has_the_paper_s_counts():
    sizes = {experiment.name: len(experiment.units()) for experiment in choose([])}
    # 25 tables x 10 folds x 2, 105 x 10 x 3, 105 x 5 x 10 x 3
    assert sizes["main"] == 500 + 3150 + 15750
    assert sizes["random"] == 100 * 5 * 10 * 3
    assert sizes["curves"] == 4 * 4 * 10 * 16


def test_our_own_learner_goes_through_all_of_it():
    planned = {experiment.name: experiment for experiment in choose([])}
    # Five uniform levels, and fourteen of Table 3, two of which are among the five.
    assert len(planned["frugal"].units()) == 105 * 17 * 10
    for name in ("main", "nonuniform"):
        shown = {unit for unit in _units(planned[name]) if unit.learner == "frugal"}
        assert shown <= set(planned["frugal"].units())
    limits = {unit for unit in _units(planned["curves"]) if unit.learner.startswith("frugal")}
    assert limits == set(planned["anytime"].units())
    assert {problem.prices for problem in planned["ablation"].problems} == {"1"}
    assert len(planned["ablation"].problems) == 25


def _units(experiment):
    return replace(experiment, learners=experiment.shown).units()


def test_time_is_icet_s_unless_given():
    assert set(read_icet_seconds()) == set(names())
    assert make("frugal", None, 0, "iris").time_limit == read_icet_seconds()["iris"] < 0.04
    assert make("frugal(time_limit=0.3)", None, 0, "iris").time_limit == 0.3
    assert make("frugal(pessimism=paper)", None, 0, "krk").time_limit == read_icet_seconds()["krk"]
    assert make("frugal", None, 0).time_limit == "auto"
    assert estimate_seconds(Unit("frugal", "krk", "1", "100", 0)) > read_icet_seconds()["krk"]


def test_our_own_learner_keeps_to_its_time():
    (outcome,), failed = run_job([Unit("frugal", "heart", "1", "500", 0)])
    assert not failed
    assert outcome.leaves >= 1
    assert outcome.seconds < read_icet_seconds()["heart"] + 0.2


def test_time_is_not_asked_of_the_first_fit():
    begun = time.process_time()
    (outcome,), _ = run_job([Unit("dtmc", "iris", "1", "100", 0)])
    assert outcome.seconds <= time.process_time() - begun

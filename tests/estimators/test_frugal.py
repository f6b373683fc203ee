"""FrugalTreeClassifier: settings, threads, going on, and limits. Its costs: test_exact_*.py."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from itertools import pairwise
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import cpu_count, parallel_config

from frugaltree import Costs, FrugalTreeClassifier
from frugaltree.engines.cluster import threads_here
from frugaltree.engines.cross_validation import folds_of_merged
from frugaltree.engines.exact import one_vs_rest as rest
from frugaltree.engines.exact import search as solver
from frugaltree.engines.exact.one_vs_rest import ValueTests
from frugaltree.engines.exact.pessimism import CrossValidation
from frugaltree.exceptions import FrugaltreeError
from frugaltree.kernels.exact.state_table import States
from support.given import long_search, study

EXACT = {"pessimism": "paper", "max_steps": 3000, "random_state": 0}


def learn(name: str, **how: Any) -> FrugalTreeClassifier:
    """Learn a table of the study, with few steps unless told otherwise."""
    given = study(name)
    return FrugalTreeClassifier(given.costs, **EXACT | how).fit(given.X, given.y)


# ---------------------------------------------------------------------- settings


def test_the_choice_of_the_pessimism_is_told() -> None:
    frugal = learn("heart", pessimism="auto")
    names = [one.name for one in frugal.tuning_]
    assert names == ["log cut 0.25", "log cut 1", "split 2", "split 2, log cut 1", "leaf"]
    assert frugal.pessimism_ in names
    chosen = frugal.tuning_[names.index(frugal.pessimism_)]
    assert chosen.cost == min(one.cost for one in frugal.tuning_)
    told = frugal.forecast_
    assert (frugal.cv_cost_, frugal.cv_cost_error_) == (told.cost, told.error)
    assert told.low < told.cost < told.high
    assert told.cost >= chosen.cost - 1e-9  # the choice does not flatter it
    assert told.guess == pytest.approx(frugal.tuning_[-1].cost)
    assert told.saving == pytest.approx(told.guess - told.cost)
    assert told.cases == 297
    assert frugal.tuning_[0].saving == frugal.tuning_[0].saving_error == 0.0
    assert all(one.error > 0.0 for one in frugal.tuning_)


def test_the_choice_is_told_of_a_tree_that_was_proven_before() -> None:
    X = [[a, b] for a in (0, 1) for b in (0, 1)] * 20
    y = [a for a, _ in X]
    learner = FrugalTreeClassifier(
        Costs([1, 1], errors=50), max_steps=10_000, categorical_features=[0, 1], random_state=0
    ).fit(X, y)
    assert learner.termination_ == "optimal"
    assert learner.tuning_ is not None
    assert learner.cv_cost_ == learner.tuning_[0].cost == 1.0


def test_savings_are_differences_of_the_costs() -> None:
    first, *others = learn("heart", pessimism="auto").tuning_
    for one in others:
        assert one.saving == pytest.approx(first.cost - one.cost)


def test_nominal_tests_have_no_cuts_to_charge_for() -> None:
    frugal = learn("car", pessimism="auto")
    names = [one.name for one in frugal.tuning_]
    assert names == ["paper", "split 1", "split 2", "split 4", "leaf"]


@pytest.mark.parametrize(
    ("pessimism", "name", "cf"),
    [("paper", "paper", None), ("none", "none", None), (0.1, "cf 0.1", 0.1)],
)
def test_a_setting_that_is_given_is_not_tried(pessimism: Any, name: str, cf: float | None) -> None:
    frugal = learn("heart", pessimism=pessimism, max_steps=300)
    assert (frugal.pessimism_, frugal.tuning_) == (name, None)
    assert frugal.forecast_ is frugal.cv_cost_ is frugal.cv_cost_error_ is None
    if cf is not None:
        assert frugal.cf_ == cf


def test_without_pessimism_the_errors_seen_count() -> None:
    given = study("heart")
    frugal = learn("heart", pessimism="none")
    wrong = np.mean(frugal.predict(given.X) != given.y.to_numpy())
    bills = frugal.bill(given.X)
    assert frugal.expected_cost_ == pytest.approx(np.mean(bills) + 1000 * wrong)


def test_where_there_is_nothing_to_learn_little_is_asked() -> None:
    given = study("heart")
    y = np.random.default_rng(0).permutation(np.asarray(given.y))
    paper, auto = (
        FrugalTreeClassifier(given.costs, **EXACT | {"pessimism": pessimism}).fit(given.X, y)
        for pessimism in ("paper", "auto")
    )
    assert auto.pessimism_ != auto.tuning_[0].name
    assert auto.tree_.n_leaves < paper.tree_.n_leaves / 2


# ----------------------------------------------------------------------- threads


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("car", {}),
        ("tic-tac-toe", {}),
        ("iris", {}),
        ("wine", {"max_depth": 2}),
        ("heart", {"max_depth": 2}),
    ],
)
def test_threads_prove_the_same(name: str, how: dict[str, Any]) -> None:
    alone, *others = (learn(name, max_steps=None, n_jobs=n, **how) for n in (None, 2, 4))
    for other in (alone, *others):
        assert other.termination_ == "optimal"
        assert other.objective_ == pytest.approx(alone.objective_, rel=1e-9)
        assert other.lower_bound_ == pytest.approx(other.objective_, rel=1e-9)


def test_threads_go_on_from_a_checkpoint(tmp_path: Any) -> None:
    path = tmp_path / "search.frugal"
    how = {"max_steps": None, "n_jobs": 2, "checkpoint": path}
    short = learn("heart", time_limit=0.3, **how)
    longer = learn("heart", time_limit=0.3, **how | {"n_jobs": 4})
    assert longer.objective_ <= short.objective_
    assert short.lower_bound_ <= longer.lower_bound_ <= longer.objective_


@pytest.mark.parametrize("name", ["heart", "car"])
def test_threads_change_nothing_where_steps_are_counted(name: str) -> None:
    alone, *others = (learn(name, pessimism="auto", n_jobs=n) for n in (None, 2, 5))
    for other in others:
        assert other.to_text() == alone.to_text()
        assert other.tuning_ == alone.tuning_
        assert (other.objective_, other.lower_bound_) == (alone.objective_, alone.lower_bound_)


def test_the_same_seed_gives_the_same_tree() -> None:
    one, two = (learn("glass", pessimism="auto") for _ in range(2))
    assert one.to_text() == two.to_text()
    assert one.lower_bound_ == two.lower_bound_


# ---------------------------------------------------------------------- going on


def test_more_time_makes_nothing_worse() -> None:
    costs, bounds = [np.inf], [0.0]
    for steps in (1, 10, 100, 1000, 5000):
        frugal = learn("heart", max_steps=steps)
        costs.append(frugal.objective_)
        bounds.append(frugal.lower_bound_)
    assert costs == sorted(costs, reverse=True)
    assert bounds == sorted(bounds)
    assert bounds[-1] <= costs[-1]


def test_a_warm_start_goes_on() -> None:
    given = study("heart")
    frugal = FrugalTreeClassifier(given.costs, **EXACT, warm_start=True)
    costs, bounds = [], []
    for _ in range(4):
        frugal.fit(given.X, given.y)
        costs.append(frugal.objective_)
        bounds.append(frugal.lower_bound_)
    assert costs == sorted(costs, reverse=True)
    assert bounds == sorted(bounds)
    assert bounds[-1] > bounds[0]


def test_a_warm_start_goes_on_with_other_threads() -> None:
    given = study("heart")
    frugal = FrugalTreeClassifier(
        given.costs, pessimism="paper", time_limit=0.2, n_jobs=2, random_state=0, warm_start=True
    ).fit(given.X, given.y)
    cost, bound, search = frugal.objective_, frugal.lower_bound_, frugal._session_.search
    frugal.set_params(max_steps=2000).fit(given.X, given.y)
    assert (search.jobs, frugal._session_.search.jobs) == (2, 1)
    assert frugal.objective_ <= cost
    assert frugal.lower_bound_ >= bound


def test_four_tests_on_a_path_are_proven_by_what_neighbours_rule_out() -> None:
    """Were thresholds to rule out no more than needed, it would take 800,000 states."""
    given = study("heart")
    numbers = pl.DataFrame(given.X).select(pl.all().to_physical()).to_numpy().astype(float)
    how = {"pessimism": "none", "max_depth": 4, "max_steps": 600_000, "random_state": 0}
    frugal = FrugalTreeClassifier(Costs([0.0] * numbers.shape[1], errors=1), **how)
    assert frugal.fit(numbers, given.y).termination_ == "optimal"
    assert round(frugal.expected_cost_ * len(numbers)) == 24


def test_samples_that_take_long_come_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were they cut into pieces, the first would begin anew again and again."""
    for piece in ("FIRST_PIECE", "NEXT_PIECE", "LEAST_PIECE"):
        monkeypatch.setattr(solver, piece, 3)
    frugal = learn("car", pessimism="auto", max_steps=20_000)
    assert frugal.tuning_ is not None


def test_a_warm_start_takes_other_limits(tmp_path: Any) -> None:
    given, path = study("heart"), tmp_path / "search.frugal"
    frugal = FrugalTreeClassifier(given.costs, **EXACT, memory_limit=2**16, warm_start=True)
    frugal.fit(given.X, given.y)
    frugal.set_params(memory_limit=2**26, checkpoint=path, max_steps=30_000).fit(given.X, given.y)
    assert frugal._session_.search._workers.states.lines.nbytes > 2**16
    assert path.exists()


def test_a_warm_start_with_other_cases_begins_anew() -> None:
    given = study("heart")
    frugal = FrugalTreeClassifier(given.costs, **EXACT, warm_start=True).fit(given.X, given.y)
    frugal.fit(given.X[:100], given.y[:100])
    alone = FrugalTreeClassifier(given.costs, **EXACT).fit(given.X[:100], given.y[:100])
    assert (frugal.objective_, frugal.lower_bound_) == (alone.objective_, alone.lower_bound_)


def test_a_checkpoint_goes_on_where_the_search_has_ended(tmp_path: Any) -> None:
    path = tmp_path / "search.frugal"
    first = learn("heart", pessimism="auto", checkpoint=path)
    tuned = first.tuning_
    again = learn("heart", pessimism="auto", checkpoint=path)
    assert again.tuning_ == tuned
    assert again.objective_ <= first.objective_
    assert again.lower_bound_ >= first.lower_bound_
    assert again.history_[0].cost == first.objective_


def test_a_checkpoint_is_written_when_time_is_up(tmp_path: Any) -> None:
    path = tmp_path / "search.frugal"
    how = {"checkpoint": path, "checkpoint_interval": "1h", "max_steps": None}
    first = learn("heart", time_limit=0.3, **how)
    assert first.termination_ == "time_limit"
    again = learn("heart", time_limit=0.0, **how)
    assert again.objective_ == first.objective_


def test_a_checkpoint_begins_with_the_first_tree(tmp_path: Any, monkeypatch: Any) -> None:
    """A fit that is killed while settings are tried has left its tree, and the next goes on."""

    class Killed(Exception):
        pass

    def fold(*_: Any) -> None:
        kept.append(path.read_bytes())  # what a process that is killed now leaves behind
        raise Killed

    kept: list[bytes] = []
    path = tmp_path / "search.frugal"
    how = {"pessimism": "auto", "checkpoint": path, "checkpoint_interval": 0}
    with monkeypatch.context() as patched:
        patched.setattr(CrossValidation, "_try_fold", fold)
        with pytest.raises(Killed):
            learn("tic-tac-toe", **how)
    path.write_bytes(kept[0])
    begun = learn("tic-tac-toe", **how | {"max_steps": None, "time_limit": 0})
    assert begun.tuning_ is None
    path.write_bytes(kept[0])
    first, *_ = (again := learn("tic-tac-toe", **how)).history_
    assert first.cost == pytest.approx(begun.objective_, rel=1e-12)
    assert again.pessimism_ == begun.pessimism_  # so that costs mean the same
    alone = learn("tic-tac-toe", pessimism="auto")
    assert first.cost < alone.history_[0].cost
    assert [one.cost for one in again.tuning_] == [one.cost for one in alone.tuning_]


def test_another_problem_does_not_touch_the_checkpoint(tmp_path: Any) -> None:
    path = tmp_path / "search.frugal"
    learn("heart", checkpoint=path)
    content = path.read_bytes()
    with pytest.raises(FrugaltreeError, match="parameters"):
        learn("heart", checkpoint=path, max_depth=3)
    with pytest.raises(FrugaltreeError, match="data"):
        learn("bupa", checkpoint=path)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"random_state": np.random.RandomState(0)}, {"random_state": np.random.RandomState(0)}),
        ({"min_cases": np.int64(2)}, {"min_cases": 2}),
    ],
)
def test_the_same_parameters_are_known_again(tmp_path: Any, one: Any, other: Any) -> None:
    path = tmp_path / "search.frugal"
    first = learn("heart", checkpoint=path, **one)
    again = learn("heart", checkpoint=path, **other)
    assert again.history_[0].cost == pytest.approx(first.objective_, rel=1e-12)


# ------------------------------------------------------------------------ limits


@pytest.mark.parametrize("pessimism", ["paper", "auto"])
@pytest.mark.parametrize("steps", [1, 30, 400, 3000])
def test_steps_are_a_limit_for_the_whole_fit(pessimism: str, steps: int) -> None:
    searches: dict[int, solver.Search] = {}
    allow = solver.Search.allow

    def noted(self: solver.Search, steps: int | None) -> None:
        searches[id(self)] = self  # those of trials are not limited
        allow(self, steps)

    with mock.patch.object(solver.Search, "allow", noted):
        learn("car", pessimism=pessimism, max_steps=steps)
    taken = sum(search.steps for search in searches.values())
    assert 0 < taken <= steps + 2  # a search looks at one state at least, that of the choice too


def test_threads_are_those_of_this_machine() -> None:
    with parallel_config("loky", n_jobs=64):
        assert threads_here(None) <= cpu_count()
    assert threads_here(3) == 3


@pytest.mark.parametrize("weight", [10**6, 10**12])
def test_rows_may_stand_for_very_many_cases(weight: int) -> None:
    X = [[a, b] for a in (0, 1, 2) for b in (0, 1)] * 3
    y = [a == 1 for a, _ in X]
    frugal = FrugalTreeClassifier(Costs([1, 1], errors=50), max_steps=500, random_state=0)
    frugal.fit(X, y, sample_weight=np.full(len(X), weight))
    assert frugal.expected_cost_ == pytest.approx(1.0, rel=1e-3)
    assert frugal.cv_cost_ == 1.0


def test_many_cases_of_a_kind_are_dealt_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frugaltree.engines.cross_validation.MOST_DEALT", 30)
    weights = np.array([3, 1000, 10])
    random = np.random.default_rng(1)
    folds = np.array(folds_of_merged(np.array([0, 0, 1]), weights, random))
    assert folds.sum(axis=0).tolist() == weights.tolist()
    assert folds[:, 1].min() >= 198


def test_a_table_that_cannot_grow_does_not_cost_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    empty = States.empty.__func__

    def little(cls: type[States], n_bytes: int) -> States:
        if n_bytes > 2**20:
            raise MemoryError
        return empty(cls, n_bytes)

    monkeypatch.setattr(States, "empty", classmethod(little))
    frugal = learn("heart", max_steps=100_000)
    assert frugal.lower_bound_ <= frugal.objective_ < np.inf
    assert frugal.termination_ == "steps"


def test_chance_is_not_blamed_for_want_of_memory() -> None:
    given = study("tic-tac-toe", errors=5000)
    frugal = FrugalTreeClassifier(
        given.costs, splits="values", memory_limit=2**16, time_limit="60s", random_state=0
    ).fit(given.X, given.y)
    assert frugal.termination_ != "completed" or frugal.gap_ <= 0.05


def test_the_table_keeps_to_its_memory() -> None:
    given, limit = study("heart"), 2**22
    how = EXACT | {"max_steps": 200_000, "memory_limit": limit, "warm_start": True}
    frugal = FrugalTreeClassifier(given.costs, **how).fit(given.X, given.y)
    lines = frugal._session_.search._workers.states.lines
    assert limit / 4 <= lines.nbytes <= limit
    free = (lines.stamp == 0).mean()
    assert free < 0.5  # it was in need of more
    assert frugal.lower_bound_ <= frugal.objective_


def test_a_small_memory_costs_no_validity() -> None:
    much, *little = (
        learn("car", max_steps=None, memory_limit=size, n_jobs=n)
        for size, n in ((2**26, 1), (2**12, 1), (2**12, 4))
    )
    assert much.termination_ == "optimal"
    for one in little:
        assert one.lower_bound_ <= much.objective_ <= one.objective_ * (1 + 1e-9)


INTERRUPTED = """
import signal, sys, threading, time, warnings
sys.path.insert(0, sys.argv[1])
from frugaltree import FrugalTreeClassifier
from support.given import study
given = study("heart")
frugal = FrugalTreeClassifier(given.costs, time_limit="10 min", random_state=0)
FrugalTreeClassifier(given.costs, max_steps=10).fit(given.X, given.y)
threading.Timer(1.0, signal.raise_signal, [signal.SIGINT]).start()
with warnings.catch_warnings(record=True) as told:
    frugal.fit(given.X, given.y)
print(frugal.termination_, frugal.lower_bound_ <= frugal.objective_, told[0].message)
"""


def test_ctrl_c_keeps_the_tree() -> None:
    command = [sys.executable, "-c", INTERRUPTED, os.path.dirname(os.path.dirname(__file__))]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    assert told.stdout == ("interrupted True fit was interrupted; the best tree so far is kept.\n")


# ------------------------------------------------------------------------- kills

INTERVAL = 0.1

SEARCHERS = """
import json, os, sys, time
sys.path.insert(0, sys.argv[1])
from frugaltree import FrugalTreeClassifier
from frugaltree.engines.exact.acceptance import Acceptance
from support.given import long_search

X, y, how = long_search()
FrugalTreeClassifier(**how | {"max_steps": 10}).fit(X, y)
snapshot = Acceptance.snapshot

def told(self, what, **how):
    found = snapshot(self, what, **how)
    known = [time.monotonic(), found.progress.cost, found.progress.bound]
    os.write(out, (json.dumps(known) + "\\n").encode())
    return found

Acceptance.snapshot = told
for line in sys.stdin:
    pid = os.fork()
    if not pid:
        out = os.open(line.strip(), os.O_WRONLY | os.O_CREAT)
        how |= {"checkpoint": sys.argv[2], "checkpoint_interval": float(sys.argv[3])}
        FrugalTreeClassifier(**how).fit(X, y)
    print(pid, flush=True)
    os.waitpid(pid, 0)
    print("gone", flush=True)
"""
"""For each line a fit with a checkpoint that tells a file what it knows when, until killed."""


def known(path: Any) -> list[list[float]]:
    """Return what a fit has told: (time, cost, bound)."""
    lines = path.read_text().split("\n")[:-1] if path.exists() else []
    return [json.loads(line) for line in lines]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_killed_fit_loses_no_more_than_an_interval(tmp_path: Any) -> None:
    tests, path = os.path.dirname(os.path.dirname(__file__)), tmp_path / "search.frugal"
    command = [sys.executable, "-c", SEARCHERS, tests, str(path), str(INTERVAL)]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    draw, before, resumed = random.Random(0), [np.inf, 0.0], 0
    with subprocess.Popen(command, **pipes) as host:
        for turn in range(20):
            told = tmp_path / f"told-{turn}"
            print(told, file=host.stdin, flush=True)
            pid = int(host.stdout.readline())
            while not known(told):
                time.sleep(0.01)
            time.sleep(draw.uniform(0.0, 1.0))
            os.kill(pid, signal.SIGKILL)
            assert host.stdout.readline() == "gone\n"
            moments = known(told)
            _, cost, bound = moments[0]
            assert cost <= before[0] * (1 + 1e-9)
            assert bound >= before[1] * (1 - 1e-9)
            resumed += turn > 0 and path.exists()
            before = kept_for_sure(moments)
        host.stdin.close()
    assert resumed > 15
    assert before[1] > 0.0
    X, y, how = long_search()
    FrugalTreeClassifier(**how | {"checkpoint": path, "time_limit": 0.1}).fit(X, y)


def kept_for_sure(moments: list[list[float]]) -> list[float]:
    """Return the cost and bound that a checkpoint must hold, by what was told until a kill.

    A checkpoint is due after a round that ends an interval after the last one. Once a further
    round was told, it has been written.
    """
    began, kept = moments[0][0], moments[0][1:]
    for (at, *found), _ in pairwise(moments):
        if at - began >= INTERVAL:
            began, kept = at, found
    return kept


# ------------------------------------------------------------------- values against the rest


def test_one_value_is_set_against_the_rest() -> None:
    """Red means yes; the others, of which there are many, are alike, and asked about for once."""
    hues = ["red", "green", "blue", "grey", "white"]
    X = pd.DataFrame({"hue": pd.Categorical(hues * 8, hues)})
    y = ["yes" if hue == "red" else "no" for hue in X["hue"]]
    costs = Costs({"hue": 3}, errors=100)
    apart, values = (
        FrugalTreeClassifier(costs, pessimism="paper", splits=splits).fit(X, y)
        for splits in ("rest", "values")
    )
    assert apart.to_text().splitlines() == [
        "asks hue, price 3",
        "├─ hue = red:          yes  8 cases, 100 %",
        "└─ hue other than red: no  32 cases, 100 %",
    ]
    assert values.tree_.n_leaves == 5
    assert apart.expected_cost_ < values.expected_cost_
    assert (apart.predict(X) == y).all()
    assert (apart.bill(X) == 3).all()


def test_a_test_asked_again_is_not_paid_again() -> None:
    hues = ["red", "green", "blue", "grey"]
    X = pd.DataFrame({"hue": pd.Categorical(hues * 9, hues)})
    y = [{"red": "stop", "green": "go"}.get(hue, "look") for hue in X["hue"]]
    frugal = FrugalTreeClassifier(Costs({"hue": 7}, errors=100), pessimism="paper", splits="rest")
    assert frugal.fit(X, y).tree_.depth == 2
    assert frugal.termination_ == "optimal"
    assert (frugal.bill(X) == 7).all()
    assert frugal.expected_test_cost_ == 7
    assert "asks hue again (already paid)" in frugal.to_text()
    assert "other values" not in frugal.to_text()


def test_which_splits_there_are_by_default() -> None:
    given = study("car")
    for pessimism, like in (("auto", "rest"), ("paper", "values"), (0.1, "values")):
        both = [
            FrugalTreeClassifier(
                given.costs, **EXACT | {"pessimism": pessimism, "max_steps": 300}, splits=splits
            ).fit(given.X, given.y)
            for splits in ("auto", like)
        ]
        assert both[0].to_text() == both[1].to_text()


def test_names_are_not_asked_for_one_by_one() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "name": pd.Categorical([f"n{i}" for i in range(300)]),
            "hue": pd.Categorical(rng.choice(["red", "green", "blue"], 300)),
        }
    )
    problem = FrugalTreeClassifier()._read(X, np.arange(300) % 2, None)
    tests = ValueTests.all_of(problem)
    assert tests.test.tolist() == [0, 1, 1, 1, 1]
    assert tests.extend(problem).cases.codes.shape == (5, 300)
    with mock.patch.object(rest, "MOST_RESULTS", 300 * 3 - 1):
        assert ValueTests.all_of(problem).n_added == 0

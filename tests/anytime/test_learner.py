from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
from math import inf
from pathlib import Path
from time import perf_counter, sleep, time

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from frugaltree import Costs, Group
from frugaltree.anytime import Progress
from frugaltree.anytime import stop as stop_module
from frugaltree.exceptions import FrugaltreeError
from support.anytime_learners import Deaf, Rounds, Spinning, X, y
from support.tables import as_pandas, mixed_columns


@pytest.fixture(autouse=True)
def no_earlier_interrupt(monkeypatch):
    monkeypatch.setattr(stop_module, "_last_interrupt", -inf)


def known(progress):
    return progress.cost, progress.steps


@pytest.mark.filterwarnings("ignore:all cases are of one class")
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
@parametrize_with_checks([Rounds()])
def test_scikit_learn(estimator, check):
    check(estimator)


# ---------------------------------------------------------------------- what a fit leaves behind


def test_fitted_attributes():
    learner = Rounds(Costs([1, 2, 3, 4], errors=50), n_rounds=6).fit(X, y)
    assert learner.termination_ == "completed"
    assert learner.last_round_ == 6
    assert learner.score(X, y) > -1
    assert learner.expected_cost_ == learner.expected_test_cost_ + learner.expected_error_cost_
    assert all(type(one) is Progress for one in learner.history_)
    assert [known(one) for one in learner.history_] == [
        (100, 10),
        (50, 20),
        (25, 40),
        (20, 50),
        (pytest.approx(100 / 6), 60),  # no better, but the last
    ]
    assert not [name for name in vars(learner) if name.startswith("_")]


def test_the_first_tree_at_least():
    learner = Rounds(time_limit=0).fit(X, y)
    assert learner.termination_ == "time_limit"
    assert learner.tree_.n_leaves == 1
    assert len(learner.history_) == 1


@pytest.mark.parametrize("kind", [Rounds, Spinning])
@pytest.mark.parametrize("verbose", [0, 2])
def test_a_limit_of_time(kind, verbose):
    kind(n_rounds=2).fit(X, y)  # compiles
    learner = kind(n_rounds=2, pause=60, time_limit="200 ms", verbose=verbose)
    took = []
    for _ in range(3):  # the machine may be busy with something else
        began = perf_counter()
        learner.fit(X, y)
        took.append(perf_counter() - began)
        assert learner.termination_ == "time_limit"
        assert learner.last_round_ == 1
        assert learner.predict(X).shape == y.shape
    assert 0.2 <= min(took) <= 2


def test_a_limit_that_leaves_enough_time():
    assert Rounds(time_limit="1h").fit(X, y).termination_ == "completed"


def test_a_limit_that_cannot_be_read():
    with pytest.raises(FrugaltreeError, match=r"unit 'parsec', which is none of"):
        Rounds(time_limit="12 parsec").fit(X, y)
    with pytest.raises(ValueError, match="The 'time_limit' parameter of Rounds must be"):
        Rounds(time_limit=-1).fit(X, y)


def test_an_error_in_a_round_leaves_the_older_tree():
    class Failing(Rounds):
        def _pause(self, stop):
            return self.pause == 0 or 1 / 0

    learner = Failing(n_rounds=3).fit(X, y)
    before = vars(learner).copy()
    with pytest.raises(ZeroDivisionError):
        learner.set_params(pause=1).fit(X[:, :2], y)
    assert vars(learner) == {**before, "pause": 1}
    assert learner.predict(X).shape == y.shape


def test_the_tree_of_the_last_round_without_anyone_watching():
    learner = Rounds(n_rounds=3)
    problem = learner._read(X, y, None)
    assert learner._search(problem).test.size == learner.fit(X, y).tree_.n_nodes


def test_weights_and_frames():
    columns, classes = mixed_columns()
    weights = [1 + i % 2 for i in range(len(classes))]
    learner = Rounds().fit(as_pandas(columns), classes, sample_weight=weights)
    assert learner.tree_.weights[0] == sum(weights)


def test_pickle_and_clone():
    learner = Rounds(time_limit="5s").fit(X, y)
    again = pickle.loads(pickle.dumps(learner))
    assert again.history_ == learner.history_
    assert again.predict(X).tolist() == learner.predict(X).tolist()
    assert clone(learner).get_params() == learner.get_params()


# ------------------------------------------------------------------------------------------- log


def test_the_log(caplog):
    costs = Costs(
        [1, 2, 3, 4], {"blood": Group([0, 2], cost=5)}, delayed=[3], errors=50, unit="CAD"
    )
    learner = Rounds(costs, n_rounds=4, random_state=7, verbose=2).fit(X, y)
    *lines, last = caplog.messages
    assert lines[:2] == [
        "Rounds: 60 cases, 4 tests (2 in 1 group, 1 delayed), 2 classes",
        "Parameters: n_rounds=4, random_state=7",
    ]
    assert [line.split("  ")[0] for line in lines[3:6]] == ["*", "*", "*"]
    assert [line.split()[1] for line in lines[3:6]] == ["1/4", "2/4", "4/4"]
    assert lines[6] == "Termination    completed"
    assert lines[7].startswith(f"Expected cost  CAD {learner.expected_cost_:.2f} per case (tests")
    assert lines[8] == "Samples        40"
    assert last.startswith("Time           ")


def test_the_log_of_little(caplog):
    Rounds(Costs([3]), verbose=3).fit(X[:, :1], y)
    assert caplog.messages[0] == "Rounds: 60 cases, 1 test, 2 classes"
    assert "Round" in caplog.messages[1]


def test_no_log_unless_asked(caplog, capfd):
    Rounds().fit(X, y)
    Rounds(verbose=1).fit(X, y)  # a bar, but stderr is no terminal
    assert caplog.messages == []
    assert capfd.readouterr() == ("", "")


# ------------------------------------------------------------------------------------- callbacks


class Diary:
    """Writes down what it is told, and stops after some round."""

    def __init__(self, last=None):
        self.last = last
        self.pages = []

    def setup(self, estimator, context):
        self.pages.append("setup")

    def teardown(self, estimator, context):
        self.pages.append("teardown")

    def on_fit_task_begin(self, estimator, context, *, fitted_estimator=None):
        best = getattr(fitted_estimator, "last_round_", None)
        self.pages.append(("begin", context.task_name, context.task_id, best))

    def on_fit_task_end(self, estimator, context, *, X, y, metadata, fitted_estimator):
        fitted_estimator.score(X, y, **(metadata or {}))
        best = fitted_estimator.last_round_
        self.pages.append(("end", context.task_name, context.task_id, best))
        return context.task_name == "round" and best == self.last


callbacks = pytest.mark.skipif(
    not hasattr(Rounds, "set_callbacks"), reason="scikit-learn before 1.9 has no callbacks"
)


@callbacks
class TestCallbacks:
    @pytest.mark.parametrize("open_ended", [False, True])
    def test_a_task_for_each_round(self, open_ended):
        learner = Rounds(n_rounds=2, open_ended=open_ended).set_callbacks(diary := Diary())
        assert learner.fit(X, y, sample_weight=np.ones(60)).termination_ == "completed"
        assert diary.pages == [
            "setup",
            ("begin", "fit", 0, None),
            ("begin", "round", 0, None),
            ("end", "round", 0, 1),
            ("begin", "round", 1, 1),
            ("end", "round", 1, 2),
            ("end", "fit", 0, 2),
            "teardown",
        ]
        assert [name for name in vars(learner) if name.startswith("_")] == ["_skl_callbacks"]

    def test_true_stops(self):
        learner = Rounds(n_rounds=500, pause=0.001).set_callbacks(Diary(last=10)).fit(X, y)
        assert learner.termination_ == "callback"
        assert learner.last_round_ == 10

    def test_a_round_that_is_cut_short_ends_too(self):
        diary = Diary()
        learner = Rounds(n_rounds=2, pause=60, time_limit=0.1).set_callbacks(diary).fit(X, y)
        assert learner.termination_ == "time_limit"
        assert diary.pages[-4:] == [
            ("begin", "round", 1, 1),
            ("end", "round", 1, 1),
            ("end", "fit", 0, 1),
            "teardown",
        ]

    def test_more_rounds_than_announced(self):
        class Longer(Rounds):
            def _n_rounds(self, problem):
                return self.n_rounds - 2

        learner = Longer(n_rounds=4).set_callbacks(diary := Diary()).fit(X, y)
        assert learner.termination_ == "completed"
        assert diary.pages[-2] == ("end", "fit", 0, 4)

    def test_as_if_fit_had_stopped_there(self):
        class Keeper(Diary):
            def on_fit_task_end(self, estimator, context, *, fitted_estimator):
                self.pages.append(fitted_estimator)

        keeper = Keeper()
        costs = Costs([1, 2, 3, 4], errors=50)
        learner = Rounds(costs, n_rounds=5).set_callbacks(keeper).fit(X, y)
        trees = [page for page in keeper.pages if isinstance(page, Rounds)]
        assert len(trees) == 6
        for step, got in enumerate(trees[:5], start=1):
            ref = Rounds(costs, n_rounds=500).set_callbacks(Diary(last=step)).fit(X, y)
            assert got.termination_ == ref.termination_ == "callback"
            assert got.expected_cost_ == ref.expected_cost_
            assert got.tree_.n_nodes == ref.tree_.n_nodes
            assert got.bill(X).tolist() == ref.bill(X).tolist()
            assert got.last_round_ == step
            assert [*map(known, got.history_)] == [*map(known, ref.history_)]
            assert vars(got).keys() >= vars(ref).keys()
        assert trees[5].termination_ == learner.termination_ == "completed"

    def test_a_tree_is_made_only_for_those_who_want_it(self, monkeypatch):
        class Quiet(Diary):
            def on_fit_task_begin(self, estimator, context):
                pass

            def on_fit_task_end(self, estimator, context):
                pass

        kept = []
        keep = Rounds._keep
        monkeypatch.setattr(Rounds, "_keep", lambda *args: kept.append(1) or keep(*args))
        Rounds(n_rounds=9).set_callbacks(Quiet()).fit(X, y)
        assert len(kept) == 1

    def test_the_search_may_go_on_with_a_tree_that_was_shown(self):
        class Reusing(Rounds):
            def _rounds(self, problem, stop):
                for snapshot in super()._rounds(problem, stop):
                    assert all(array.flags.writeable for array in snapshot.nodes)
                    yield snapshot
                    assert all(array.flags.writeable for array in snapshot.nodes)

        Reusing(n_rounds=3).set_callbacks(Diary()).fit(X, y)

    @pytest.mark.parametrize("hook", ["setup", "on_fit_task_begin", "on_fit_task_end", "teardown"])
    def test_a_callback_that_fails(self, hook):
        class Failing(Diary):
            pass

        def fail(self, estimator, context):
            raise ZeroDivisionError

        setattr(Failing, hook, fail)
        learner = Rounds().fit(X, y)
        before = vars(learner).copy()
        learner.set_callbacks(failing := Failing())
        with pytest.raises(ZeroDivisionError):
            learner.fit(X[:30], y[:30])
        assert vars(learner) == {**before, "_skl_callbacks": [failing]}
        assert hook == "teardown" or failing.pages[-1] == "teardown"

    def test_clone_and_pickle_keep_them(self):
        learner = Rounds().set_callbacks(diary := Diary()).fit(X, y)
        n_pages = len(diary.pages)
        clone(learner).fit(X, y)
        assert len(diary.pages) == 2 * n_pages
        again = pickle.loads(pickle.dumps(learner))
        assert again._skl_callbacks[0].pages == diary.pages
        assert again.fit(X, y).termination_ == "completed"

    @pytest.mark.parametrize("n_jobs", [None, 2])
    def test_below_a_search_over_parameters(self, n_jobs):
        learner = Rounds().set_callbacks(diary := Diary(last=2))
        search = GridSearchCV(learner, {"n_rounds": [1, 5]}, cv=2, n_jobs=n_jobs).fit(X, y)
        assert search.best_estimator_.termination_ in ("completed", "callback")
        if n_jobs is None:
            assert diary.pages.count("setup") == diary.pages.count("teardown") == 5

    def test_in_a_pipeline(self):
        pipeline = make_pipeline(StandardScaler(), Rounds().set_callbacks(diary := Diary()))
        pipeline.fit(X, y)
        assert ("end", "fit", 1, 3) in diary.pages  # the second task of the pipeline

    @pytest.mark.parametrize("open_ended", [False, True])
    def test_progress_bar(self, open_ended, capsys):
        from sklearn.callback import ProgressBar

        Rounds(n_rounds=2, open_ended=open_ended).set_callbacks(ProgressBar()).fit(X, y)
        out = capsys.readouterr().out
        assert "Rounds - fit" in out
        assert "100%" in out

    def test_nested_progress_bars(self, capsys, monkeypatch):
        from sklearn.callback import ProgressBar

        monkeypatch.setenv("COLUMNS", "120")
        search = GridSearchCV(Rounds(), {"n_rounds": [2, 3]}, cv=2).set_callbacks(ProgressBar())
        search.fit(X, y)
        out = capsys.readouterr().out
        assert out.count("Rounds - fit") == 5
        assert out.count("100%") == 7

    def test_scores_of_each_round(self):
        from sklearn.callback import ScoringMonitor

        monitor = ScoringMonitor(scoring="accuracy")
        learner = Rounds(n_rounds=4).set_callbacks(monitor).fit(X, y)
        rows = [row for row in monitor.get_logs().data if row["task_name"] == "round"]
        most = np.bincount(y).max() / 60
        best = (learner.predict(X) == y).mean()
        assert [row["accuracy"] for row in rows] == pytest.approx([most, best, best, best])


# ---------------------------------------------------------------------------------------- Ctrl-C


def interrupt_after(*delays):
    for delay in delays:
        threading.Timer(delay, signal.raise_signal, [signal.SIGINT]).start()


@pytest.mark.parametrize("kind", [Rounds, Spinning])
def test_ctrl_c_keeps_the_best_tree(kind):
    kind(n_rounds=2).fit(X, y)  # compiles
    learner = kind(n_rounds=2, pause=60)
    interrupt_after(0.2)
    began = perf_counter()
    with pytest.warns(UserWarning, match="fit was interrupted; the best tree so far is kept") as w:
        learner.fit(X, y)
    assert perf_counter() - began < 5
    assert w[0].filename == __file__
    assert learner.termination_ == "interrupted"
    assert learner.predict(X).shape == y.shape


def test_two_ctrl_c_give_up():
    learner = Deaf(n_rounds=2).fit(X, y)
    before = vars(learner).copy()
    interrupt_after(0.1, 0.4)
    began = perf_counter()
    with pytest.raises(KeyboardInterrupt):
        learner.set_params(pause=3).fit(X[:, :2], y)
    assert perf_counter() - began < 2.8
    assert vars(learner) == {**before, "pause": 3}


@pytest.mark.filterwarnings("ignore:fit was interrupted")
def test_two_ctrl_c_end_a_search_over_fits():
    interrupt_after(0.1, 0.5)
    began = perf_counter()
    with pytest.raises(KeyboardInterrupt):
        cross_val_score(Rounds(n_rounds=2, pause=60), X, y, cv=5)
    assert perf_counter() - began < 8


@pytest.mark.filterwarnings("ignore:fit was interrupted")
def test_one_ctrl_c_ends_one_fit_of_many():
    ends = []

    class Noting(Rounds):
        def fit(self, X, y):
            super().fit(X, y)
            ends.append(self.termination_)
            return self

    interrupt_after(0.15)
    scores = cross_val_score(Noting(n_rounds=2, pause=0.3), X, y, cv=4)
    assert np.isfinite(scores).all()
    assert sorted(ends) == ["completed"] * 3 + ["interrupted"]


def test_in_threads():
    search = GridSearchCV(
        Rounds(pause=60, time_limit=0.2), {"n_rounds": [1, 2]}, cv=2, error_score="raise"
    )
    began = perf_counter()
    with parallel_config("threading", n_jobs=2):
        search.fit(X, y)
    assert perf_counter() - began < 10
    assert search.best_estimator_.termination_ in ("completed", "time_limit")


SCRIPT = """
import time, warnings
from support.anytime_learners import Deaf, Spinning, X, y
from sklearn.model_selection import GridSearchCV

warnings.simplefilter("always")
Spinning(n_rounds=2).fit(X, y)
print("ready", flush=True)
try:
    {call}
except KeyboardInterrupt:
    print("gave up", time.time())
"""


@pytest.mark.skipif(os.name != "posix", reason="sends signals to another process")
@pytest.mark.parametrize(
    ("call", "delays", "said", "warned"),
    [
        (
            "print(Spinning(n_rounds=2, pause=60).fit(X, y).termination_, time.time())",
            [0.3],
            "interrupted",
            True,
        ),
        ("Deaf(n_rounds=2, pause=60).fit(X, y)", [0.3, 0.4], "gave up", False),
        (
            "GridSearchCV(Spinning(pause=60), {'n_rounds': [2, 3]}, cv=3).fit(X, y)",
            [0.3, 0.5],
            "gave up",
            True,
        ),
    ],
    ids=["once", "twice", "search"],
)
def test_a_real_ctrl_c(call, delays, said, warned):
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SCRIPT).format(call=call)],
        cwd=Path(__file__).parent.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline() == "ready\n", process.communicate()[1]
        for delay in delays:
            sleep(delay)
            sent = time()
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    *words, seen = out.split()
    assert " ".join(words) == said
    assert float(seen) - sent < 2
    assert ("fit was interrupted; the best tree so far is kept" in err) == warned
    assert process.returncode == 0

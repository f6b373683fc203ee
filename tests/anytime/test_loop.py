from __future__ import annotations

import contextvars
import signal
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from math import inf
from time import perf_counter, sleep
from types import SimpleNamespace

import joblib
import numpy as np
import pytest

from frugaltree.anytime import History, Listener, Progress, Snapshot, Stop, run_rounds
from frugaltree.anytime import stop as stop_module


@pytest.fixture(autouse=True)
def no_earlier_interrupt(monkeypatch):
    monkeypatch.setattr(stop_module, "_last_interrupt", -inf)


def snapshot(step, cost=1.0, improved=True):
    known = Progress(float(step), cost, steps=10 * step, round=step, improved=improved)
    return Snapshot(known, None)


def counting(n=inf, pause=0.0, stop=None, closed=None):
    """Yield n rounds; sleep before each but the first, until told to stop."""
    step = 0
    try:
        while step < n:
            end = perf_counter() + pause
            while step and perf_counter() < end and not (stop and stop.requested):
                sleep(0.002)
            step += 1
            yield snapshot(step)
    finally:
        if closed is not None:
            closed.append(threading.current_thread())


class Diary(Listener):
    """Writes down what it is told, in which thread, and stops after some round."""

    def __init__(self, last=None):
        self.pages, self.threads, self.last = [], set(), last

    def before(self):
        self.pages.append("before")
        self.threads.add(threading.current_thread())

    def during(self, seconds):
        self.pages.append("during")
        self.threads.add(threading.current_thread())

    def after(self, snapshot):
        self.pages.append(snapshot.progress.round)
        self.threads.add(threading.current_thread())
        return snapshot.progress.round == self.last


def test_rounds_run_to_their_end():
    assert run_rounds(counting(5), stop := Stop()).progress.round == 5
    assert not stop.requested


@pytest.mark.parametrize(("proven", "here"), [(True, [True, True]), (False, [True, False])])
def test_a_round_that_takes_a_moment_runs_at_once(proven, here):
    threads = []

    def rounds():
        for step in (1, 2):
            threads.append(threading.current_thread() is threading.main_thread())
            known = Progress(float(step), 3.0, 3.0 if proven else 2.0, round=step)
            yield Snapshot(known, None)

    assert run_rounds(rounds(), Stop(), soon=True).progress.round == 2
    assert threads == here


def test_rounds_and_listeners_take_turns():
    diary, other, order = Diary(), Diary(), []

    def rounds():
        for step in (1, 2):
            order.append(len(diary.pages))
            yield snapshot(step)

    assert run_rounds(rounds(), stop := Stop(), listeners=[diary, other]).progress.round == 2
    assert diary.pages == other.pages == ["before", 1, "before", 2, "before"]
    assert order == [1, 3]
    assert diary.threads == {threading.current_thread()}
    assert stop.reason is None


def test_listeners_hear_that_time_passes():
    diary = Diary()
    run_rounds(counting(2, pause=0.35), Stop(), listeners=[diary])
    assert diary.pages.count("during") in (2, 3)


def test_a_listener_stops_the_search_at_once():
    closed = []
    listeners = [Diary(last=3), last := Diary()]
    last_round = run_rounds(counting(closed=closed), stop := Stop(), listeners=listeners)
    assert last_round.progress.round == 3
    assert stop.reason == "callback"
    assert last.pages[-1] == 3  # all are told, and no further round has begun
    assert [thread.name for thread in closed] == ["frugaltree"]


def test_history_keeps_what_improved_and_the_last():
    history = History()
    costs = [9.0, 8.0, 8.0, 7.0, 7.0, 7.0]
    rounds = (snapshot(i + 1, costs[i], i in (0, 1, 3)) for i in range(6))
    run_rounds(rounds, Stop(), history=history)
    kept = [(one.seconds, one.cost, one.steps) for one in history.rounds]
    assert kept == [(1, 9, 10), (2, 8, 20), (4, 7, 40), (6, 7, 60)]


@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize(("pause", "most"), [(0.01, inf), (60, 2)], ids=["short", "long"])
def test_the_clock_stops_a_search(watched, pause, most):
    took = []
    for _ in range(3):  # the machine may be busy with something else
        stop = Stop()
        began = perf_counter()
        rounds = counting(pause=pause, stop=stop)
        got = run_rounds(rounds, stop, listeners=[Diary()] * watched, limit=0.15)
        took.append(perf_counter() - began)
        assert got.progress.round <= most  # a round that was cut short may still yield
        assert stop.reason == "time_limit"
    assert 0.15 <= min(took) <= 2


@pytest.mark.parametrize("limit", [0, 0.05])
def test_the_first_round_is_waited_for(limit):
    def rounds():
        sleep(0.2)
        yield snapshot(1)
        raise AssertionError("asked again")

    assert run_rounds(rounds(), stop := Stop(), limit=limit).progress.round == 1
    assert stop.reason == "time_limit"


def test_a_search_may_stop_itself():
    stop = Stop()

    def rounds():
        yield snapshot(1)
        stop.request("optimal")

    assert run_rounds(rounds(), stop).progress.round == 1
    assert stop.reason == "optimal"


def test_a_search_without_a_tree():
    with pytest.raises(RuntimeError, match="ended without a tree, but must yield at least once"):
        run_rounds(iter(()), Stop())


@pytest.mark.parametrize("watched", [False, True])
def test_errors_come_with_their_traceback(watched):
    def fails_here():
        return {}["no such key"]

    def rounds():
        yield snapshot(1)
        fails_here()

    with pytest.raises(KeyError, match="no such key") as error:
        run_rounds(rounds(), Stop(), listeners=[Diary()] * watched)
    names = [frame.name for frame in traceback.extract_tb(error.value.__traceback__)]
    assert names[-2:] == ["rounds", "fails_here"]
    assert "run_rounds" in names


@pytest.mark.parametrize("method", ["before", "after"])
def test_a_listener_that_fails_ends_the_search(method):
    closed = []
    diary = Diary()
    setattr(diary, method, lambda *args: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run_rounds(counting(closed=closed), Stop(), listeners=[diary])
    assert len(closed) == (method == "after")  # what has not begun needs no end


def test_a_listener_that_fails_during_a_round_tells_it_to_end():
    stop, closed = Stop(), []
    diary = Diary()
    diary.during = lambda seconds: 1 / 0
    with pytest.raises(ZeroDivisionError):
        run_rounds(counting(pause=60, stop=stop, closed=closed), stop, listeners=[diary])
    assert stop.requested
    end = perf_counter() + 5
    while not closed and perf_counter() < end:
        sleep(0.01)
    assert closed


def interrupt_after(*delays):
    for delay in delays:
        threading.Timer(delay, signal.raise_signal, [signal.SIGINT]).start()


@pytest.mark.parametrize("watched", [False, True])
def test_an_interrupt_by_the_handler_of_someone_else(watched):
    stop = Stop()
    interrupt_after(0.1)
    began = perf_counter()
    rounds = counting(pause=60, stop=stop)
    assert run_rounds(rounds, stop, listeners=[Diary()] * watched).progress.round <= 2
    assert stop.reason == "interrupted"
    assert perf_counter() - began < 5


def test_two_interrupts_leave_a_search_that_does_not_end():
    def deaf():
        yield snapshot(1)
        sleep(3)

    interrupt_after(0.1, 0.4)
    began = perf_counter()
    with pytest.raises(KeyboardInterrupt):
        run_rounds(deaf(), stop := Stop())
    assert perf_counter() - began < 2.8
    assert stop.requested


def test_in_a_thread_of_the_caller():
    stop = Stop()
    with ThreadPoolExecutor(1) as pool:
        limited = pool.submit(run_rounds, counting(pause=0.01, stop=stop), stop, limit=0.1)
        assert limited.result(timeout=5).progress.round >= 2
    assert stop.reason == "time_limit"


def test_several_searches_at_a_time():
    with ThreadPoolExecutor(4) as pool:
        found = [*pool.map(lambda n: run_rounds(counting(n), Stop()).progress.round, range(1, 30))]
    assert found == [*range(1, 30)]


def test_the_settings_of_the_caller_hold_in_the_rounds():
    variable = contextvars.ContextVar("variable", default="unset")
    seen = SimpleNamespace()

    def rounds():
        seen.variable = variable.get()
        seen.division = np.geterr()["divide"]
        with joblib.parallel_config() as config:
            seen.n_jobs, seen.backend = config["n_jobs"], type(config["backend"]).__name__
        yield snapshot(1)

    variable.set("set")
    with np.errstate(divide="raise"), joblib.parallel_config("threading", n_jobs=3):
        run_rounds(rounds(), Stop())
    assert vars(seen) == {
        "variable": "set",
        "division": "raise",
        "n_jobs": 3,
        "backend": "ThreadingBackend",
    }


def test_no_thread_is_left():
    before = threading.active_count()
    for _ in range(5):
        run_rounds(counting(3), Stop())
        run_rounds(counting(3), Stop(), listeners=[Diary(last=2)])
    assert threading.active_count() == before

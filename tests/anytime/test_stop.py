from __future__ import annotations

import signal
import threading
from math import inf

import numpy as np
import pytest

from frugaltree.anytime import Stop, interruptible
from frugaltree.anytime import stop as module


@pytest.fixture(autouse=True)
def no_earlier_interrupt(monkeypatch):
    monkeypatch.setattr(module, "_last_interrupt", -inf)


def test_the_first_reason_stays():
    stop = Stop()
    assert not stop.requested
    assert stop.reason is None
    assert repr(stop) == "Stop()"
    stop.request("time_limit")
    stop.request("interrupted")
    assert stop.requested
    assert stop.reason == "time_limit"
    assert repr(stop) == "Stop('time_limit')"


def test_the_flag_is_what_kernels_are_compiled_for():
    stop = Stop()
    assert (stop.flag.dtype, stop.flag.shape) == (np.int64, (1,))
    assert stop.flag.flags.writeable
    flag = stop.flag
    stop.request("steps")
    assert flag is stop.flag
    assert flag[0] == 1


def test_the_first_interrupt_stops_and_the_second_gives_up(monkeypatch):
    now = 100.0
    monkeypatch.setattr(module, "monotonic", lambda: now)
    module.interrupt(first := Stop())
    assert first.reason == "interrupted"
    now = 102.1  # too late to be the second
    module.interrupt(second := Stop())
    assert second.reason == "interrupted"
    now = 104.0  # soon enough, although another search runs now
    third = Stop()
    with pytest.raises(KeyboardInterrupt):
        module.interrupt(third)
    assert third.requested  # the thread that still runs is to end


def test_ctrl_c_is_a_request_while_it_is_ours():
    stop = Stop()
    with interruptible(stop):
        signal.raise_signal(signal.SIGINT)
    assert stop.reason == "interrupted"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_handler_is_put_back_after_an_error():
    with pytest.raises(ZeroDivisionError), interruptible(Stop()):
        1 / 0
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_handlers_of_others_stay():
    heard = []
    signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        with interruptible(stop := Stop()):
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    assert heard == [signal.SIGINT]
    assert not stop.requested


def test_other_threads_leave_signals_alone():
    seen = []

    def work():
        with interruptible(Stop()):
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]

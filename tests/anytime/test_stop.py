from __future__ import annotations

import signal
import threading
from decimal import Decimal
from math import inf

import numpy as np
import pytest

from frugaltree.anytime import Stop, interruptible, seconds_in
from frugaltree.anytime import stop as module
from frugaltree.exceptions import FrugaltreeError


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


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        (None, None),
        (0, 0),
        (2.5, 2.5),
        (np.float32(0.5), 0.5),
        (np.int64(3), 3),
        (inf, None),
        ("60s", 60),
        ("60", 60),
        (" 1e2 ", 100),
        ("250 ms", 0.25),
        ("5min", 300),
        ("5 Minutes", 300),
        ("2h", 7200),
        (".5h", 1800),
        ("1.5 hours", 5400),
        ("1h30m", 5400),
        ("1 d 2 h 3 min 4 s", 93784),
    ],
)
def test_limits_of_time(given, seconds):
    assert seconds_in(given) == (seconds if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    "given", ["", "soon", "-5s", "5s!", "s", "nan", "1:30", -1, np.nan, True, Decimal(5), [5], 5j]
)
def test_a_limit_that_cannot_be_read(given):
    with pytest.raises(FrugaltreeError) as error:
        seconds_in(given)
    assert str(error.value) == (
        "time_limit must be a number of seconds, 0 or more, or text such as '60s', '5min' or "
        f"'2h', but is {given!r}; leave it out for no limit."
    )


def test_a_unit_of_time_that_nobody_knows():
    with pytest.raises(FrugaltreeError) as error:
        seconds_in("5 minz")
    assert str(error.value) == (
        "time_limit '5 minz' has the unit 'minz', which is none of ms, s, min, h and d; write "
        "it like '60s', '5min' or '2h'. Did you mean 'min'?"
    )


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

from __future__ import annotations

import io
import logging
import re
import sys
import threading
from contextlib import contextmanager

import pytest

from frugaltree.anytime import Progress
from frugaltree.anytime.journal import LOGGER, Bar, Journal, change, duration, reporting


def progress(step, cost, *, improved=True, steps=None, what="", samples=0):
    return Progress(step, steps, None, cost, what, samples, improved)


@contextmanager
def unheard():
    """Leave the logger without any handler, as in a plain script; pytest has its own."""
    root, level = logging.getLogger(), LOGGER.level
    handlers, root.handlers = root.handlers, []
    try:
        yield
        assert LOGGER.handlers == []
        assert LOGGER.level == level
    finally:
        root.handlers = handlers


class TestJournal:
    def test_a_whole_log(self):
        lines = []
        journal = Journal(lines.append, unit="CAD", timeless=True)
        journal.open("ACTClassifier: 683 cases, 9 tests, 2 classes", "Parameters: n_samples=9")
        for step, (cost, improved) in enumerate([(1312.5, 1), (1312.5, 0), (0.004, 1), (0, 1)]):
            journal.after(
                progress(
                    step + 1,
                    cost,
                    improved=bool(improved),
                    steps=4,
                    what="EG2" if step == 0 else f"r = {step}",
                    samples=1000 * step + 1,
                ),
                0.1 * step,
            )
        journal.close("time_limit", 0.25, 0.75, 12.0)
        assert lines == [
            "ACTClassifier: 683 cases, 9 tests, 2 classes",
            "Parameters: n_samples=9",
            "        Round  What                       Samples      Cost, CAD  vs first",
            "*         1/4  EG2                              1       1,312.50",
            "          2/4  r = 1                        1,001       1,312.50",
            "*         3/4  r = 2                        2,001          0.004  -100.0 %",
            "*         4/4  r = 3                        3,001           0.00  -100.0 %",
            "Termination    time_limit",
            "Expected cost  CAD 1.00 per case (tests CAD 0.25 + errors CAD 0.75)",
            "Samples        3,001",
        ]

    def test_with_a_clock(self):
        lines = []
        journal = Journal(lines.append)
        journal.open()
        journal.after(progress(1, 12.0, what="a round whose name is far too long"), 3725.0)
        journal.close("completed", 1.0, 2.0, 3726.0)
        table = """
        Round  What                       Samples           Cost  vs first        Time
*           1  a round whose name is f…         0          12.00             1 h 2 min
"""
        assert lines == [
            *table.strip("\n").split("\n"),
            "Termination    completed",
            "Expected cost  3.00 per case (tests 1.00 + errors 2.00)",
            "Samples        0",
            "Time           1 h 2 min",
        ]

    def test_a_unit_of_many_letters(self):
        lines = []
        journal = Journal(lines.append, unit="Canadian dollars", timeless=True)
        journal.open()
        journal.after(progress(1, 12.0), 0.0)
        journal.after(progress(2, 6.0), 0.0)
        assert len(lines[0]) == len(lines[2])
        assert lines[0].endswith("Cost, Canadian dollars  vs first")

    def test_at_most_two_lines_a_second_unless_the_tree_is_better(self):
        lines = []
        journal = Journal(lines.append)
        for step in range(1, 101):  # one each 0.04 s
            journal.after(progress(step, 9.0, improved=step in (1, 50)), 0.04 * step)
        shown = [int(line[1:13]) for line in lines if line.split()[0] != "Round"]
        assert shown == [1, 14, 27, 40, 50, 63, 76, 89]

    def test_the_header_comes_again(self):
        lines = []
        journal = Journal(lines.append, timeless=True)
        journal.open()
        for step in range(1, 42):
            journal.after(progress(step, 9.0, improved=False), 0.0)
        assert [place for place, line in enumerate(lines) if "Round" in line] == [0, 21, 42]

    @pytest.mark.parametrize(
        ("seconds", "text"),
        [
            (0, "0.0 s"),
            (59.94, "59.9 s"),
            (59.96, "1 min 0 s"),
            (3599.4, "59 min 59 s"),
            (3599.6, "1 h 0 min"),
            (360000, "100 h 0 min"),
        ],
    )
    def test_durations(self, seconds, text):
        assert duration(seconds) == text

    def test_changes(self):
        assert [change(9, 10), change(11, 10), change(10, 10), change(5, 0)] == [
            "-10.0 %",
            "+10.0 %",
            "",
            "",
        ]


class TestLogger:
    def test_silent_by_default(self, capfd):
        with unheard(), reporting("ACT", 0) as report:
            assert report is None
            LOGGER.info("nobody asked")
        assert capfd.readouterr() == ("", "")

    def test_on_stderr_where_nobody_listens(self, capfd):
        with unheard():
            with reporting("ACT", 2) as report:
                report.open("ACT: 8 cases")
            LOGGER.info("nobody asked")
        out, err = capfd.readouterr()
        assert out == ""
        assert err.startswith("ACT: 8 cases\n")
        assert "nobody asked" not in err

    def test_only_to_those_who_listen(self, capfd, caplog):
        with reporting("ACT", 3) as report:
            report.open("ACT: 8 cases")
        assert capfd.readouterr() == ("", "")
        assert caplog.record_tuples[0] == ("frugaltree", logging.INFO, "ACT: 8 cases")

    def test_a_louder_level_stays(self, caplog):
        caplog.set_level(logging.DEBUG, "frugaltree")
        with reporting("ACT", 2):
            assert LOGGER.level == logging.DEBUG
        assert LOGGER.level == logging.DEBUG

    def test_several_searches_share_one_voice(self, capfd):
        with unheard(), reporting("ACT", 2) as first:
            with reporting("ICET", 2) as second:
                second.open("second")
            first.open("first")
            assert len(LOGGER.handlers) == 1
        lines = capfd.readouterr().err.splitlines()
        assert [line for line in lines if "Round" not in line] == ["second", "first"]

    def test_an_error_leaves_the_logger_as_it_was(self):
        with unheard(), pytest.raises(ZeroDivisionError), reporting("ACT", 2):
            1 / 0


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def on_terminal(monkeypatch):
    """Make stderr a terminal, once the test runs: between the phases pytest takes it back."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("NO_COLOR", "1")
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "JUPYTER_COLUMNS"):
        monkeypatch.delenv(name, raising=False)

    def show():
        monkeypatch.setattr(sys, "stderr", screen := Terminal())
        return screen

    return show


def words(screen):
    """Return the last line drawn, without the bar."""
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|[━╸╺]", "", screen.getvalue())
    return [line for line in re.split(r"[\r\n]", plain) if "ACT" in line][-1]


class TestBar:
    def test_time_left_by_rounds(self, on_terminal):
        terminal = on_terminal()
        with Bar("ACT", unit="CAD") as bar:
            bar.after(progress(1, 20.0, steps=4, what="EG2"), 1.0)
            assert words(terminal).split("  ")[-1] == "round 1/4, EG2 best CAD 20.00 3.0 s left"
            bar.after(progress(2, 15.0, steps=4, what="r = 1"), 3.0)
            assert "round 2/4, r = 1 best CAD 15.00 (-25.0 %) 3.0 s left" in words(terminal)
            bar.during(4.0)
            assert words(terminal).endswith("2.0 s left")
            bar.during(7.0)  # longer than thought
            assert words(terminal).endswith(" 7.0 s")

    def test_time_left_by_the_clock(self, on_terminal):
        terminal = on_terminal()
        with Bar("ACT", limit=5.0) as bar:
            bar.during(0.5)
            assert words(terminal).endswith("4.5 s left")
            bar.after(progress(1, 20.0, what="EG2"), 1.0)
            assert "round 1, EG2 best 20.00 4.0 s left" in words(terminal)

    def test_time_left_by_what_comes_first(self, on_terminal):
        terminal = on_terminal()
        with Bar("ACT", limit=5.0) as bar:
            bar.after(progress(1, 20.0, steps=2), 1.0)
            assert words(terminal).endswith("1.0 s left")
            bar.after(progress(1, 20.0, steps=9), 2.0)
            assert words(terminal).endswith("3.0 s left")

    def test_without_an_end_in_sight(self, on_terminal):
        terminal = on_terminal()
        with Bar("ACT") as bar:
            bar.after(progress(1, 20.0), 1.5)
            assert words(terminal).endswith(" 1.5 s")

    def test_no_time_at_all(self, on_terminal):
        on_terminal()
        with Bar("ACT", limit=0.0) as bar:
            bar.after(progress(1, 20.0, steps=3), 0.0)

    def test_drawn_ten_times_a_second_at_most(self, on_terminal):
        terminal = on_terminal()
        with Bar("ACT") as bar:
            for step in range(1, 1001):
                bar.after(progress(step, 20.0), 0.001 * step)
            drawn = terminal.getvalue().count("best")
        assert 9 <= drawn <= 11

    def test_gone_afterwards(self, on_terminal):
        terminal = on_terminal()
        with Bar("ACT") as bar:
            bar.after(progress(1, 20.0), 1.0)
        assert terminal.getvalue().endswith("\x1b[1A\x1b[2K")

    def test_brackets_are_just_brackets(self, on_terminal):
        terminal = on_terminal()
        with Bar("ACT") as bar:
            bar.after(progress(1, 20.0, what="[red]"), 1.0)
            assert "[red]" in words(terminal)

    def test_only_one_at_a_time(self, on_terminal):
        terminal = on_terminal()
        with Bar("ACT") as first:

            def show_another():
                with Bar("another") as second:
                    second.after(progress(1, 20.0), 1.0)

            thread = threading.Thread(target=show_another)
            thread.start()
            thread.join()
            first.after(progress(1, 20.0), 1.0)
        with Bar("later ACT") as third:
            third.after(progress(1, 20.0), 1.0)
        assert "another" not in terminal.getvalue()
        assert "later ACT" in terminal.getvalue()

    def test_nothing_in_a_file(self, capfd):
        with reporting("ACT", 1) as bar:
            bar.open("ACT: 8 cases")
            bar.after(progress(1, 20.0), 1.0)
            bar.close("completed", 1.0, 2.0, 3.0)
        assert capfd.readouterr() == ("", "")

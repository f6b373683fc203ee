from __future__ import annotations

import io
import logging
import re
import sys
import threading
from contextlib import contextmanager

import pytest

from frugaltree.anytime import Progress
from frugaltree.anytime.bar import Bar
from frugaltree.anytime.log import Journal
from frugaltree.anytime.reporting import LOGGER, reporting
from frugaltree.anytime.words import change, duration, gap, short


def progress(step, cost, *, improved=True, steps=None, what="", samples=0, bound=None):
    return Progress(step, steps, None, cost, what, samples, improved, {}, bound)


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


class TestJournalWithBound:
    def test_a_whole_log(self):
        lines = []
        journal = Journal(lines.append, unit="CAD")
        journal.open("FrugalTreeClassifier: 297 cases, 13 tests, 2 classes")
        for step, (seconds, cost, bound, samples, what) in enumerate(
            [
                (0.02, 330.1, 0.0, 50, "greedy tree"),
                (0.52, 269.6, 31.8, 12_550, "sample 1"),
                (1.02, 269.6, 269.59, 1_200_050, "branch and bound"),
                (1.1, 269.6, 269.6, 2_160_050, "branch and bound"),
            ]
        ):
            improved = step < 2
            journal.after(
                progress(
                    step + 1, cost, improved=improved, what=what, samples=samples, bound=bound
                ),
                seconds,
            )
        journal.close("optimal", 63.0, 206.6, 1.1)
        table = """
  Round  What                        States States/s    Cost, CAD        Bound      Gap        Time
*     1  greedy tree                     50                330.10         0.00 100.00 %       0.0 s
*     2  sample 1                    12,550     25 k       269.60        31.80  88.20 %       0.5 s
      3  branch and bound         1,200,050    1.2 M       269.60       269.59  <0.01 %       1.0 s
      4  branch and bound         2,160,050      2 M       269.60       269.60   0.00 %       1.1 s
"""
        assert lines == [
            "FrugalTreeClassifier: 297 cases, 13 tests, 2 classes",
            *table.strip("\n").split("\n"),
            "Termination    optimal for this estimate on these cases",
            "Expected cost  CAD 269.60 per case (tests CAD 63.00 + errors CAD 206.60)",
            "Lower bound    CAD 269.60, gap 0.00 %",
            "States         2,160,050, 2 M per second",
            "Time           1.1 s",
        ]

    def test_fits_into_a_hundred_columns(self):
        lines = []
        journal = Journal(lines.append, unit="CAD")
        what = "a round whose name is far too long"
        journal.after(progress(1, 1e6, what=what, samples=10**8, bound=0.0), 1.0)
        journal.after(progress(2, 1e6, what=what, samples=10**8 + 9**9, bound=0.0), 3500.0)
        assert [len(line) for line in lines] == [99, 99, 99]

    def test_the_round_that_closed_the_gap_is_said_once(self):
        lines = []
        journal = Journal(lines.append, timeless=False)
        journal.after(progress(1, 9.0, bound=3.0), 0.0)
        journal.after(progress(2, 9.0, improved=False, bound=5.0), 0.01)
        journal.after(progress(3, 9.0, improved=False, bound=9.0), 0.02)
        journal.close("optimal", 4.0, 5.0, 0.02)
        assert [line.split()[0] for line in lines[:4]] == ["Round", "*", "3", "Termination"]

    def test_another_estimate(self):
        lines = []
        journal = Journal(lines.append, timeless=True)
        journal.after(progress(1, 9.0, bound=3.0), 0.0)
        journal.after(progress(2, 9.5, bound=3.0), 0.0)  # no estimate makes a tree worse
        journal.after(progress(3, 8.0, bound=1.0), 0.0)  # nor its bound
        journal.after(progress(4, 8.0, bound=2.0), 0.0)
        other = "Costs from here on are by another estimate."
        assert [place for place, line in enumerate(lines) if line == other] == [2, 4]

    def test_charges_that_are_no_costs(self):
        lines = []
        journal = Journal(lines.append, unit="CAD", timeless=True)
        journal.after(progress(1, 12.0, samples=7, bound=6.0), 0.0)
        journal.close("time_limit", 4.0, 5.0, 1.0)
        charged = "the expected cost, and charges that keep the tree simple"
        assert lines[2:] == [
            "Termination    time_limit",
            "Expected cost  CAD 9.00 per case (tests CAD 4.00 + errors CAD 5.00)",
            f"Objective      CAD 12.00: {charged}",
            "Lower bound    CAD 6.00, gap 50.00 %",
            "States         7",
        ]

    def test_a_cost_of_nothing(self):
        lines = []
        journal = Journal(lines.append, timeless=True)
        journal.after(progress(1, 0.0, bound=0.0), 0.0)
        assert lines[1].split()[-3:] == ["0.00", "0.00", "%"]

    def test_a_search_that_goes_on_has_the_rate_of_this_one(self):
        lines = []
        journal = Journal(lines.append)
        journal.after(progress(1, 9.0, samples=10**9, bound=3.0), 0.5)
        journal.after(progress(2, 8.0, samples=10**9 + 400, bound=3.0), 2.5)
        assert lines[-1].split()[3] == "200"

    def test_gaps(self):
        gaps = [gap(8, 6), gap(8, 9), gap(1, 0.99994), gap(1, 0.99996), gap(1, 1 - 1e-12)]
        assert gaps == ["25.00 %", "0.00 %", "0.01 %", "<0.01 %", "0.00 %"]

    def test_short_numbers(self):
        numbers = [0, 0.5, 999.4, 999.6, 999_400, 999_600, 123_456_789]
        shown = ["0", "0.5", "999", "1 k", "999 k", "1 M", "123 M"]
        assert [short(number) for number in numbers] == shown


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

    def test_bound(self, on_terminal, monkeypatch):
        monkeypatch.setenv("COLUMNS", "140")
        terminal = on_terminal()
        with Bar("ACT", unit="CAD", limit=60.0) as bar:
            bar.after(progress(1, 20.0, what="EG2", samples=50, bound=5.0), 1.0)
            shown = "EG2 best CAD 20.00, bound 5.00, gap 75.00 % 59.0 s left"
            assert words(terminal).endswith(shown)
            bar.after(progress(2, 16.0, what="sample 1", samples=24_650, bound=8.0), 3.0)
            done, best = "sample 1, 12.3 k states/s", "best CAD 16.00, bound 8.00, gap 50.00 %"
            assert f"{done} {best} 57.0 s left" in words(terminal)

    @pytest.mark.parametrize(
        ("columns", "named", "told"), [(140, True, True), (110, True, False), (80, False, False)]
    )
    def test_what_matters_least_goes_first(self, on_terminal, monkeypatch, columns, named, told):
        monkeypatch.setenv("COLUMNS", str(columns))
        terminal = on_terminal()
        with Bar("FrugalTreeClassifier", unit="CAD", limit=60.0) as bar:
            bar.after(progress(1, 330.1, what="greedy tree", samples=50, bound=11.2), 0.0)
            before = len(terminal.getvalue())
            what = "held out, fold 1 of 5"
            bar.after(progress(2, 328.5, what=what, samples=2_400_050, bound=31.8), 12.4)
            drawn = terminal.getvalue()[before:]
        best = "194 k states/s best CAD 328.50, bound 31.80, gap 90.32 % 47.6 s left"
        assert best in re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", drawn)
        assert ("FrugalTree" in drawn, "held out" in drawn) == (named, told)

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

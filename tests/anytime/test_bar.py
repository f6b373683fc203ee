from __future__ import annotations

import io
import re
import sys
import threading
import types

import pytest
from rich.console import Console

from frugaltree.anytime.bar import ProgressBar
from frugaltree.compiling.progress import can_redraw
from support.anytime_learners import after


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
        with ProgressBar("ACT", unit="CAD") as bar:
            bar.after(after(1, 20.0, 1.0, rounds=4, what="EG2"))
            assert words(terminal).split("  ")[-1] == "round 1/4, EG2 best CAD 20.00 3.0 s left"
            bar.after(after(2, 15.0, 3.0, rounds=4, what="r = 1"))
            assert "round 2/4, r = 1 best CAD 15.00 (-25.0 %) 3.0 s left" in words(terminal)
            bar.during(4.0)
            assert words(terminal).endswith("2.0 s left")
            bar.during(7.0)  # longer than thought
            assert words(terminal).endswith(" 7.0 s")

    def test_bound(self, on_terminal, monkeypatch):
        monkeypatch.setenv("COLUMNS", "140")
        terminal = on_terminal()
        with ProgressBar("ACT", unit="CAD", limit=60.0, steps="states") as bar:
            bar.after(after(1, 20.0, 1.0, what="EG2", steps=50, bound=5.0))
            shown = "EG2 best CAD 20.00 59.0 s left"
            assert words(terminal).endswith(shown)
            bar.after(after(2, 16.0, 3.0, what="sample 1", steps=24_650, bound=15.2))
            done = "sample 1, 12.3 k states/s"
            best = "best CAD 16.00, at most 5.00 % less is possible"
            assert f"{done} {best} 57.0 s left" in words(terminal)

    @pytest.mark.parametrize(
        ("columns", "named", "told"), [(140, True, True), (110, True, False), (80, False, False)]
    )
    def test_what_matters_least_goes_first(self, on_terminal, monkeypatch, columns, named, told):
        monkeypatch.setenv("COLUMNS", str(columns))
        terminal = on_terminal()
        with ProgressBar("FrugalTreeClassifier", unit="CAD", limit=60.0, steps="states") as bar:
            bar.after(after(1, 330.1, 0.0, what="greedy tree", steps=50, bound=11.2))
            before = len(terminal.getvalue())
            what = "held out, fold 1 of 5"
            bar.after(after(2, 328.5, 12.4, what=what, steps=2_400_050, bound=318.0))
            drawn = terminal.getvalue()[before:]
        best = "194 k states/s best CAD 328.50, at most 3.20 % less is possible 47.6 s left"
        assert best in re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", drawn)
        assert ("FrugalTree" in drawn, "held out" in drawn) == (named, told)

    def test_time_left_by_the_clock(self, on_terminal):
        terminal = on_terminal()
        with ProgressBar("ACT", limit=5.0) as bar:
            bar.during(0.5)
            assert words(terminal).endswith("4.5 s left")
            bar.after(after(1, 20.0, 1.0, what="EG2"))
            assert "round 1, EG2 best 20.00 4.0 s left" in words(terminal)

    def test_time_left_by_what_comes_first(self, on_terminal):
        terminal = on_terminal()
        with ProgressBar("ACT", limit=5.0) as bar:
            bar.after(after(1, 20.0, 1.0, rounds=2))
            assert words(terminal).endswith("1.0 s left")
            bar.after(after(1, 20.0, 2.0, rounds=9))
            assert words(terminal).endswith("3.0 s left")

    def test_without_an_end_in_sight(self, on_terminal):
        terminal = on_terminal()
        with ProgressBar("ACT") as bar:
            bar.after(after(1, 20.0, 1.5))
            assert words(terminal).endswith(" 1.5 s")

    def test_no_time_at_all(self, on_terminal):
        on_terminal()
        with ProgressBar("ACT", limit=0.0) as bar:
            bar.after(after(1, 20.0, 0.0, rounds=3))

    def test_drawn_ten_times_a_second_at_most(self, on_terminal):
        terminal = on_terminal()
        with ProgressBar("ACT") as bar:
            for step in range(1, 1001):
                bar.after(after(step, 20.0, 0.001 * step))
            drawn = terminal.getvalue().count("best")
        assert 9 <= drawn <= 11

    def test_gone_afterwards(self, on_terminal):
        terminal = on_terminal()
        with ProgressBar("ACT") as bar:
            bar.after(after(1, 20.0, 1.0))
        assert terminal.getvalue().endswith("\x1b[1A\x1b[2K")

    def test_brackets_are_just_brackets(self, on_terminal):
        terminal = on_terminal()
        with ProgressBar("ACT") as bar:
            bar.after(after(1, 20.0, 1.0, what="[red]"))
            assert "[red]" in words(terminal)

    def test_only_one_at_a_time(self, on_terminal):
        terminal = on_terminal()
        with ProgressBar("ACT") as first:

            def show_another():
                with ProgressBar("another") as second:
                    second.after(after(1, 20.0, 1.0))

            thread = threading.Thread(target=show_another)
            thread.start()
            thread.join()
            first.after(after(1, 20.0, 1.0))
        with ProgressBar("later ACT") as third:
            third.after(after(1, 20.0, 1.0))
        assert "another" not in terminal.getvalue()
        assert "later ACT" in terminal.getvalue()


@pytest.fixture
def in_notebook(monkeypatch):
    """Let rich believe that it is in a notebook; stderr is the cell's output."""
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)

    def show(*, widgets):
        shown = []
        for name in ("IPython", "IPython.display", "ipywidgets"):
            module = types.ModuleType(name)
            module.Output = lambda: shown
            monkeypatch.setitem(sys.modules, name, module if widgets else None)
        monkeypatch.setattr(sys, "stderr", cell := io.StringIO())
        return cell

    return show


@pytest.mark.filterwarnings("error")
class TestNotebook:
    def test_one_line_without_widgets(self, in_notebook):
        cell = in_notebook(widgets=False)
        with ProgressBar("ACT", unit="CAD") as bar:
            for step in range(1, 165):
                bar.after(after(step, 20.0 - step / 100, 1.0 * step, rounds=164, what="EG2"))
                bar.during(step + 0.5)
        assert cell.getvalue() == "ACT: round 164/164, EG2, best CAD 18.36 (-8.2 %), 2 min 44 s\n"

    def test_nothing_where_nothing_was_done(self, in_notebook):
        cell = in_notebook(widgets=False)
        with ProgressBar("ACT"):
            pass
        assert cell.getvalue() == ""

    def test_one_line_of_several_searches(self, in_notebook):
        cell = in_notebook(widgets=False)
        with ProgressBar("ACT") as first:
            with ProgressBar("another") as second:
                second.after(after(1, 20.0, 1.0))
            first.after(after(1, 20.0, 1.0))
        assert cell.getvalue().count("\n") == 1

    def test_a_bar_with_widgets(self, in_notebook):
        in_notebook(widgets=True)
        assert can_redraw(Console(stderr=True))
        in_notebook(widgets=False)
        assert not can_redraw(Console(stderr=True))

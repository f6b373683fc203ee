from __future__ import annotations

import logging
from contextlib import contextmanager

import pytest

from frugaltree.anytime.verbosity import LOGGER, display
from support.anytime_learners import after


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


class TestLogger:
    def test_silent_by_default(self, capfd):
        with unheard(), display("ACT", 0) as shown:
            assert shown is None
            LOGGER.info("nobody asked")
        assert capfd.readouterr() == ("", "")

    def test_on_stderr_where_nobody_listens(self, capfd):
        with unheard():
            with display("ACT", 2) as shown:
                shown.open("ACT: 8 cases")
            LOGGER.info("nobody asked")
        out, err = capfd.readouterr()
        assert out == ""
        assert err.startswith("ACT: 8 cases\n")
        assert "nobody asked" not in err

    def test_only_to_those_who_listen(self, capfd, caplog):
        with display("ACT", 3) as shown:
            shown.open("ACT: 8 cases")
        assert capfd.readouterr() == ("", "")
        assert caplog.record_tuples[0] == ("frugaltree", logging.INFO, "ACT: 8 cases")

    def test_a_louder_level_stays(self, caplog):
        caplog.set_level(logging.DEBUG, "frugaltree")
        with display("ACT", 2):
            assert LOGGER.level == logging.DEBUG
        assert LOGGER.level == logging.DEBUG

    def test_several_searches_share_one_handler(self, capfd):
        with unheard(), display("ACT", 2) as first:
            with display("ICET", 2) as second:
                second.open("second")
            first.open("first")
            assert len(LOGGER.handlers) == 1
        lines = capfd.readouterr().err.splitlines()
        assert [line for line in lines if "Round" not in line] == ["second", "first"]

    def test_an_error_leaves_the_logger_as_it_was(self):
        with unheard(), pytest.raises(ZeroDivisionError), display("ACT", 2):
            1 / 0


class TestBar:
    def test_nothing_in_a_file(self, capfd):
        with display("ACT", 1) as bar:
            bar.open("ACT: 8 cases")
            bar.after(after(1, 20.0, 1.0))
            bar.close("completed", 1.0, 2.0, 3.0)
        assert capfd.readouterr() == ("", "")

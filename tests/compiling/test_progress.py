"""What is shown while kernels are compiled."""

from __future__ import annotations

import io
import logging
import sys

import pytest
from rich.console import Console
from rich.live import Live

from frugaltree.compiling.progress import HINT, CompilingBar, announce


@pytest.mark.parametrize(
    ("n", "hint", "said"),
    [
        (1, False, "Compiling one kernel for EG2, once on this machine."),
        (3, True, f"Compiling 3 kernels for EG2, once on this machine{HINT}."),
    ],
)
def test_one_line_says_who_waits_for_what(caplog, n, hint, said):
    announce(n, "EG2", hint=hint)
    assert [(record.levelno, record.message) for record in caplog.records] == [
        (logging.WARNING, said)
    ]


def test_a_bar_while_something_else_is_shown(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    with Live("a search", console=Console(stderr=True)), CompilingBar("EG2", 10) as bar:
        bar.advance(3)


def test_no_bar_where_there_is_no_terminal(capfd):
    with CompilingBar("EG2", 10) as bar:
        bar.advance(10)
    assert capfd.readouterr() == ("", "")


def test_no_bar_in_a_notebook_without_widgets(monkeypatch):
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    monkeypatch.setattr(sys, "stderr", cell := io.StringIO())
    with CompilingBar("EG2", 50) as bar:
        for _ in range(50):
            bar.advance(1)
    assert cell.getvalue() == ""

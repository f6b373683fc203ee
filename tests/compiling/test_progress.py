from __future__ import annotations

import io
import sys

import pytest

from frugaltree.compiling.progress import CompilingBar


@pytest.mark.filterwarnings("error")
def test_no_bar_in_a_notebook_without_widgets(monkeypatch):
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    monkeypatch.setattr(sys, "stderr", cell := io.StringIO())
    with CompilingBar("EG2", 50) as bar:
        for _ in range(50):
            bar.advance(1)
    assert cell.getvalue() == ""

"""The figures of the study, drawn from tables.

All numbers come from `study.tables`; here they are only drawn, with matplotlib
(``pip install --group study``) and without its global state. The same numbers give the
same file, byte for byte.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from frugaltree.compare.style import new_figure, use_style
from frugaltree.exceptions import FrugaltreeError, did_you_mean
from frugaltree.files import write_at_once
from study.figures.curves import (
    ablation,
    figure_10,
    figure_12,
    figure_13,
    figure_14,
    figure_15,
)
from study.figures.points import critical_difference, figure_11
from study.tables.result_table import ResultTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FIGURES", "draw", "png", "save", "svg"]

DOTS = 200
"""Dots per inch of a PNG."""

FIGURES: dict[str, Callable[[ResultTable], Figure]] = {
    "figure-10": figure_10,
    "figure-11": figure_11,
    "figure-12": figure_12,
    "figure-13": figure_13,
    "figure-14": figure_14,
    "figure-15": figure_15,
    "critical-difference": critical_difference,
    "ablation": ablation,
    "peers": figure_10,
}
"""How to draw the tables that have a picture, by name."""


def draw(table: ResultTable) -> Figure:
    """Draw a table; one of which nothing is known gives a picture that says so.

    >>> import polars as pl
    >>> figure = draw(ResultTable("figure-10", "Costs.", pl.DataFrame(), notes=("Nothing yet.",)))
    >>> [text.get_text() for text in figure.texts]
    ['Nothing yet.']
    """
    if table.name not in FIGURES:
        raise FrugaltreeError(
            f"{table.name!r} has no picture; choose among {', '.join(FIGURES)}."
            f"{did_you_mean(table.name, FIGURES)}"
        )
    with use_style():
        if not table.numbers.is_empty():
            return FIGURES[table.name](table)
        figure = new_figure(height=1.5)
        figure.text(0.5, 0.5, " ".join(table.notes), ha="center", va="center", wrap=True)
        return figure


def svg(table: ResultTable) -> str:
    """Return the picture of a table as SVG, free of dates and chance."""
    return _file(table, "svg", {"Date": None, "Creator": None}).decode()


def png(table: ResultTable) -> bytes:
    """Return the picture of a table as PNG."""
    return _file(table, "png", {"Software": None})


def save(table: ResultTable, path: str | Path) -> None:
    """Write the picture of a table to a file that ends in .svg or .png."""
    kind = Path(path).suffix.lower()
    if kind not in (".svg", ".png"):
        raise FrugaltreeError(
            f"a figure cannot be written as {Path(path).name}; let the name end in .svg or .png."
        )
    content = svg(table).encode() if kind == ".svg" else png(table)
    write_at_once(path, content, "the figure")


def _file(table: ResultTable, kind: str, metadata: dict[str, None]) -> bytes:
    buffer = io.BytesIO()
    with use_style():
        draw(table).savefig(buffer, format=kind, dpi=DOTS, metadata=metadata)
    return buffer.getvalue()

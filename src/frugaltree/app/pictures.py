"""Pictures on their way into a file."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from frugaltree.exceptions import FrugaltreeError
from frugaltree.files import check_place, write_at_once

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PICTURES = (".svg", ".png")

DOTS = 200
"""Dots per inch of a PNG."""


def check_picture(path: Path) -> None:
    """Refuse a picture that could not be drawn or written in the end."""
    if path.suffix.lower() not in PICTURES:
        raise FrugaltreeError(
            f"a picture cannot be written as {path.name}; let the name end in .svg or .png."
        )
    check_place(path, "the picture")
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise FrugaltreeError("a picture needs matplotlib; pip install matplotlib brings it.")
    import matplotlib

    matplotlib.use("agg")


def save(figure: Figure, path: Path) -> None:
    """Write a picture, in place of one that was there."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format=path.suffix[1:].lower(), dpi=DOTS)
    write_at_once(path, buffer.getvalue(), "the picture")

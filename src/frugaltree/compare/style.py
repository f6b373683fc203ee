"""How pictures of comparisons look."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from frugaltree.exceptions import FrugaltreeError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH = 9.0
"""Width of every figure in inches: 900 pixels at 100 dots per inch."""

STYLE: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": "#888888",
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 11,
    "figure.constrained_layout.use": True,
    "font.size": 10,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.7,
    "lines.linewidth": 1.6,
    "svg.hashsalt": "frugaltree",
    "xtick.minor.bottom": False,
}


@contextmanager
def use_style() -> Iterator[None]:
    """Draw and write in this style."""
    try:
        from matplotlib import rc_context
    except ImportError:
        raise FrugaltreeError(
            "figures need matplotlib; pip install 'frugaltree[plot]' brings it."
        ) from None
    with rc_context(STYLE):
        yield


def new_figure(height: float) -> Figure:
    """Return an empty figure."""
    from matplotlib.figure import Figure

    return Figure(figsize=(WIDTH, height))

"""Where pictures are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frugaltree.exceptions import FrugaltreeError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def new_axes(width: float = 8.0, height: float = 4.5) -> Axes:
    """Return new axes of pyplot's, in inches."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise FrugaltreeError(
            "pictures need matplotlib; pip install 'frugaltree[plot]' brings it."
        ) from None
    _, ax = pyplot.subplots(figsize=(width, height), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color="#e4e4e4", linewidth=0.7)
    ax.set_axisbelow(True)
    return ax


def plain(text: str) -> str:
    r"""Return text that matplotlib does not take for a formula.

    >>> plain("price in $")
    'price in \\$'
    """
    return text.replace("$", r"\$")

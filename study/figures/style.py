"""How figures look: colours, markers, and the pieces they are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from study.learners import find, get_title, parse

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class LearnerStyle(NamedTuple):
    """Colour and marker of a learner, the same in every figure, and the marker's size."""

    colour: str
    marker: str
    size: float = 6.0


LEARNER_STYLES = {
    "act": LearnerStyle("#d55e00", "o"),
    "icet": LearnerStyle("#0072b2", "s"),
    "dtmc": LearnerStyle("#009e73", "^"),
    "eg2": LearnerStyle("#b57f00", "D"),
    "csid3": LearnerStyle("#cc79a7", "v"),
    "idx": LearnerStyle("#56b4e9", "P"),
    "lsid3": LearnerStyle("#000000", "X"),
    "c4.5": LearnerStyle("#7a7a7a", "p"),
    "id3": LearnerStyle("#999933", "H"),
    "cart": LearnerStyle("#aa4499", "<"),
    "streed": LearnerStyle("#332288", ">"),
    "lightgbm": LearnerStyle("#117733", "h"),
    "frugal": LearnerStyle("#882255", "*", 10.0),
}
"""The palettes of Okabe and Ito and of Tol, which the colour-blind can tell apart."""

OTHER = LearnerStyle("#44aa99", "d")
"""For a learner that is not among them."""

DASHES = {"nothing": ":", "prices": "--", "all": "-"}
"""Line by what a learner sees."""

SIGHT = "solid: learners that see prices and error costs; dashed: prices only; dotted: neither"


def get_style(learner: str) -> LearnerStyle:
    """Return colour and marker of a learner, tuned or not.

    >>> get_style("act(n_samples=16)") == get_style("act-tuned") == get_style("act")
    True
    """
    key = parse(learner)[0].removesuffix("-tuned")
    return LEARNER_STYLES.get(key, OTHER)


class Curve(NamedTuple):
    """Where a curve ends, and whose it is."""

    learner: str
    x: float
    y: float


def iterate_learners(numbers: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield each learner with its numbers."""
    for (learner,), part in numbers.group_by("learner", maintain_order=True):
        yield str(learner), part


def draw_curve(
    ax: Axes, learner: str, x: Sequence[float], y: Sequence[float], *, faint: bool = False
) -> Curve:
    """Draw a learner's curve, faint for what is only beside it; return where it ends."""
    colour, marker, size = get_style(learner)
    ax.plot(
        x,
        y,
        color=colour,
        marker=marker,
        markersize=size,
        linestyle=DASHES[find(learner).sees],
        alpha=0.3 if faint else 1,
        label="_" if faint else get_title(learner),
        markeredgecolor="white",
        markeredgewidth=0.6,
        zorder=2 if faint else 3,
    )
    return Curve(learner, float(x[-1]), float(y[-1]))


def set_log_ticks(ax: Axes, places: Sequence[float], labels: Sequence[str]) -> None:
    """Make the x axis logarithmic, with ticks at these places only."""
    ax.set_xscale("log")
    ax.set_xticks(places, labels)
    ax.set_xticks([], minor=True)


def label_ends(ax: Axes, curves: Iterable[Curve]) -> None:
    """Name each curve at its end, names pushed apart where curves come close."""
    low, high = ax.get_ylim()
    ends = sorted(curves, key=lambda end: end.y)
    places = spread([end.y for end in ends], 0.045 * (high - low))
    for end, place in zip(ends, places, strict=True):
        ax.annotate(
            get_title(end.learner),
            (end.x, end.y),
            (1.03, (place - low) / (high - low)),
            textcoords="axes fraction",
            va="center",
            color=get_style(end.learner).colour,
            arrowprops={
                "arrowstyle": "-",
                "color": get_style(end.learner).colour,
                "lw": 0.6,
                "relpos": (0, 0.5),
                "shrinkA": 2,
                "shrinkB": 4,
            },
        )


def spread(values: Sequence[float], gap: float) -> list[float]:
    """Return sorted values moved as little as needed to be a gap apart.

    >>> spread([1.0, 1.5, 5.0], 1.0)
    [0.75, 1.75, 5.0]
    """
    clusters: list[list[float]] = []
    for value in values:
        clusters.append([value])
        while len(clusters) > 1 and _top(clusters[-2], gap) + gap > _bottom(clusters[-1], gap):
            last = clusters.pop()
            clusters[-1] += last
    return [_bottom(one, gap) + gap * i for one in clusters for i in range(len(one))]


def _bottom(cluster: Sequence[float], gap: float) -> float:
    """Return where the lowest of values stands that are set a gap apart around their mean."""
    return float(np.mean(cluster)) - gap * (len(cluster) - 1) / 2


def _top(cluster: Sequence[float], gap: float) -> float:
    return _bottom(cluster, gap) + gap * (len(cluster) - 1)


def write_note(
    ax: Axes, text: str, place: tuple[float, float], colour: str, *, below: bool
) -> None:
    """Write a small word above or below a point."""
    ax.annotate(
        text,
        place,
        (0, -7 if below else 7),
        textcoords="offset points",
        ha="center",
        va="top" if below else "bottom",
        fontsize=8,
        color=colour,
    )


def explain(figure: Figure, text: str) -> None:
    """Say above a figure how to read it."""
    figure.suptitle(text, x=0.01, ha="left", fontsize=9, color="#666666")


def add_legend(figure: Figure, panels: Sequence[Axes]) -> None:
    """Name the curves of all panels once, above them."""
    named: dict[str, Any] = {}
    for ax in panels:
        handles, labels = ax.get_legend_handles_labels()
        named = dict(zip(labels, handles, strict=True)) | named
    figure.legend(
        list(named.values()), list(named), loc="outside upper center", ncols=8, frameon=False
    )

"""When ``time_limit="auto"`` ends a search, and what longer searches still save.

    python benchmarks/monitoring.py [--data heart pima] [--seconds 20] [--jobs 2] [--out FOLDER]

Development problems, of which none is in the study: one price list of each table, one of five
folds held out, errors at 1,000. Each is searched twice under the paper's estimate: as long as
``auto`` thinks worth it, and much longer. The paper announces such monitoring as future work
(section 6).
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from joblib import Parallel, delayed
from pessimism import as_svg
from rich.console import Console
from rich.progress import track
from sklearn.model_selection import StratifiedKFold

from frugaltree import FrugalTreeClassifier
from frugaltree.compare.style import STYLE
from frugaltree.datasets import names
from frugaltree.files import write_at_once

sys.path.append(str(Path(__file__).resolve().parents[1]))  # the study lies beside

from study.problems import Problem, load_table
from study.scores import compute_standard_cost

DRAW, LEVEL, FOLDS, SEED = "11", "1000", 5, 788

console = Console(width=100)


class Told(NamedTuple):
    """A table: how both searches went; costs are in percent of the standard cost."""

    data: str
    seconds: float
    ended: str
    cost: float
    test: float
    long_seconds: float
    long_ended: str
    long_cost: float
    long_test: float
    profile: list[tuple[float, float]]  # of the long search: seconds, cost


def measure(data: str, seconds: float) -> Told:
    """Search the first training part of a table, monitored and long."""
    warnings.simplefilter("ignore")
    problem = Problem(data, DRAW)
    X, y = load_table(data)
    costs, standard = problem.costs(LEVEL), compute_standard_cost(problem, LEVEL) / 100
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    train, test = next(folds.split(np.zeros(len(y)), y.to_numpy()))
    fitted = [
        FrugalTreeClassifier(costs, time_limit=limit, pessimism="paper", random_state=0).fit(
            X[train], y[train]
        )
        for limit in (0.01, "auto", seconds)  # the first one loads what is compiled
    ][1:]
    figures = [
        (
            one.history_[-1].seconds,
            one.termination_,
            one.expected_cost_ / standard,
            one.total_cost(X[test], y[test]) / standard,
        )
        for one in fitted
    ]
    profile = [(moment.seconds, moment.cost / standard) for moment in fitted[1].history_]
    return Told(data, *figures[0], *figures[1], profile)


def table(told: list[Told]) -> pl.DataFrame:
    """Return what was measured, a line for each table."""
    return pl.DataFrame(
        [
            {
                "table": one.data,
                "seconds": one.seconds,
                "ended": one.ended,
                "expected": one.cost,
                "test": one.test,
                "long seconds": one.long_seconds,
                "long ended": one.long_ended,
                "long expected": one.long_cost,
                "long test": one.long_test,
            }
            for one in told
        ]
    )


def summarise(frame: pl.DataFrame) -> str:
    """Return the figures in words."""
    saved = (frame["expected"] - frame["long expected"]) / frame["expected"] * 100
    differs = frame["test"] - frame["long test"]
    error = (differs.std() or 0.0) / len(frame) ** 0.5
    ended = (frame["ended"] == "monitor").sum()
    return (
        f"{ended} of {len(frame)} searches were ended by the monitor, the others by a proof. On "
        f"average they took {frame['seconds'].mean():.1f} s instead of "
        f"{frame['long seconds'].mean():.1f} s. The longer ones are expected to cost "
        f"{saved.mean():.2f} % less on average, {saved.max():.1f} % at most; on test cases "
        f"{differs.mean():+.2f} ± {error:.2f} points of the standard cost.\n"
    )


def markdown(frame: pl.DataFrame) -> str:
    """Return the table in Markdown."""
    lines = ["| " + " | ".join(frame.columns) + " |", "| --- " * frame.width + "|"]
    for row in frame.iter_rows():
        cells = [f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def picture(told: list[Told]) -> bytes:
    """Return the profiles of the long searches, and where the monitor ended, as an SVG."""
    import matplotlib.pyplot as plt

    with plt.rc_context({**STYLE, "svg.hashsalt": "frugaltree"}):
        figure, axes = plt.subplots(figsize=(6.4, 3.8))
        for one in told:
            seconds = [max(second, 1e-3) for second, _ in one.profile]
            least = one.long_cost
            above = [100 * (cost / least - 1) for _, cost in one.profile]
            axes.plot(
                seconds, above, color="#0072b2", alpha=0.35, drawstyle="steps-post", linewidth=1
            )
        stops = [(one.seconds, 100 * (one.cost / one.long_cost - 1)) for one in told]
        axes.plot(*zip(*stops, strict=True), "o", color="#d55e00", markersize=5, label="auto ends")
        axes.set_xscale("log")
        axes.set_yscale("symlog", linthresh=1.0)
        axes.set_ylim(bottom=-0.3)
        axes.xaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_major_formatter("{x:g}")
        axes.set_xlabel("seconds of search")
        axes.set_ylabel("expected cost, % above the long search")
        axes.legend(frameon=False)
        return as_svg(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", nargs="+", default=names())
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    results = Parallel(given.jobs, return_as="generator")(
        delayed(measure)(data, given.seconds) for data in given.data
    )
    told = list(track(results, "searches", len(given.data), console=console))
    frame = table(told)
    head = (
        '# When `time_limit="auto"` ends a search\n\n'
        "A search saves less and less. `auto` ends it when the last doubling of its time, "
        "about the most that the next can save, saved less than 0.2 % of the cost.\n"
        "`python benchmarks/monitoring.py --out docs/study` measures this on development problems "
        f"(price list {DRAW}, errors at {LEVEL}, a fold held out) beside searches of "
        f"{given.seconds:g} s. Costs are in percent of the standard cost.\n\n"
    )
    text = head + summarise(frame) + "\n![profiles](monitoring.svg)\n\n" + markdown(frame)
    print(text)
    if given.out:
        write_at_once(given.out / "monitoring.md", text.encode(), "the page")
        write_at_once(given.out / "monitoring.svg", picture(told), "the picture")


if __name__ == "__main__":
    main()

"""The figures of the site, drawn by the package from what it has learned just now."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

MISS, SAFE = "#d55e00", "#0072b2"
"""The colours of errors and of tests."""


def draw_all(folder: Path) -> None:
    """Draw every figure of :data:`FIGURES` as an SVG in ``folder``."""
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    plt.switch_backend("Agg")
    with mpl.rc_context({"svg.hashsalt": "frugaltree", "font.size": 10, "svg.fonttype": "none"}):
        for name, draw in FIGURES.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                axes = draw()
            figure = axes.get_figure()
            figure.savefig(
                folder / f"{name}.svg",
                bbox_inches="tight",
                metadata={"Date": None},
                pad_inches=0.2,
            )
            plt.close(figure)


@cache
def heart() -> Any:
    """Return the cases, their classes, Turney's prices, and the first tree of the site."""
    from frugaltree import FrugalTreeClassifier
    from frugaltree.datasets import load, load_costs

    X, y = load("heart", return_X_y=True)
    costs = load_costs("heart", errors=500, delayed=False)
    tree = FrugalTreeClassifier(
        costs, time_limit=None, max_depth=3, min_cases=10, pessimism="paper", random_state=0
    )
    return X, y, costs, tree.fit(X, y)


def draw_tree() -> Any:
    """Draw the first tree."""
    from frugaltree import plots

    return plots.tree(heart()[3])


def draw_errors() -> Any:
    """Draw what two answers cost, over the share of the ill."""
    import numpy as np

    from frugaltree import Costs
    from frugaltree.plots.axes import new_axes

    costs = Costs(errors={("well", "ill"): 500, ("ill", "well"): 100})
    missed, alarm = costs.error_cost("well", "ill"), costs.error_cost("ill", "well")
    shares, turn = np.linspace(0, 0.5, 51), alarm / (alarm + missed)
    ax = new_axes(7, 3.5)
    ax.plot(shares, missed * shares, color=MISS, label="say well")
    ax.plot(shares, alarm * (1 - shares), color=SAFE, label="say ill")
    least = np.minimum(missed * shares, alarm * (1 - shares))
    ax.plot(
        shares, least, color="#444444", linewidth=4, alpha=0.25, label="the cheaper of the two"
    )
    ax.axvline(turn, color="#888888", linestyle=":")
    ax.annotate("one in six", (turn, 10), xytext=(4, 0), textcoords="offset points")
    ax.set(
        xlabel="share of the ill among cases like this",
        ylabel="cost of errors a case",
        ylim=(0, 260),
    )
    ax.legend(frameon=False)
    return ax


def draw_standard_cost() -> Any:
    """Draw what tests and errors cost by several learners, beside the standard cost."""
    from sklearn.model_selection import cross_validate

    from frugaltree import ACTClassifier, C45Classifier, DTMCClassifier, EG2Classifier
    from frugaltree.metrics import standard_cost, test_cost
    from frugaltree.plots.axes import new_axes

    X, y, costs, _ = heart()
    learners = {
        "C4.5": C45Classifier(costs),
        "EG2": EG2Classifier(costs),
        "DTMC": DTMCClassifier(costs),
        "ACT": ACTClassifier(costs, random_state=0),
    }
    scoring = {
        "tests": lambda learner, X, y: test_cost(learner, X, costs),
        "total": lambda learner, X, y: learner.total_cost(X, y),
    }
    ax = new_axes(7, 3.2)
    for row, learner in enumerate(learners.values()):
        told = cross_validate(learner, X, y, cv=10, scoring=scoring)
        tests, total = told["test_tests"].mean(), told["test_total"].mean()
        ax.barh(row, tests, color=SAFE, label="tests" if row == 0 else None)
        ax.barh(row, total - tests, left=tests, color=MISS, label="errors" if row == 0 else None)
        ax.annotate(f"{total:.0f}", (total, row), xytext=(4, -4), textcoords="offset points")
    ax.axvline(standard_cost(costs, y), color="#444444", linestyle="--", label="standard cost")
    ax.set_yticks(range(len(learners)), list(learners))
    ax.invert_yaxis()
    ax.grid(visible=False, axis="y")
    ax.set_xlabel("CAD a patient")
    ax.legend(frameon=False, loc="lower center", ncols=3, bbox_to_anchor=(0.5, 1))
    return ax


def draw_held_out() -> Any:
    """Draw what trees cost on their own cases and on others, the deeper they are."""
    import numpy as np
    from sklearn.model_selection import ShuffleSplit

    from frugaltree import FrugalTreeClassifier
    from frugaltree.plots.axes import new_axes

    X, y, costs, _ = heart()
    depths = range(7)
    found = np.zeros((2, len(depths)))
    splits = list(ShuffleSplit(4, test_size=0.5, random_state=0).split(X))
    for depth in depths:
        learner = FrugalTreeClassifier(
            costs,
            pessimism="none",
            splits="values",
            max_depth=depth,
            max_steps=300,
            random_state=0,
        )
        for parts in splits:
            learner.fit(X[parts[0]], y[parts[0]])
            found[:, depth] += [learner.total_cost(X[rows], y[rows]) for rows in parts]
    found /= len(splits)
    ax = new_axes(7, 3.5)
    ax.plot(depths, found[0], color=SAFE, marker="o", label="the cases it was learned from")
    ax.plot(depths, found[1], color=MISS, marker="s", label="other cases")
    ax.set(xlabel="most tests on a path", ylabel="CAD a patient", ylim=(0, None))
    ax.legend(frameon=False)
    return ax


def draw_frontier() -> Any:
    """Draw the frontier of the heart table."""
    from frugaltree import FrugalTreeClassifier, frontier, plots

    X, y, costs, _ = heart()
    learner = FrugalTreeClassifier(
        costs, time_limit=None, max_depth=2, min_cases=10, pessimism="paper", random_state=0
    )
    return plots.frontier(frontier(learner, X, y))


def draw_anytime() -> Any:
    """Draw the search for the first tree."""
    from frugaltree import plots

    return plots.anytime(heart()[3])


FIGURES: dict[str, Callable[[], Any]] = {
    "heart-tree": draw_tree,
    "errors": draw_errors,
    "standard-cost": draw_standard_cost,
    "held-out": draw_held_out,
    "frontier": draw_frontier,
    "anytime": draw_anytime,
}
"""What draws each figure, by its file's name."""

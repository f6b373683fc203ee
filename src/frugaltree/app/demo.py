"""The demonstration: a tree for heart disease at expert prices."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from frugaltree.files import check_place

if TYPE_CHECKING:
    from frugaltree.protocols import Estimator
    from frugaltree.strategies import Strategy

WRONG = 500
"""What a wrong answer costs in the demonstration, in dollars."""

SECONDS = 10
"""How long the search for the tree may take."""


NEEDED = ("frugal", "c4.5", "eg2", "dtmc")
"""The learners that it takes: the tree's own, and those that it is compared with."""


def run(console: Console, out: Path, *, as_json: bool) -> None:
    """Learn the tree, show it beside what it would cost to do without, save it and its page."""
    progress = Console(stderr=True) if as_json else console
    check_place(out, "the model")
    with progress.status("Loading scikit-learn and the data"):
        from frugaltree import FrugalTreeClassifier, save_model, warm_up
        from frugaltree.app.fit import sum_up
        from frugaltree.datasets import load, load_costs
        from frugaltree.report import compare_with_baselines

        costs = load_costs("heart", errors=WRONG, delayed=False)
        X, y = load("heart", return_X_y=True)
    warm_up(NEEDED, verbose=0 if as_json else 1)
    tree = FrugalTreeClassifier(
        costs, time_limit=SECONDS, random_state=0, verbose=0 if as_json else 1
    ).fit(X, y)
    with progress.status("Comparing"):
        strategies = compare_with_baselines(tree, X, y)
        save_model(tree, out, strategies=strategies)
        page = _write_page(tree, out, strategies)
    if not as_json:
        console.print(
            f"[bold]Heart disease[/]: {len(X)} patients, {X.shape[1]} tests, prices of Turney "
            f"(1995) in Canadian dollars.\nFor the demonstration a wrong answer costs {WRONG} "
            "(missing a disease may cost more: set your own).",
            highlight=False,
        )
    sum_up(tree, strategies, out, as_json=as_json)
    if not as_json:
        said = (
            f"The page about it is in {page}; any browser opens it."
            if page
            else "A page about it needs jinja2: pip install 'frugaltree\\[report]'."
        )
        console.print(said, highlight=False, soft_wrap=True)


def _write_page(tree: Estimator, out: Path, strategies: Sequence[Strategy]) -> Path | None:
    """Write the page about the tree beside the model, if what it takes is installed."""
    from frugaltree.report import write_report

    if find_spec("jinja2") is None:
        return None
    page = out.with_suffix(".html")
    write_report(tree, page, title="Heart disease", strategies=strategies)
    return page

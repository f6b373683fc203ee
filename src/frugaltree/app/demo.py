"""The demonstration: a tree for heart disease at expert prices."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

WRONG = 500
"""What a wrong answer costs in the demonstration, in dollars."""

SECONDS = 10
"""How long the search for the tree may take."""


def run(console: Console, out: Path, *, as_json: bool) -> None:
    """Learn the tree, show it beside what it would cost to do without, and save it."""
    progress = Console(stderr=True) if as_json else console
    with progress.status("Loading scikit-learn and the data") as status:
        from frugaltree import FrugalTreeClassifier, save_model
        from frugaltree.app.fit import sum_up
        from frugaltree.datasets import load, load_costs
        from frugaltree.report import compare_with_baselines

        costs = load_costs("heart", errors=WRONG, delayed=False)
        X, y = load("heart", return_X_y=True)
        status.update("Compiling (once on this machine, a minute or two)")
        tree = FrugalTreeClassifier(costs, time_limit=0.1, random_state=0).fit(X, y)
    tree.set_params(time_limit=SECONDS, verbose=0 if as_json else 1).fit(X, y)
    with progress.status("Comparing"):
        strategies = compare_with_baselines(tree, X, y)
    save_model(tree, out, strategies=strategies)
    if not as_json:
        console.print(
            f"[bold]Heart disease[/]: {len(X)} patients, {X.shape[1]} tests, prices of Turney "
            f"(1995) in Canadian dollars.\nFor the demonstration a wrong answer costs {WRONG} "
            "(missing a disease may cost more: set your own).",
            highlight=False,
        )
    sum_up(tree, strategies, out, as_json=as_json)

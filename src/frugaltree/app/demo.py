"""The demonstration: a tree for heart disease at expert prices."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.markup import escape

WRONG = 500
"""What a wrong answer costs in the demonstration, in dollars."""

SECONDS = 10
"""How long the search for the tree may take."""


def run(console: Console, out: Path) -> None:
    """Learn the tree, show it beside what it would cost to do without, and save it."""
    with console.status("Loading scikit-learn and the data") as status:
        from frugaltree import DTMCClassifier, EG2Classifier, FrugalTreeClassifier, save_model
        from frugaltree.app.summary import shown
        from frugaltree.datasets import load, load_costs
        from frugaltree.report.strategies import strategies

        costs = load_costs("heart", errors=WRONG, delayed=False)
        X, y = load("heart", return_X_y=True)
        status.update("Compiling (once on this machine, a minute or two)")
        tree = FrugalTreeClassifier(costs, time_limit=0.1, random_state=0).fit(X, y)
        others = {
            "EG2, blind to errors": EG2Classifier(costs).fit(X, y),
            "DTMC, one step ahead": DTMCClassifier(costs).fit(X, y),
        }
    tree.set_params(time_limit=SECONDS, verbose=1).fit(X, y)
    save_model(tree, out)

    console.print(
        f"[bold]Heart disease[/]: {len(X)} patients, {X.shape[1]} tests, prices of Turney (1995) "
        f"in Canadian dollars.\nFor the demonstration a wrong answer costs {WRONG} (missing a "
        "disease may cost more: set your own)."
    )
    console.print()
    console.print(escape(tree.to_text()), highlight=False)
    console.print()
    console.print(shown(strategies(tree, others, X, y)))
    console.print(
        "Costs per patient on these patients; [italic]expected[/] of new ones, by C4.5's cautious "
        "estimate of errors.",
        style="dim",
    )
    held_out = ""
    if tree.cv_cost_ is not None:
        held_out = f" On patients held out: {tree.cv_cost_:.2f} ± {tree.cv_cost_error_:.2f}."
    console.print(
        f"\nExpected of new patients, each: {tree.expected_cost_:.2f} = "
        f"{tree.expected_test_cost_:.2f} for tests + {tree.expected_error_cost_:.2f} for errors."
        f"{held_out}\nThe search took {tree.history_[-1].seconds:.1f} s and ended by "
        f"{tree.termination_}: by its estimate no tree costs less than {tree.lower_bound_:.2f}, "
        f"a gap of {tree.gap_:.0%}.",
        highlight=False,
    )
    console.print(f"The model is in [bold]{escape(str(out))}[/].", highlight=False)

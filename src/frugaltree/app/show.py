"""``frugaltree show``: what a model asks, what it answers, and where it comes from."""

from __future__ import annotations

import json
from pathlib import Path

from rich.console import Console
from rich.markup import escape

MOST_LINES = 200
"""A tree of more lines is shown to SHOWN_DEPTH unless told otherwise."""

SHOWN_DEPTH = 4


def run(console: Console, model: Path, depth: int | None, *, as_json: bool) -> None:
    """Print the tree of a model and what is known of it."""
    from frugaltree.app.fit import describe_fit, say_cost
    from frugaltree.persist import read_model
    from frugaltree.tree.text import cases

    saved = read_model(model)
    estimator, provenance = saved.estimator, saved.provenance
    if as_json:
        about = {**describe_fit(estimator), "provenance": provenance}
        print(json.dumps({**about, "tree": estimator.tree_.to_dict()}, default=str))
        return
    tree = estimator.tree_
    text = estimator.to_text(max_depth=depth)
    more = depth is None and text.count("\n") >= MOST_LINES
    if more:
        text = estimator.to_text(max_depth=SHOWN_DEPTH)
    console.print(escape(text), highlight=False, soft_wrap=True)
    console.print()
    leaves = "1 leaf" if tree.n_leaves == 1 else f"{tree.n_leaves:,} leaves"
    tests = "1 test" if tree.depth == 1 else f"{tree.depth} tests"
    if hasattr(estimator, "overview"):
        console.print(f"{escape(estimator.overview())}\n", highlight=False, soft_wrap=True)
    lines = [
        f"{type(estimator).__name__}: {leaves}, at most {tests}, "
        f"learned from {cases(float(tree.weights[0]))}.",
        say_cost(estimator),
    ]
    if {"created", "frugaltree"} <= set(provenance):
        made = f"Made on {provenance['created']} by frugaltree {provenance['frugaltree']}."
        lines.append(made)
    if more:
        lines.append(f"Shown to depth {SHOWN_DEPTH}; --depth shows more or less.")
    for line in lines:
        console.print(escape(line), highlight=False, soft_wrap=True)

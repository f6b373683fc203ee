"""A fitted tree in a notebook: seen at once, above scikit-learn's own box about the learner."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from frugaltree.costs import Costs
from frugaltree.tree.answers import costs_of_answers
from frugaltree.tree.text import View, cases, charges_of

if TYPE_CHECKING:
    from frugaltree.protocols import Estimator

MOST_NODES = 300
"""Of a larger tree only what lies SHOWN_DEPTH tests deep goes into the notebook."""

SHOWN_DEPTH = 3

OPEN_DEPTH = 4
"""So many tests deep the branches of any tree are open at first."""

STYLE = """<style>
.frugaltree { font: 13px/1.5 system-ui, sans-serif; margin: .3rem 0; }
.frugaltree ul { list-style: none; margin: 0; padding-left: 1.1rem; border-left: 1px solid #8888; }
.frugaltree > ul { padding-left: 0; border: 0; }
.frugaltree summary { cursor: pointer; }
.frugaltree .if { opacity: .75; }
.frugaltree .n { opacity: .75; font-size: 12px; }
</style>"""


def tree_html(estimator: Estimator) -> str:
    """Return a fitted tree as HTML that needs no scripts and no other file.

    Names are as users wrote them, and stay text.
    """
    tree, costs = estimator.tree_, estimator.costs
    large = tree.n_nodes > MOST_NODES
    prices = tree.prices(costs or Costs())
    errors = None if costs is None else costs_of_answers(tree, costs)
    unit = None if costs is None else costs.unit
    view = View(tree, charges_of(tree, prices), unit, SHOWN_DEPTH if large else None, errors)
    leaves = "1 leaf" if tree.n_leaves == 1 else f"{tree.n_leaves:,} leaves"
    tests = "1 test" if tree.depth == 1 else f"{tree.depth} tests"
    about = f"{leaves}, at most {tests}, learned from {cases(float(tree.weights[0]))}"
    if large:
        about += f"; shown to depth {SHOWN_DEPTH}"
    return (
        f'{STYLE}<div class="frugaltree"><ul>{_item(view, "", 0)}</ul>'
        f'<div class="n">{about}</div></div>'
    )


def _item(view: View, branch: str, node: int) -> str:
    """Return a node and what is below it; no deeper than trees may be nested in a page."""
    tree = view.tree
    lead = f'<span class="if">{escape(branch)}</span> ' if branch else ""
    if tree.is_leaf(node):
        verdict = view.verdict(node)
        said = f'<b>{escape(verdict.answer)}</b> <span class="n">{escape(verdict.in_box)}</span>'
        return f"<li>{lead}{said}</li>"
    items = "".join(
        f'<li><span class="n">{escape(line)}</span></li>'
        if child is None
        else _item(view, line.removesuffix(view.says(child)).rstrip(), child)
        for line, child in view.below(node)
    )
    is_open = " open" if tree.depths[node] < OPEN_DEPTH else ""
    asks = escape(view.question(node))
    return f"<li><details{is_open}><summary>{lead}{asks}</summary><ul>{items}</ul></details></li>"

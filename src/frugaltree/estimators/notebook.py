"""A fitted tree in a notebook, below scikit-learn's own box about the learner."""

from __future__ import annotations

from html import escape
from importlib import import_module
from importlib.util import find_spec
from typing import Any

MOST_NODES = 3000
"""A larger tree is shown as text, to SHOWN_DEPTH."""

SHOWN_DEPTH = 3


def tree_html(estimator: Any) -> str:
    """Return a fitted tree as HTML: the page of ``frugaltree report`` in a frame, or text.

    Pages are made above the learners; this asks for one by name, when a notebook asks for it.
    """
    tree = estimator.tree_
    if find_spec("jinja2") is None or tree.n_nodes > MOST_NODES:
        depth = SHOWN_DEPTH if tree.n_nodes > MOST_NODES else None
        return f"<pre>{escape(estimator.to_text(max_depth=depth))}</pre>"
    framed: str = import_module("frugaltree.report").framed(estimator)
    return framed

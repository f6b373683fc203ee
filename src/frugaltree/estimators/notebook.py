"""A fitted tree in a notebook, below scikit-learn's own box about the learner."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from frugaltree.protocols import Estimator

MOST_NODES = 3000
"""A larger tree is shown as text, to SHOWN_DEPTH."""

SHOWN_DEPTH = 3

View = Callable[["Estimator"], str]
"""Makes HTML of a fitted learner."""

_views: list[View] = []


def show_with(view: View) -> None:
    """Let notebooks show fitted trees with a view from a layer above, until another comes."""
    _views[:] = [view]


def tree_html(estimator: Estimator) -> str:
    """Return a fitted tree as HTML: by the view that was set, or as text."""
    from html import escape
    from importlib.util import find_spec

    large = estimator.tree_.n_nodes > MOST_NODES
    if large or not _views or find_spec("jinja2") is None:
        return f"<pre>{escape(estimator.to_text(max_depth=SHOWN_DEPTH if large else None))}</pre>"
    return _views[0](estimator)

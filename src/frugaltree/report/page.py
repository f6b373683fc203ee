"""From what a page says to the page itself."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from frugaltree.exceptions import FrugaltreeError
from frugaltree.files import write_at_once
from frugaltree.protocols import Estimator
from frugaltree.report.content import content_of
from frugaltree.strategies import Strategy
from frugaltree.tradeoff import Frontier

PARTS = files("frugaltree.report").joinpath("page")

SCRIPTS = ("numbers", "consult", "svg", "tree", "paper", "charts", "main")
"""The page's programs, in order."""


def write_report(
    estimator: Estimator,
    path: str | os.PathLike[str],
    X: Any = None,
    y: Any = None,
    *,
    title: str | None = None,
    folds: int | None = None,
    strategies: Sequence[Strategy] = (),
    on_fold: Callable[[], None] | None = None,
    frontier: Frontier | None = None,
    error_costs: Any = None,
) -> None:
    """Write a page about a model: its tree, its prices, what they mean, and a consultation.

    Parameters
    ----------
    estimator
        A fitted learner.
    path
        Where to; a page that was there before is replaced at once.
    X, y
        Cases that the model has not seen, to count its errors; None leaves that out.
    title
        The heading of the page.
    folds
        Where X and y are the training cases: in how many folds to learn anew, to count errors.
    strategies
        What other strategies cost on the training cases, as ``compare_with_baselines`` returns
        them. Where none are given but the training cases are, they are worked out.
    on_fold
        Called after each fold.
    frontier
        The trees that are best somewhere, to be shown along the price of an error; see
        :func:`frugaltree.frontier`.
    error_costs
        Costs of each of the cases X, as ``fit`` takes them; an array.
    """
    content = content_of(
        estimator,
        X,
        y,
        title=title,
        folds=folds,
        strategies=strategies,
        on_fold=on_fold,
        frontier=frontier,
        error_costs=error_costs,
    )
    write_at_once(path, render(content).encode(), "the page")


def render(content: dict[str, Any]) -> str:
    """Return the page as text: everything is in it, and whatever users wrote stays text."""
    try:
        from jinja2 import Environment, FunctionLoader
        from markupsafe import Markup
    except ImportError:
        raise FrugaltreeError(
            "a report needs jinja2; pip install 'frugaltree[report]' brings it."
        ) from None

    def part(name: str) -> str:
        return PARTS.joinpath(name).read_text("utf-8")

    environment = Environment(
        autoescape=True, loader=FunctionLoader(part), trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["bare"] = bare
    data = {key: content[key] for key in ("model", "unit", "sensitivity", "history")}
    names: tuple[str, ...] = SCRIPTS
    if content.get("frontier"):
        data["frontier"] = content["frontier"]
        names = *SCRIPTS, "frontier"
    scripts = [Markup(part(f"{name}.js")) for name in names]
    return environment.get_template("page.html").render(
        content, data=Markup(as_script(data)), style=Markup(part("style.css")), scripts=scripts
    )


def bare(text: str, unit: str | None) -> str:
    """Return amounts without their unit, where the heading of a column says it.

    >>> bare("up to CAD 12.50", "CAD"), bare("3.00 to 7.00 minutes", "minutes"), bare("5", None)
    ('up to 12.50', '3.00 to 7.00', '5')
    """
    if not unit:
        return text
    sign = re.escape(unit)
    return re.sub(rf"{sign} (?=[\d-])|(?<=\d) {sign}(?!\w)", "", text)


def render_frame(estimator: Estimator) -> str:
    """Return the page about a model as a frame for a notebook, which cannot reach outside."""
    page = escape(render(content_of(estimator)))
    style = "width: 100%; height: 40rem; border: 0"
    return f'<iframe srcdoc="{page}" sandbox="allow-scripts" style="{style}"></iframe>'


def as_script(data: Any) -> str:
    r"""Return JSON that may stand between script tags, whatever it holds.

    >>> print(as_script("</script><!--"))
    "\u003c/script\u003e\u003c!--"
    """
    text = json.dumps(data, ensure_ascii=True, allow_nan=False)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text

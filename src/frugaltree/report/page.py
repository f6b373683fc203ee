"""From what a page says to the page itself."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from frugaltree.exceptions import FrugaltreeError
from frugaltree.files import write_at_once
from frugaltree.messages import LANGUAGES, Phrase, messages_of, say
from frugaltree.protocols import Estimator
from frugaltree.report.content import content_of
from frugaltree.strategies import Strategy
from frugaltree.tradeoff import Frontier

PARTS = files("frugaltree.report").joinpath("page")

SCRIPTS = (
    "messages", "numbers", "charges", "says", "consult", "record", "svg", "colours", "tree",
    "paper", "charts", "prices", "case", "main",
)  # fmt: skip
"""The page's programs, in order; the last one of all sets the page in a person's language."""

LAST = "last"

STATIC = (
    "about.", "forecast.", "history.", "measured.", "page.", "rivals.", "search.", "sensitivity.",
    "spending.", "tuning.",
)  # fmt: skip
"""Messages that the page's programs never say; those that do not stand on a page are left out."""

UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")
"""Signs that may not stand between script tags, or in no text at all."""

MESSAGES = "⟦data⟧"
"""Where the data goes, once it is known what the page says."""


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
    provenance: Mapping[str, Any] | None = None,
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
    provenance
        What the model file says of where the model comes from; some of it stands at the foot.
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
        provenance=provenance,
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

    def shown(text: Any) -> Any:
        """Return text so that the page can say it in other languages."""
        if not isinstance(text, Phrase):
            return "" if text is None else text
        said = escape(json.dumps(text.as_data()))
        return Markup(f'<span data-say="{said}">{escape(text)}</span>')

    def label(text: Phrase) -> Any:
        """Return the label of an element that readers hear."""
        said = escape(json.dumps(text.as_data()))
        return Markup(f'aria-label="{escape(text)}" data-label="{said}"')

    environment.filters["bare"] = bare
    environment.globals |= {
        "say": say,
        "shown": shown,
        "label": label,
        "t": lambda key, **values: shown(say(key, **values)),
    }
    data = {key: content[key] for key in ("model", "record", "unit", "sensitivity", "history")}
    data["names"] = content["names"]
    names = [*SCRIPTS, LAST]
    if found := content.get("frontier"):
        data["frontier"] = {key: found[key] for key in ("points", "own", "start", "case", "told")}
        names.insert(-1, "frontier")
    scripts = [Markup(part(f"{name}.js")) for name in names]
    page = environment.get_template("page.html").render(
        content, data=MESSAGES, style=Markup(part("style.css")), scripts=scripts
    )
    said = {one: _said_on(page, data, one) for one in LANGUAGES}
    return page.replace(MESSAGES, as_script({**_as_data(data), "messages": said}), 1)


def _said_on(page: str, data: dict[str, Any], language: str) -> dict[str, str]:
    """Return the messages of a language that a page may say, if they are not as in English."""
    frontier = "frontier" in data
    english = messages_of("en") if language != "en" else {}
    return {
        key: text
        for key, text in messages_of(language).items()
        if text != english.get(key)
        and not key.startswith("terminal.")
        and (frontier or not key.startswith("frontier."))
        and (not key.startswith(STATIC) or escape(f'"{key}"') in page)
    }


def _as_data(value: Any) -> Any:
    """Return values with phrases as keys and values, as the page's program takes them."""
    if isinstance(value, Phrase):
        return value.as_data()
    if isinstance(value, dict):
        return {key: _as_data(one) for key, one in value.items()}
    return [_as_data(one) for one in value] if isinstance(value, list | tuple) else value


def bare(text: Any) -> Any:
    """Return amounts without their unit, where the heading of a column says it.

    >>> bare(say("spending.up-to", price=say("money", amount=12.5, unit="CAD"))), bare("")
    ('up to 12.50', '')
    """
    return text.bare() if isinstance(text, Phrase) else text


def as_script(data: Any) -> str:
    r"""Return JSON that may stand between script tags, whatever it holds.

    >>> print(as_script("</script><!--"))
    "\u003c/script\u003e\u003c!--"
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False)
    return UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)

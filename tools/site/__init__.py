"""What the documentation site is made of beside its pages; ``make docs`` builds it.

Sphinx loads this package as an extension. Before pages are read, figures and the live page are
made by the package itself (:mod:`tools.site.figures`, :mod:`tools.site.live`). While they are
read, the commands and the changes are put in (:mod:`tools.site.commands`,
:mod:`tools.site.changes`), and on each page the first use of a term of the glossary becomes a link
(:mod:`tools.site.terms`). :mod:`tools.site.check` looks at what was built.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
MADE = DOCS / "_generated"
"""Figures and pages that are made anew with each build; git does not keep them."""


def setup(app: Any) -> dict[str, Any]:
    """Tell Sphinx what to do when."""
    from tools.site import changes, commands, terms

    app.connect("builder-inited", _make)
    app.connect("source-read", _insert({"<!-- commands -->": commands.describe}))
    app.connect("source-read", _insert({"<!-- changes -->": changes.describe}))
    app.connect("source-read", _trim)
    app.connect("doctree-read", terms.link)
    app.connect("autodoc-skip-member", _skip)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _make(_: Any) -> None:
    from tools.site import figures, live

    MADE.mkdir(exist_ok=True)
    figures.draw_all(MADE)
    live.make(MADE / "live")


def _trim(_: Any, __: str, source: list[str]) -> None:
    """Leave out the empty line at the end of an example, which only doctest needs."""
    source[0] = re.sub(r"^(```python\n.*?)\n(\n```)$", r"\1\2", source[0], flags=re.M | re.S)


def _skip(_: Any, __: str, name: str, *___: Any) -> bool | None:
    """Leave out scikit-learn's own methods that pass metadata on."""
    metadata = name == "get_metadata_routing" or re.fullmatch(r"set_\w+_request", name)
    return True if metadata else None


def _insert(texts: dict[str, Any]) -> Any:
    """Return a listener that replaces each mark in a page by the text that a function returns."""

    def replace(_: Any, __: str, source: list[str]) -> None:
        for mark, describe in texts.items():
            if mark in source[0]:
                source[0] = source[0].replace(mark, describe())

    return replace

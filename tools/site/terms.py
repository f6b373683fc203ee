"""The first use of a term of the glossary on a page leads to the glossary."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from tools.site import DOCS

UNLINKED = ("glossary", "changelog", "fuzz", "study/", "reference/")
"""Pages on which terms stay as they are, by the beginnings of their names."""


@cache
def terms() -> tuple[str, ...]:
    """Return the terms of the glossary, the longest first."""
    text = (DOCS / "glossary.md").read_text("utf-8")
    block = re.search(r"```\{glossary\}\n(.*?)\n```", text, re.S)
    assert block is not None
    return tuple(sorted(re.findall(r"^(\w.*)$", block[1], re.M), key=lambda term: -len(term)))


@cache
def _pattern() -> re.Pattern[str]:
    words = "|".join(re.escape(term).replace(r"\ ", r"\s+") for term in terms())
    return re.compile(rf"(?<![\w-])({words})(s?)(?![\w-]|\s+trees?\b)", re.I)


def find(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield each use of a term, in the singular, and where it is."""
    for match in _pattern().finditer(text):
        yield " ".join(match[1].lower().split()), match


def link(app: Any, doctree: Any) -> None:
    """Turn the first use of each term in running text into a link."""
    from docutils import nodes
    from sphinx import addnodes

    page = app.env.current_document.docname
    if page.startswith(UNLINKED):
        return
    closed = (
        nodes.title,
        nodes.reference,
        nodes.literal,
        nodes.FixedTextElement,
        nodes.raw,
        nodes.block_quote,
        nodes.rubric,
        nodes.strong,
        addnodes.pending_xref,
        addnodes.toctree,
    )
    links = [one for one in doctree.findall(addnodes.pending_xref) if one["reftype"] == "term"]
    seen = {one["reftarget"].lower() for one in links}
    for text in list(doctree.findall(nodes.Text)):
        if _lies_in(text, closed) or _lies_in_card(text):
            continue
        pieces, done = [], 0
        for term, match in find(str(text)):
            if term in seen:
                continue
            seen.add(term)
            pieces += [
                nodes.Text(str(text)[done : match.start()]),
                _reference(term, match[0], page),
            ]
            done = match.end()
        if pieces:
            pieces.append(nodes.Text(str(text)[done:]))
            text.parent.replace(text, [piece for piece in pieces if piece.astext()])


def _lies_in(node: Any, kinds: tuple[type, ...]) -> bool:
    while node is not None:
        if isinstance(node, kinds):
            return True
        node = node.parent
    return False


def _lies_in_card(node: Any) -> bool:
    """Tell whether all of what stands around a node is a link."""
    while node is not None:
        if "sd-card" in node.get("classes", ()) if hasattr(node, "get") else False:
            return True
        node = node.parent
    return False


def _reference(term: str, words: str, page: str) -> Any:
    from docutils import nodes
    from sphinx import addnodes

    made = addnodes.pending_xref(
        "", refdomain="std", reftype="term", reftarget=term, refexplicit=True, refdoc=page,
        refwarn=True, classes=["term"],
    )  # fmt: skip
    made += nodes.inline(words, words)
    return made

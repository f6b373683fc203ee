"""A look at the site that was built: does each link lead somewhere, does it fetch nothing.

``python -m tools.site.check build/docs`` prints what is wrong and ends with 1 if anything is.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LINKS = {"a": "href", "link": "href", "img": "src", "script": "src", "iframe": "src"}
"""What leads elsewhere, by element."""

FETCHED = ("img", "script", "iframe")
"""Elements that a browser loads by itself."""

STANDALONE = ("heart.html",)
"""Pages that are not Sphinx's; they have tests of their own."""


class Page(HTMLParser):
    """The links of a page, what can be linked to in it, and its pictures without words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[tuple[str, str]] = []
        self.anchors: set[str] = set()
        self.wordless: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element links to and is called."""
        told = dict(attrs)
        self.anchors |= {name for key in ("id", "name") if (name := told.get(key))}
        link = told.get(LINKS.get(tag, ""))
        loads = tag in FETCHED or (tag == "link" and told.get("rel") == "stylesheet")
        if link and (tag != "link" or loads):
            self.links.append(("fetched" if loads else "link", link))
        if tag == "img" and not told.get("alt"):
            self.wordless.append(told.get("src") or "")


def problems(site: Path) -> Iterator[str]:
    """Yield a sentence for each link that leads nowhere and each file from elsewhere."""
    pages = {
        path: Page(path.read_text("utf-8"))
        for path in sorted(site.rglob("*.html"))
        if path.name not in STANDALONE and "_static" not in path.parts
    }
    for path, page in pages.items():
        name = path.relative_to(site)
        for source in page.wordless:
            yield f"{name}: the picture {source} has no words for who cannot see it"
        for kind, link in page.links:
            told = _problem(site, path, pages, kind, link)
            if told:
                yield f"{name}: {told}"


def _problem(site: Path, path: Path, pages: dict[Path, Page], kind: str, link: str) -> str | None:
    try:
        parts = urlsplit(link)
    except ValueError:
        return f"{link} is no address"
    if parts.scheme or parts.netloc:
        if kind == "fetched" and parts.scheme != "data":
            return f"{link} would be fetched"
        formed = parts.scheme == "mailto" or (parts.scheme in ("https", "data") and parts.path)
        return None if formed or parts.netloc else f"{link} is no https address"
    target = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
    if target.is_dir():
        target /= "index.html"
    if not target.is_file() or not target.is_relative_to(site):
        return f"{link} leads nowhere"
    if parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
        return f"{link}: there is no such place on that page"
    return None


def main(site: str) -> int:
    """Print what is wrong with the site in a folder; return how to end."""
    found = list(problems(Path(site).resolve()))
    print("\n".join(found) if found else "All links lead somewhere, and nothing is fetched.")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

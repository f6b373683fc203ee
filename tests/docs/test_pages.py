"""Pages of the site: what they link to, which words they use, and how they are laid out."""

from __future__ import annotations

import re

import pytest

from tools.site import DOCS, ROOT
from tools.site.changes import describe
from tools.site.check import problems
from tools.site.terms import UNLINKED, find, terms

PAGES = [
    path
    for path in sorted(DOCS.rglob("*.md"))
    if not path.relative_to(DOCS).as_posix().startswith(("_", *UNLINKED))
]


def running_text(path):
    """Return a page without its blocks, code, links and headings."""
    text = re.sub(r"^(```+|:::+).*?^\1", "", path.read_text("utf-8"), flags=re.M | re.S)
    text = re.sub(r"`[^`]*`|\[[^\]]*\]\([^)]*\)|\*\*[^*]*\*\*", "", text)
    return re.sub(r"^#.*$", "", text, flags=re.M)


@pytest.fixture(scope="module")
def used():
    return {term for path in PAGES for term, _ in find(running_text(path))}


@pytest.mark.parametrize("term", terms())
def test_terms_of_the_glossary_are_used_where_they_become_links(term, used):
    assert term.lower() in used


def test_a_term_is_found_in_singular_and_plural_and_not_within_words():
    text = "Leaves, a leaf, bills and a\nstandard cost; billing, re-test."
    assert [term for term, _ in find(text)] == ["leaf", "bill", "standard cost"]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(DOCS).as_posix())
def test_pages_have_one_title_and_can_be_reached(path):
    text = path.read_text("utf-8")
    assert re.match(r"(```.*?```\s*)?# \S", text, re.S)
    assert len(re.findall(r"^# ", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M)) == 1


def test_examples_end_before_their_block_does():
    for path in PAGES:
        for block in re.findall(r"```python\n(.*?)```", path.read_text("utf-8"), re.S):
            if ">>>" in block:
                assert block.endswith("\n\n"), f"{path.name}: {block[-80:]}"


def test_changes_of_every_kind_are_told():
    text = describe()
    for path in (ROOT / "changes").glob("+*.md"):
        assert path.read_text("utf-8").split("\n")[0] in text


def test_what_is_wrong_with_a_site_is_told(tmp_path):
    (tmp_path / "a.html").write_text(
        '<a href="b.html#there">x</a><a href="b.html#where">x</a><a href="gone.html">x</a>'
        '<img src="b.html"><script src="https://example.org/x.js"></script>'
        '<a href="https://example.org/page">x</a><a href="http:">x</a>'
    )
    (tmp_path / "b.html").write_text('<p id="there">x</p>')
    told = [problem.removeprefix("a.html: ") for problem in problems(tmp_path)]
    assert told == [
        "the picture b.html has no words for who cannot see it",
        "b.html#where: there is no such place on that page",
        "gone.html leads nowhere",
        "https://example.org/x.js would be fetched",
        "http: is no https address",
    ]

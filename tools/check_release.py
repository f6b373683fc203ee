"""Check that a tag fits what is released under it, and print the release's notes.

    python tools/check_release.py v0.2.0

The tag is v and the package's version. That version stands in CITATION.cff and has a section in
CHANGELOG.md; no changelog fragment is left over, but for a candidate such as 0.2.0rc1, which keeps
them for the final release; and no development version is released.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
RELEASED = re.compile(r"\d+\.\d+\.\d+((a|b|rc)\d+)?")


def find(pattern: str, path: str) -> str:
    """Return the group of a pattern in a file, nothing if it is not there."""
    text = (ROOT / path).read_text(encoding="utf-8")
    found = re.search(pattern, text, re.MULTILINE)
    return found[1] if found else ""


def read_notes(version: str) -> str:
    """Return a version's section of the changelog, without its heading."""
    heading = rf"^## {re.escape(version)} \(\d{{4}}-\d\d-\d\d\)$"
    return find(rf"(?s:{heading}(.*?)(?=^## |\Z))", "CHANGELOG.md").strip()


def list_fragments() -> list[str]:
    """Return the names of the changelog fragments that no release has taken up."""
    return sorted(path.name for path in (ROOT / "changes").glob("*.md") if path.stem != "README")


def check(tag: str) -> list[str]:
    """Return what is wrong with a tag, one sentence each."""
    version = find(r'^__version__ = "(.+)"$', "src/frugaltree/__init__.py")
    cited = find(r"^version: (\S+)$", "CITATION.cff")
    wrong = []
    if tag != f"v{version}":
        wrong.append(f"The tag is {tag}, but the package's version is {version}.")
    if not RELEASED.fullmatch(version):
        wrong.append(f"{version} is not a version to release, such as 1.2.0 or 1.2.0rc1.")
    if cited != version:
        wrong.append(f"CITATION.cff has version {cited}, not {version}.")
    if find("^(## Unreleased)$", "CHANGELOG.md"):
        wrong.append("CHANGELOG.md still has a section 'Unreleased'.")
    if not read_notes(version):
        wrong.append(f"CHANGELOG.md has no text under '## {version} (<date>)'.")
    if version.replace(".", "").isdigit() and (fragments := list_fragments()):
        wrong.append(f"Not taken up in CHANGELOG.md by towncrier: {', '.join(fragments)}.")
    return wrong


def main() -> None:
    """Print the notes of the release, or end with what is wrong."""
    if len(sys.argv) != 2:
        sys.exit("usage: python tools/check_release.py <tag>")
    if wrong := check(sys.argv[1]):
        sys.exit("\n".join(wrong))
    print(read_notes(sys.argv[1].removeprefix("v")))


if __name__ == "__main__":
    main()

"""The changes since the last release, and those before, as one page."""

from __future__ import annotations

import re
import tomllib

from tools.site import ROOT


def describe() -> str:
    """Return the fragments by kind, then what CHANGELOG.md says of releases."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    parts = ["## Latest changes, not yet released"]
    for kind in project["tool"]["towncrier"]["type"]:
        paths = sorted((ROOT / "changes").glob(f"*.{kind['directory']}.md"))
        if not paths:
            continue
        parts.append(f"### {kind['name']}")
        parts += ["- " + path.read_text("utf-8").strip().replace("\n", "\n  ") for path in paths]
    return "\n\n".join([*parts, _released()])


def _released() -> str:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    return re.split(r"<!-- towncrier.*?-->", text, maxsplit=1)[1].strip()

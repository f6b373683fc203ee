"""The oldest versions that pyproject.toml allows, pinned: constraints for pip.

    python tools/minimum_versions.py > constraints.txt
    pip install --constraint constraints.txt --editable ".[report]" --group test

Those of the package, its extras, and the groups that the tests need. It runs before anything is
installed, so it takes nothing but the standard library.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"

GROUPS = ("study", "test")
"""Groups whose versions are pinned. Who checks style and types takes the newest tools."""

FLOOR = re.compile(r"(?P<name>[\w.-]+)\s*>=\s*(?P<version>[\d.]+)\s*(?P<marker>;.*)?")


def minimum_versions(requirements: Iterable[str]) -> Iterator[str]:
    """Yield each requirement at its oldest version; one that is asked for twice, at the newer.

    Examples
    --------
    >>> list(minimum_versions(["ray", "onnx>=1.16", "numpy>=2.0", "onnx>=1.9; os_name == 'nt'"]))
    ['numpy==2.0', 'onnx==1.16']
    """
    oldest: dict[str, re.Match[str]] = {}
    for found in filter(None, map(FLOOR.fullmatch, requirements)):
        known = oldest.get(found["name"])
        if known is None or as_numbers(found["version"]) > as_numbers(known["version"]):
            oldest[found["name"]] = found
    for name in sorted(oldest):
        yield f"{name}=={oldest[name]['version']}{oldest[name]['marker'] or ''}"


def as_numbers(version: str) -> list[int]:
    """Return the numbers of a version.

    >>> as_numbers("1.16") > as_numbers("1.9")
    True
    """
    return [int(number) for number in version.split(".")]


def declared(project: dict[str, Any]) -> list[str]:
    """Return the requirements of the package, of its extras, and of the tests' groups."""
    extras = project["project"]["optional-dependencies"]
    groups = project["dependency-groups"]
    return [
        *project["project"]["dependencies"],
        *(one for extra in extras.values() for one in extra),
        *(one for group in GROUPS for one in groups[group]),
    ]


if __name__ == "__main__":
    for line in minimum_versions(declared(tomllib.loads(PYPROJECT.read_text()))):
        print(line)

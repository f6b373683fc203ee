"""How this program is called in this very terminal, for commands that it proposes."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from shlex import quote

NAME = "frugaltree"


def reading_options(drop: Iterable[str], sheet: str | None) -> list[str]:
    """Return the options of a command that say what of a table is read.

    >>> reading_options(["id", "name"], "2024")
    ['--sheet', '2024', '--drop', 'id', '--drop', 'name']
    """
    chosen = [] if sheet is None else ["--sheet", sheet]
    return [*chosen, *(word for name in drop for word in ("--drop", name))]


def propose(*words: object) -> str:
    """Return a command of this program as it can be typed here.

    That is ``frugaltree`` only if it is on the path; else the way in which it was called.
    """
    return " ".join([_program(), *(quote(str(word)) for word in words)])


def _program() -> str:
    called = sys.argv[0]
    if Path(called).suffix == ".py":  # python -m frugaltree
        return f"{_shortest(sys.executable)} -m {NAME}"
    return _shortest(called)


def _shortest(program: str) -> str:
    """Return the name of a program if that leads to it, else its place."""
    path, name = Path(program), Path(program).name.removesuffix(".exe")
    found = shutil.which(name)
    if path.parent == Path() or (found is not None and os.path.samefile(found, program)):
        return name
    try:
        place = os.path.relpath(program)
    except ValueError:  # on another drive
        place = program
    return quote(place if len(place) < len(program) else program)

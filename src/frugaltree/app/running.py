"""Running a command line: a problem with the input is one sentence and exit code 1."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from io import TextIOWrapper
from typing import Any, NoReturn

import typer
from rich.console import Console
from rich.markup import escape
from typer.core import TyperGroup

from frugaltree.exceptions import FrugaltreeError

IN_ORDER = ("costs", "fit", "show", "report", "consult", "predict", "compare", "frontier", "plot")
"""The commands as a new user needs them; the others follow."""


class InOrder(TyperGroup):
    """Commands, listed as they are needed."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        names = super().list_commands(ctx)
        return sorted(
            names, key=lambda name: IN_ORDER.index(name) if name in IN_ORDER else len(names)
        )


def write_utf8() -> None:
    """Write UTF-8 into files and pipes, where Windows would have no sign for a tree's branches.

    An encoding that ``PYTHONIOENCODING`` asks for stays; what it cannot write becomes ``?``.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and not stream.isatty():
            given = "PYTHONIOENCODING" in os.environ
            stream.reconfigure(encoding=None if given else "utf-8", errors="replace")


def run_app(command: typer.Typer, optional: Mapping[str, str]) -> None:
    """Run a command line; a problem with the input is one sentence and exit code 1.

    Parameters
    ----------
    command
        What is run.
    optional
        Modules that only some of it needs, and what brings each.
    """
    write_utf8()
    try:
        command()
    except FrugaltreeError as error:
        _fail(str(error))
    except ModuleNotFoundError as error:
        remedy = optional.get(error.name or "")
        if remedy is None:
            raise
        _fail(f"this needs {error.name}, which is not installed; {remedy} brings it.")
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _fail(sentence: str) -> NoReturn:
    Console(stderr=True).print(
        f"[bold red]Error:[/] {escape(sentence)}", highlight=False, soft_wrap=True
    )
    raise SystemExit(1) from None

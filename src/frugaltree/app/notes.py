"""Warnings, as a person reads them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from shlex import quote

from rich.console import Console
from rich.markup import escape

from frugaltree.exceptions import IdentifierWarning


@contextmanager
def notes(console: Console) -> Iterator[None]:
    """Say what is warned of meanwhile, once each, in a line."""
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always", UserWarning)
        yield
    for message in dict.fromkeys(worded(warning.message) for warning in noted):
        say_note(console, message)


def worded(warning: Warning | str) -> str:
    """Return a warning in the words of the command line.

    >>> print(worded(IdentifierWarning("case no", "column 'case no' has 60 values in 60 cases")))
    column 'case no' has 60 values in 60 cases, as an identifier would; leave it out with
    --drop 'case no', or name it under never_ask in the price list.
    """
    if not isinstance(warning, IdentifierWarning):
        return str(warning)
    return (
        f"{warning.remark}; leave it out with --drop {quote(warning.column)}, or name it under "
        "never_ask in the price list."
    )


def say_note(console: Console, message: str) -> None:
    """Say something that is good to know, in a line."""
    console.print(f"[yellow]Note:[/] {escape(message)}", highlight=False, soft_wrap=True)

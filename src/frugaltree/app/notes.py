"""Warnings, as a person reads them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from shlex import quote

from rich.console import Console
from rich.markup import escape

from frugaltree.exceptions import DateWarning, IdentifierWarning


@contextmanager
def notes(console: Console, unasked: Iterable[object] = ()) -> Iterator[set[object]]:
    """Say what is warned of meanwhile, once each, in a line.

    Of columns that are never asked, those in ``unasked`` and what is added to it meanwhile,
    nothing is said that would be solved by not asking them.
    """
    silent = {*unasked}
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always", UserWarning)
        yield silent
    said: dict[str, None] = {}
    for warning in noted:
        if isinstance(warning.message, IdentifierWarning):
            if warning.message.column in silent:
                continue
            silent.add(warning.message.column)
        said.setdefault(worded(warning.message))
    for message in said:
        say_note(console, message)


def worded(warning: Warning | str) -> str:
    """Return a warning in the words of the command line.

    >>> print(worded(IdentifierWarning("case no", "column 'case no' has 60 values in 60 cases")))
    column 'case no' has 60 values in 60 cases, as an identifier would; leave it out with
    --drop 'case no', or name it under never_ask in the price list.
    """
    if not isinstance(warning, IdentifierWarning):
        return str(warning)
    more = ""
    if isinstance(warning, DateWarning):
        more = ", or put a number in its place, such as an age or the days between two dates"
    return (
        f"{warning.remark}; leave it out with --drop {quote(warning.column)}, or name it under "
        f"never_ask in the price list{more}."
    )


def say_note(console: Console, message: str) -> None:
    """Say something that is good to know, in a line."""
    console.print(f"[yellow]Note:[/] {escape(message)}", highlight=False, soft_wrap=True)

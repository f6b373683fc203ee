"""Warnings, as a person reads them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape


@contextmanager
def notes(console: Console) -> Iterator[None]:
    """Say what is warned of meanwhile, once each, in a line."""
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always", UserWarning)
        yield
    for message in dict.fromkeys(str(warning.message) for warning in noted):
        say_note(console, message)


def say_note(console: Console, message: str) -> None:
    """Say something that is good to know, in a line."""
    console.print(f"[yellow]Note:[/] {escape(message)}", highlight=False, soft_wrap=True)

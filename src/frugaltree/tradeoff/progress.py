"""What a frontier is at, for who waits for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rich.console import Console


class Progress(NamedTuple):
    """Says what is being done."""

    say: Callable[[str], None]


@contextmanager
def showing(console: Console | None, verbose: int) -> Iterator[Progress]:
    """Show what is being done, and for how long, on a console; on stderr if ``verbose``."""
    if console is None and not verbose:
        yield Progress(lambda what: None)
        return
    from rich.console import Console as NewConsole
    from rich.progress import Progress as Bars
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TextColumn("frontier: {task.description}"), TimeElapsedColumn()
    console = NewConsole(stderr=True) if console is None else console
    with Bars(*columns, console=console, transient=True) as bars:
        task = bars.add_task("begins", total=None)
        yield Progress(lambda what: bars.update(task, description=what))

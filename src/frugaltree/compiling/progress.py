"""What is shown while kernels are compiled: one line, and a bar."""

from __future__ import annotations

import importlib
import logging
import threading
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.console import Console

LOGGER = logging.getLogger("frugaltree")


HINT = "; 'frugaltree warm-up' does it for all learners beforehand"


def announce(n: int, title: str, *, hint: bool = True) -> None:
    """Say once, through ``logging``, that somebody has to wait, and how to avoid it."""
    what = "one kernel" if n == 1 else f"{n} kernels"
    more = HINT if hint else ""
    LOGGER.warning("Compiling %s for %s, once on this machine%s.", what, title, more)


def can_redraw(console: Console) -> bool:
    """Tell whether a bar can be drawn over: in a terminal, or in a notebook that has widgets.

    In a notebook without ipywidgets rich warns at each refresh instead of drawing.
    """
    if not console.is_jupyter:
        return bool(console.is_terminal)
    try:
        importlib.import_module("IPython.display")
        importlib.import_module("ipywidgets")
    except ImportError:
        return False
    return True


class CompilingBar:
    """A progress bar on stderr, gone at the end; nothing where that cannot be drawn over.

    Parameters
    ----------
    title
        What the kernels are for.
    work
        How much there is to compile.
    shown
        Whether to show anything at all.
    """

    def __init__(self, title: str, work: int, *, shown: bool = True) -> None:
        self._title = title
        self._work = work
        self._shown = shown
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        from rich.console import Console
        from rich.errors import LiveError
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
        from rich.progress import TimeElapsedColumn as Elapsed

        console = Console(stderr=True)
        self._bars = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=30),
            TaskProgressColumn(),
            Elapsed(),
            console=console,
            transient=True,
            disable=not (self._shown and can_redraw(console)),
        )
        self._task = self._bars.add_task(f"Compiling for {self._title}", total=self._work)
        try:
            if not self._bars.disable:
                self._bars.start()
        except LiveError:  # something else is shown already
            self._bars.disable = True
        return self

    def __exit__(self, *error: object) -> None:
        if not self._bars.disable:
            self._bars.stop()

    def advance(self, work: int) -> None:
        """Show that more is done."""
        with self._lock:
            self._bars.advance(self._task, work)

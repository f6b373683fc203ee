"""Work in rounds that can be stopped at any moment, with the best tree so far at hand."""

from __future__ import annotations

from frugaltree.anytime.limits import bytes_in, seconds_in
from frugaltree.anytime.listener import Display, Listener
from frugaltree.anytime.loop import run_rounds
from frugaltree.anytime.progress import History, Progress, Snapshot
from frugaltree.anytime.stop import Stop, interruptible

__all__ = [
    "Display",
    "History",
    "Listener",
    "Progress",
    "Snapshot",
    "Stop",
    "bytes_in",
    "interruptible",
    "run_rounds",
    "seconds_in",
]

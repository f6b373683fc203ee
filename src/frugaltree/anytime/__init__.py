"""Work in rounds that can be stopped at any moment, with the best tree so far at hand."""

from __future__ import annotations

from frugaltree.anytime.loop import History, Moment, Observer, Progress, drive
from frugaltree.anytime.stop import Stop, interruptible, seconds_in

__all__ = [
    "History",
    "Moment",
    "Observer",
    "Progress",
    "Stop",
    "drive",
    "interruptible",
    "seconds_in",
]

"""The learners of the study, and what each of them looks at.

A learner is named as in ``act``, ``act(n_samples=16)`` or ``icet(generations=4)``; one of your own
as in ``module:Class``. One that is blind to error costs is trained once and scored at every level;
one that is blind to prices too is trained once for a table. One that takes whatever time it is
given has ICET's: on each data set the mean time that ICET takes there.
"""

from __future__ import annotations

import csv
from functools import cache, partial
from importlib import import_module
from importlib.resources import files
from typing import Any

from frugaltree.anytime.limits import seconds_in
from frugaltree.compare import learners as compared
from frugaltree.compare.learners import FRUGAL, PEERS, Learner, parse
from frugaltree.costs import Costs

__all__ = [
    "FRUGAL",
    "LEARNERS",
    "PAPER",
    "PEERS",
    "TUNED",
    "find",
    "get_time_limit",
    "get_title",
    "make",
    "parse",
    "read_icet_seconds",
]

PAPER = ("c4.5", "lsid3", "idx", "csid3", "eg2", "dtmc", "icet", "act")
"""The eight learners of the paper, in the order of its tables."""


def _load_tuned(class_name: str) -> type:
    found: type = getattr(import_module("study.tuned"), class_name)
    return found


LEARNERS: dict[str, Learner] = compared.LEARNERS | {
    f"{key}-tuned": Learner(
        f"{key}-tuned",
        f"tuned {compared.LEARNERS[key].title}",
        "all",
        partial(_load_tuned, class_name),
        draws=True,
    )
    for key, class_name in (("eg2", "TunedEG2"), ("dtmc", "TunedDTMC"), ("act", "TunedACT"))
}
"""Every learner with a name: those that can be compared, and the tuned ones."""

TUNED = tuple(key for key in LEARNERS if key not in compared.LEARNERS)
"""Learners of the paper under the tuning of the package's own."""


@cache
def find(name: str) -> Learner:
    """Return the learner with this name, whatever its settings."""
    return compared.find(name, LEARNERS)


def get_title(name: str) -> str:
    """Return the name of a learner as tables show it.

    >>> get_title("act-tuned"), get_title("icet(generations=4)")
    ('tuned ACT', 'ICET (generations=4)')
    """
    return compared.get_title(name, LEARNERS)


@cache
def read_icet_seconds() -> dict[str, float]:
    """Return the mean seconds that ICET trains for on each data set of the study.

    >>> read_icet_seconds()["krk"]
    6.4727
    """
    text = files("study").joinpath("icet_seconds.csv").read_text("utf-8")
    return {row["data"]: float(row["seconds"]) for row in csv.DictReader(text.splitlines())}


def get_time_limit(name: str, data: str | None) -> float | None:
    """Return the seconds that a learner has on a data set, None if the study sets no limit.

    >>> get_time_limit("frugal", "krk"), get_time_limit("frugal(time_limit=3)", "krk")
    (6.4727, 3.0)
    >>> get_time_limit("act", "krk")
    """
    if not find(name).timed:
        return None
    limit = parse(name)[1].get("time_limit", read_icet_seconds().get(data or ""))
    return None if limit is None else seconds_in(limit)


def make(name: str, costs: Costs | None, seed: int, data: str | None = None) -> Any:
    """Return an estimator, untrained; on a data set of the study, with the time it has there."""
    limit = get_time_limit(name, data)
    given = {} if limit is None else {"time_limit": limit}
    return compared.make(name, costs, seed, among=LEARNERS, **given)

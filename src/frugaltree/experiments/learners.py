"""The learners of the study, and what each of them looks at.

A learner is named as in ``act``, ``act(n_samples=16)`` or ``icet(generations=4)``. One that is
blind to error costs is trained once and scored at every level; one that is blind to prices too
is trained once for a table. One that takes whatever time it is given has ICET's: on each data set
the mean time that ICET takes there.
"""

from __future__ import annotations

import ast
import csv
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from importlib.resources import files
from typing import Any, Literal

from frugaltree.anytime.limits import seconds_in
from frugaltree.costs import Costs
from frugaltree.exceptions import FrugaltreeError, did_you_mean

Sight = Literal["nothing", "prices", "all"]


@dataclass(frozen=True)
class Learner:
    """A learner of the study.

    Attributes
    ----------
    title
        Its name in tables.
    sees
        What it looks at: nothing but the cases, prices, or error costs too.
    where, cls
        Module and class, imported when needed.
    random
        Whether it draws, and takes a ``random_state``.
    timed
        Whether it has a ``time_limit``, ICET's mean time unless told otherwise.
    """

    title: str
    sees: Sight
    cls: str
    random: bool = False
    where: str = "frugaltree"
    timed: bool = False


LEARNERS: dict[str, Learner] = {
    "c4.5": Learner("C4.5", "nothing", "C45Classifier"),
    "lsid3": Learner("LSID3", "nothing", "LSID3Classifier", random=True),
    "idx": Learner("IDX", "prices", "IDXClassifier"),
    "csid3": Learner("CSID3", "prices", "CSID3Classifier"),
    "eg2": Learner("EG2", "prices", "EG2Classifier"),
    "dtmc": Learner("DTMC", "all", "DTMCClassifier"),
    "icet": Learner("ICET", "all", "ICETClassifier", random=True),
    "act": Learner("ACT", "all", "ACTClassifier", random=True),
}
"""The eight learners of the paper, in the order of its tables."""

PAPER = tuple(LEARNERS)

LEARNERS |= {
    key: Learner(title, "all", cls, random=True, where="frugaltree.experiments.peers")
    for key, title, cls in (
        ("cart", "CART", "CARTPeer"),
        ("streed", "STreeD", "STreeDPeer"),
        ("lightgbm", "LightGBM", "LightGBMPeer"),
    )
}

PEERS = tuple(LEARNERS)[len(PAPER) :]
"""Today's rivals, tuned and charged alike."""

NINTH = "frugal"
"""Our own learner, beside the paper's eight."""

LEARNERS[NINTH] = Learner("FrugalTree", "all", "FrugalTreeClassifier", random=True, timed=True)

LEARNERS |= {
    f"{key}-tuned": Learner(
        f"tuned {LEARNERS[key].title}",
        "all",
        cls,
        random=True,
        where="frugaltree.experiments.tuned",
    )
    for key, cls in (("eg2", "TunedEG2"), ("dtmc", "TunedDTMC"), ("act", "TunedACT"))
}

TUNED = tuple(LEARNERS)[-3:]
"""Learners of the paper under the tuning of the ninth."""

SHAPE = re.compile(r"(?P<key>[a-z0-9.\-]+)(?:\((?P<settings>.*)\))?")


@lru_cache(maxsize=256)
def parsed(name: str) -> tuple[str, dict[str, Any]]:
    """Return the key of a learner and its settings; a word may stand without quotes.

    >>> parsed("act(n_samples=16)"), parsed("frugal(pessimism=paper)")
    (('act', {'n_samples': 16}), ('frugal', {'pessimism': 'paper'}))
    """
    match = SHAPE.fullmatch(name)
    key = match["key"] if match else name
    if key not in LEARNERS:
        raise FrugaltreeError(
            f"there is no learner {key!r}; choose among {', '.join(LEARNERS)}."
            f"{did_you_mean(key, LEARNERS)}"
        )
    try:
        settings = _settings(match["settings"] or "" if match else "")
    except (SyntaxError, ValueError, TypeError):
        raise FrugaltreeError(
            f"the settings of {name!r} cannot be read; write them as in act(n_samples=16)."
        ) from None
    return key, settings


def _settings(text: str) -> dict[str, Any]:
    """Return settings from how they are written in a call."""
    call = ast.parse(f"f({text})", mode="eval").body
    if not isinstance(call, ast.Call) or call.args:
        raise ValueError
    settings = {}
    for word in call.keywords:
        if word.arg is None:
            raise ValueError
        value = word.value
        settings[word.arg] = value.id if isinstance(value, ast.Name) else ast.literal_eval(value)
    return settings


def find(name: str) -> Learner:
    """Return the learner with this name, whatever its settings."""
    return LEARNERS[parsed(name)[0]]


def title(name: str) -> str:
    """Return the name of a learner as tables show it.

    >>> title("act"), title("icet(generations=4)")
    ('ACT', 'ICET (generations=4)')
    """
    key, settings = parsed(name)
    shown = ", ".join(f"{key}={value}" for key, value in settings.items())
    return f"{LEARNERS[key].title} ({shown})" if shown else LEARNERS[key].title


@cache
def icet_seconds() -> dict[str, float]:
    """Return the mean seconds that ICET trains for on each data set of the study.

    >>> icet_seconds()["krk"]
    6.4727
    """
    text = files("frugaltree.experiments").joinpath("icet_seconds.csv").read_text("utf-8")
    return {row["data"]: float(row["seconds"]) for row in csv.DictReader(text.splitlines())}


def limit_of(name: str, data: str | None) -> float | None:
    """Return the seconds that a learner has on a data set, None if the study sets no limit.

    >>> limit_of("frugal", "krk"), limit_of("frugal(time_limit=3)", "krk"), limit_of("act", "krk")
    (6.4727, 3.0, None)
    """
    key, settings = parsed(name)
    if not LEARNERS[key].timed:
        return None
    limit = settings.get("time_limit", icet_seconds().get(data or ""))
    return None if limit is None else seconds_in(limit)


def make(name: str, costs: Costs | None, seed: int, data: str | None = None) -> Any:
    """Return an estimator, untrained; on a data set of the study, with the time it has there."""
    key, settings = parsed(name)
    learner = LEARNERS[key]
    cls: Callable[..., Any] = getattr(import_module(learner.where), learner.cls)
    given: dict[str, Any] = {"random_state": seed} if learner.random else {}
    limit = limit_of(name, data)
    if limit is not None:
        given["time_limit"] = limit
    try:
        return cls(costs, **(given | settings))
    except TypeError as error:
        raise FrugaltreeError(f"{learner.title} does not take {settings}: {error}.") from error

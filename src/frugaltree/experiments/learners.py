"""The learners of the study, and what each of them looks at.

A learner is named as in ``act``, ``act(n_samples=16)`` or ``icet(generations=4)``. One that is
blind to error costs is trained once and scored at every level; one that is blind to prices too
is trained once for a table.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any, Literal

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
    """

    title: str
    sees: Sight
    cls: str
    random: bool = False
    where: str = "frugaltree"


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

SHAPE = re.compile(r"(?P<key>[a-z0-9.\-]+)(?:\((?P<settings>.*)\))?")


@lru_cache(maxsize=256)
def parsed(name: str) -> tuple[str, dict[str, Any]]:
    """Return the key of a learner and its settings.

    >>> parsed("act(n_samples=16)")
    ('act', {'n_samples': 16})
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
        settings[word.arg] = ast.literal_eval(word.value)
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


def make(name: str, costs: Costs | None, seed: int) -> Any:
    """Return an estimator, untrained."""
    key, settings = parsed(name)
    learner = LEARNERS[key]
    cls: Callable[..., Any] = getattr(import_module(learner.where), learner.cls)
    given = {"random_state": seed} if learner.random else {}
    try:
        return cls(costs, **given, **settings)
    except TypeError as error:
        raise FrugaltreeError(f"{learner.title} does not take {settings}: {error}.") from error

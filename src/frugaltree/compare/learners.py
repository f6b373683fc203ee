"""Learners by name: those of the package, those of other libraries, and one's own.

A learner is named as in ``act``, ``act(n_samples=16)`` or ``icet(generations=4)``; a classifier of
your own as in ``mypackage.module:MyClassifier(depth=3)``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import import_module
from typing import Any

from frugaltree import _registry
from frugaltree._registry import Sees
from frugaltree.compare import custom
from frugaltree.costs import Costs
from frugaltree.estimators import load_class
from frugaltree.exceptions import FrugaltreeError, did_you_mean

FRUGAL = "frugal"
"""The package's own learner, which takes whatever time it is given."""

DEFAULT_LEARNERS = ("act", "icet", "dtmc", "eg2", "c4.5", "cart")
"""Learners compared unless told otherwise, from those that see all costs to one that sees none."""

NAME = re.compile(r"(?P<key>[a-z0-9.\-]+|[\w.]+:\w+)(?:\((?P<settings>.*)\))?", re.DOTALL)


@dataclass(frozen=True)
class Learner:
    """A learner that can be compared.

    Attributes
    ----------
    key, title
        Its name, and its name in tables.
    sees
        What it looks at: nothing but the cases, prices, or error costs too.
    load
        Imports and returns its class, whose first parameter is the costs.
    draws
        Whether it draws random numbers, and takes a ``random_state``.
    timed
        Whether it takes all the time that it is given, and has a ``time_limit``.
    """

    key: str
    title: str
    sees: Sees
    load: Callable[[], type]
    draws: bool = False
    timed: bool = False


def _load_peer(class_name: str) -> type:
    """Import a learner that wraps another library."""
    found: type = getattr(import_module("frugaltree.compare.peers"), class_name)
    return found


LEARNERS: dict[str, Learner] = {
    one.key: Learner(
        one.key, one.title, one.sees, partial(load_class, one), one.draws, timed=one.key == FRUGAL
    )
    for one in _registry.LEARNERS.values()
}
LEARNERS |= {
    key: Learner(key, title, "all", partial(_load_peer, class_name), draws=True)
    for key, title, class_name in (
        ("cart", "CART", "CARTPeer"),
        ("streed", "STreeD", "STreeDPeer"),
        ("lightgbm", "LightGBM", "LightGBMPeer"),
    )
}
"""Every learner with a name of its own: the package's, then the peers of other libraries."""

PEERS = tuple(key for key in LEARNERS if key not in _registry.LEARNERS)


@lru_cache(maxsize=256)
def parse(name: str) -> tuple[str, dict[str, Any]]:
    """Return the key of a learner and its settings; a word may stand without quotes.

    >>> parse("act(n_samples=16)"), parse("frugal(pessimism=paper)")
    (('act', {'n_samples': 16}), ('frugal', {'pessimism': 'paper'}))
    >>> parse("mine.trees:Stump(depth=1)")
    ('mine.trees:Stump', {'depth': 1})
    """
    match = NAME.fullmatch(name)
    if match is None:
        return name, {}
    try:
        return match["key"], _parse_settings(match["settings"] or "")
    except (SyntaxError, ValueError, TypeError):
        raise FrugaltreeError(
            f"the settings of {name!r} cannot be read; write them as in act(n_samples=16)."
        ) from None


def _parse_settings(text: str) -> dict[str, Any]:
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


def find(name: str, among: Mapping[str, Learner] = LEARNERS) -> Learner:
    """Return the learner with this name, whatever its settings.

    A class of one's own is imported; what it sees depends on whether it takes costs.

    >>> find("eg2").sees, find("sklearn.tree:DecisionTreeClassifier(max_depth=3)").sees
    ('prices', 'nothing')
    """
    key, _ = parse(name)
    if custom.is_custom(key):
        return _describe_custom(key)
    if key not in among:
        raise FrugaltreeError(
            f"there is no learner {key!r}; choose among {', '.join(among)}, or name a class of "
            f"your own as in module:Class.{did_you_mean(key, among)}"
        )
    return among[key]


def _describe_custom(key: str) -> Learner:
    """Return the record of a class of one's own."""
    found = custom.load_class(key)
    names = custom.parameters_of(found)
    return Learner(
        key,
        key,
        "all" if "costs" in names else "nothing",
        lambda: found,
        draws="random_state" in names,
    )


def get_title(name: str, among: Mapping[str, Learner] = LEARNERS) -> str:
    """Return the name of a learner as tables show it; nothing is imported for it.

    >>> get_title("act"), get_title("icet(generations=4)"), get_title("mine:Stump(depth=1)")
    ('ACT', 'ICET (generations=4)', 'mine:Stump (depth=1)')
    """
    key, settings = parse(name)
    shown = ", ".join(f"{key}={value}" for key, value in settings.items())
    title = key if custom.is_custom(key) else find(key, among).title
    return f"{title} ({shown})" if shown else title


def make(
    name: str,
    costs: Costs | None,
    seed: int,
    *,
    among: Mapping[str, Learner] = LEARNERS,
    **given: Any,
) -> Any:
    """Return an estimator, untrained.

    Parameters
    ----------
    name
        Key and settings.
    costs, seed
        For a learner that takes them.
    among
        The learners that have a name.
    given
        Further settings, which those in the name override.
    """
    key, settings = parse(name)
    learner = find(name, among)
    if learner.draws:
        given = {"random_state": seed} | given
    if custom.is_custom(key):
        given = ({"costs": costs} if learner.sees != "nothing" else {}) | given
        return custom.construct(learner.load(), given | settings, name)
    try:
        return learner.load()(costs, **(given | settings))
    except TypeError as error:
        raise FrugaltreeError(f"{learner.title} does not take {settings}: {error}.") from error


def split_names(text: str) -> list[str]:
    """Return the learners in a list; commas within brackets or quotes do not part them.

    >>> split_names("act, icet(generations=4,seeded=False), mine:Stump(sizes=(1,2),cut=(3,4))")
    ['act', 'icet(generations=4,seeded=False)', 'mine:Stump(sizes=(1,2),cut=(3,4))']
    """
    names, depth, quote = [""], 0, ""
    for sign in text:
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
        elif sign == "," and not depth:
            names.append("")
            continue
        names[-1] += sign
    return [name.strip() for name in names if name.strip()]


def limit_time(name: str, limit: str) -> str:
    """Return a learner with a limit of its time, where it takes all it is given and has none.

    >>> limit_time("frugal", "2s"), limit_time("frugal(time_limit=5)", "2s")
    ("frugal(time_limit='2s')", 'frugal(time_limit=5)')
    >>> limit_time("act", "2s")
    'act'
    """
    key, settings = parse(name)
    if custom.is_custom(key) or not find(name).timed or "time_limit" in settings:
        return name
    inner = name.partition("(")[2].rpartition(")")[0]
    given = [inner] if inner.strip() else []
    return f"{key}({','.join([*given, f'time_limit={limit!r}'])})"

"""What strategies are called where people read of them; model files keep their short names."""

from __future__ import annotations

from frugaltree.messages import say
from frugaltree.report.measure import GUESS
from frugaltree.strategies import ALWAYS, EVERYTHING, THIS

KEYS = {
    "C4.5, blind to costs": "strategy.c45",
    "EG2, blind to errors": "strategy.eg2",
    "DTMC, one step ahead": "strategy.dtmc",
    GUESS: "strategy.guess",
    THIS: "strategy.this",
    EVERYTHING: "strategy.everything",
}


def strategy_in_words(name: str) -> str:
    """Return what a strategy is, in words.

    >>> strategy_in_words("C4.5, blind to costs"), strategy_in_words("always answer ill")
    ('C4.5, which looks at no costs', 'always answer ill')
    """
    if name in KEYS:
        return say(KEYS[name])
    if name.startswith(ALWAYS):
        return say("strategy.always", answer=name.removeprefix(ALWAYS))
    return name

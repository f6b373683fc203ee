"""The answer so far, and how much stands behind it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from frugaltree.consult.guide import Facts, Floats, Guide, Location
from frugaltree.messages import say
from frugaltree.tree.reasons import reason_for_decision
from frugaltree.tree.text import cases as cases_in_words
from frugaltree.tree.text import percent, reason_for
from frugaltree.tree.tree import largest_classes

WEAK = 10
"""Fewer training cases than this are weak evidence."""

Z = 1.959963984540054
"""Between -Z and Z lie 95 % of a normal distribution."""


class Answer(NamedTuple):
    """An answer and the evidence for it.

    Attributes
    ----------
    label
        The class or decision that the tree would answer now, as ``predict`` does.
    probability
        How likely the class ``of`` is, as ``predict_proba`` has it: the share, shrunk to those
        of the nodes above. A missing value leaves every branch of its test possible, by its
        training cases, even where the tree goes on as most of them did.
    cases
        How many training cases what is known of the case allows. Where several branches are
        possible, the number of cases that would give as certain a share (Kish's effective sample
        size).
    low, high
        A 95 % interval for the share (Wilson).
    weak
        Whether fewer than 10 cases stand behind the answer.
    cost
        The expected cost of errors if one answers so, by the training cases.
    share
        Its share among the training cases that what is known of the case allows.
    reason
        Why it is answered though it is not the most frequent class there; None where it is, or
        where several branches are possible.
    of
        The class that probability, share and interval are about: the answer or, where that is a
        decision, the most frequent class.
    """

    label: Any
    probability: float
    cases: float
    low: float
    high: float
    weak: bool
    cost: float
    share: float
    reason: str | None = None
    of: Any = None

    @property
    def is_decision(self) -> bool:
        """Whether the answer is no class."""
        return bool(self.label != self.of)

    @property
    def because(self) -> str:
        """The reason, as it follows the label in a sentence; mostly nothing."""
        return say("because", reason=self.reason) if self.reason else ""

    @property
    def likely(self) -> str:
        """The probability, as it comes before the share; nothing where it says the same."""
        likely = percent(self.probability)
        return "" if likely == percent(self.share) else say("evidence.likely", share=likely)

    def __str__(self) -> str:
        about = f"; {self.of} " if self.is_decision else ", "
        words = (
            f"{self.label}{self.because}{about}{self.likely}{percent(self.share)} of "
            f"{cases_in_words(self.cases)} "
            f"(95 % interval {percent(self.low)} to {percent(self.high)})"
        )
        return f"{words}, weak evidence" if self.weak else words


def answer_at(guide: Guide, facts: Facts, locations: Sequence[Location]) -> Answer:
    """Return the answer of a case that stands at these nodes, by these facts."""
    possible = guide.possible_locations(facts)
    nodes = [location.node for location in possible]
    weights = np.array([location.share for location in possible])
    shares = weights @ guide.tree.shares[nodes]
    label = label_at(guide, possible if guide.tree.fractional else locations, shares)
    cases = _without_noise(float(1.0 / (weights**2 / guide.tree.weights[nodes]).sum()))
    is_class = label < guide.tree.first_decision
    of = label if is_class else int(largest_classes(shares[None])[0])
    share = _at_most_one(float(shares[of]))
    low, high = wilson(share, cases)
    reason = None
    if len(possible) == len(locations) == 1:
        names = guide.tree.answer_names
        if is_class:
            reason = reason_for(label, shares, guide.errors, guide.tree.classes, guide.unit)
        else:
            reason = reason_for_decision(label, shares, guide.errors, names, guide.unit)
    return Answer(
        guide.tree.answer_names[label],
        probability=_at_most_one(float(weights @ guide.tree.probabilities[nodes, of])),
        cases=cases,
        low=low,
        high=high,
        weak=bool(cases < WEAK * (1.0 - 1e-9)),
        cost=float(guide.errors[label] @ shares),
        share=share,
        reason=reason,
        of=guide.tree.classes[of],
    )


def _at_most_one(share: float) -> float:
    """Return a share, 1 where only rounding keeps it from that."""
    return share if share < 1.0 - 1e-12 else 1.0


def _without_noise(cases: float) -> float:
    """Return a number of cases, whole where only rounding keeps it from that.

    >>> _without_noise(3771.9999999999995), _without_noise(7.25)
    (3772.0, 7.25)
    """
    whole = float(round(cases))
    return whole if abs(cases - whole) <= 1e-9 * whole else cases


def label_at(guide: Guide, locations: Sequence[Location], shares: Floats) -> int:
    """Return the position of the class to answer: a node's own, or the largest of a mixture."""
    if len(locations) == 1:
        return int(guide.tree.labels[locations[0].node])
    return int(largest_classes(shares[None])[0])


def wilson(share: float, cases: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval for a share seen in so many cases.

    Examples
    --------
    >>> low, high = wilson(0.5, 10)
    >>> round(low, 3), round(high, 3)
    (0.237, 0.763)
    """
    scale = 1.0 + Z * Z / cases
    middle = (share + Z * Z / (2.0 * cases)) / scale
    reach = Z * math.sqrt(share * (1.0 - share) / cases + (Z / (2.0 * cases)) ** 2) / scale
    low = 0.0 if share == 0.0 else max(middle - reach, 0.0)
    return low, 1.0 if share == 1.0 else min(middle + reach, 1.0)

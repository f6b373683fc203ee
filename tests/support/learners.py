"""The learners, with what keeps each from taking long."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from frugaltree import FrugalTreeClassifier, ICETClassifier
from frugaltree._registry import BY_CLASS
from frugaltree.estimators import load_class
from frugaltree.estimators.c45 import C45Frame

LEARNERS = tuple(load_class(learner) for learner in BY_CLASS.values())


C45_FAMILY = tuple(learner for learner in LEARNERS if issubclass(learner, C45Frame))


SHORT: dict[type, dict[str, Any]] = {
    ICETClassifier: {"generations": 2, "population": 6},
    FrugalTreeClassifier: {"max_steps": 300},
}
"""What keeps a learner from taking long."""


def seeded(learner: type) -> Callable[..., Any]:
    """Make a learner with a seed: two of a kind learn the same tree; none takes long."""
    return partial(learner, random_state=0, **SHORT.get(learner, {}))

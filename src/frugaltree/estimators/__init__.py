"""The learners, one file each, as scikit-learn sees them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from frugaltree._registry import Entry

if TYPE_CHECKING:
    from frugaltree.estimators.base import CostSensitiveTree


def load_class(learner: Entry) -> type[CostSensitiveTree]:
    """Return the class of a learner, imported when it is asked for.

    >>> from frugaltree._registry import LEARNERS
    >>> load_class(LEARNERS["act"])().n_samples
    5
    """
    module = import_module(f"frugaltree.estimators.{learner.module}")
    found: type[CostSensitiveTree] = getattr(module, learner.class_name)
    return found

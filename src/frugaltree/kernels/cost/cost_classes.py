"""Cost classes: the cases of one class for which every answer costs the same.

Where each case has costs of its own, searches count cases by cost class, and the table of what
answers cost has a column for each. Those of one class follow each other, the classes in order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.jit import atom
from frugaltree.kernels.sentinels import NONE


class CostClasses(NamedTuple):
    """Which class a cost class is of, and which are errors; empty where classes are their own.

    ``share`` is the part of the cases of its class, by which the one error more that Laplace's law
    counts for each class is shared out. All cases of other classes than its ``own`` are errors of
    an answer; if that is NONE, those for which it costs more than the ``least``.
    """

    class_of: np.ndarray  # int64[cost class]
    share: np.ndarray  # float64[cost class]
    own: np.ndarray  # int64[answer]
    least: np.ndarray  # float64[answer]


NO_COST_CLASSES = CostClasses(
    class_of=np.zeros(0, np.int64),
    share=np.zeros(0),
    own=np.zeros(0, np.int64),
    least=np.zeros(0),
)
"""Every class has one row of costs."""


@atom
def class_at(class_of, c):
    """Return the class of a cost class."""
    return class_of[c] if class_of.size > 0 else np.int64(c)


@atom
def ends_class(class_of, c):
    """Tell whether a cost class is the last of its class."""
    return c + 1 >= class_of.size or class_of[c + 1] != class_of[c]


@atom
def is_error(errors, classes, a, c):
    """Tell whether the cases of a cost class are errors of an answer."""
    if classes.own[a] != NONE:
        return classes.class_of[c] != classes.own[a]
    return errors[a, c] > classes.least[a]


@atom
def add_up_classes(counts, class_of):
    """Add up, in place, the counts of each class's cost classes; the others become 0.

    No class has a larger number than its first cost class.
    """
    for c in range(class_of.size):
        count = counts[c]
        counts[c] = 0
        counts[class_of[c]] += count

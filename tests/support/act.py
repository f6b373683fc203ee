"""What the tests of ACT share."""

from __future__ import annotations

from frugaltree.kernels.sentinels import NONE


def root(learner):
    """Return the column that is asked first, None if none is."""
    test = learner.tree_.nodes.test[0]
    return None if test == NONE else learner.tree_.columns[test].name


PLAIN = {"missing": True, "whole_weights": True, "delays": True, "max_cases": 20}

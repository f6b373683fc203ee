"""What an average case pays for each test."""

from __future__ import annotations

import numpy as np
import pytest

from frugaltree import Costs, ID3Classifier
from frugaltree.plots.spending import spending_numbers


def test_who_has_no_value_does_not_pay():
    X = [[0.0], [0], [1], [1], [np.nan], [np.nan]]
    learner = ID3Classifier(Costs([6])).fit(X, ["a", "a", "b", "b", "c", "c"])
    numbers = spending_numbers(learner)
    assert (numbers.share, numbers.paid) == ([pytest.approx(2 / 3)], [pytest.approx(4.0)])
    assert numbers.paid[0] == pytest.approx(learner.expected_test_cost_)

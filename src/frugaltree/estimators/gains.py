"""How much each test tells about the class on its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from frugaltree.costs import Costs
from frugaltree.engines.greedy import grow_buffers
from frugaltree.estimators.id3 import ID3Classifier
from frugaltree.kernels.criteria import GAIN
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.greedy.choose import Rules
from frugaltree.kernels.greedy.grow import gains_at_root


def information_gains(
    X: Any, y: Any, categorical_features: Any = "from_dtype"
) -> npt.NDArray[np.float64]:
    """Return the information gain of every test, in bits.

    A numeric test is taken at its best cut. A test that cannot split the cases gains nothing.

    Examples
    --------
    >>> information_gains([[0, 5], [0, 6], [1, 5], [1, 6]], [0, 0, 1, 1]).tolist()
    [1.0, 0.0]
    """
    learner = ID3Classifier(Costs(), categorical_features=categorical_features)
    problem = learner._read(X, y, None)
    cases, prices = problem.cases, problem.prices
    rules = Rules(criterion=GAIN, w=1.0, min_cases=1.0, c45=False, context=True, smooth=False)
    work = grow_buffers(cases, prices)
    gains_at_root(cases, prices, rules, Nodes.empty(1, 1, cases.n_classes), work)
    return np.asarray(np.maximum(work.evaluation.scores["gain"], 0.0))

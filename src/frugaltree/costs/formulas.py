"""ACT's two parameters, from what errors cost beside all tests (section 3.5)."""

from __future__ import annotations

import math


def weight_of_costs(x: float, *, cap: float | None = None) -> float:
    """Return how much the choice of a test heeds its cost: w = 0.5 + e^-x.

    Parameters
    ----------
    x
        Mean cost of an error over the cost of all tests; infinite when the tests are free.
    cap
        Largest weight allowed. The paper takes w from [0, 1], yet its formula passes 1 where
        errors are cheap (x < ln 2); None keeps the formula.

    Examples
    --------
    >>> [round(weight_of_costs(mc / 300), 5) for mc in (100, 500, 1000, 5000)]
    [1.21653, 0.68888, 0.53567, 0.5]
    >>> weight_of_costs(math.inf), weight_of_costs(0), weight_of_costs(0, cap=1.0)
    (0.5, 1.5, 1.0)
    """
    w = 0.5 + math.exp(-x)
    return w if cap is None else min(w, cap)


def confidence_factor(x: float) -> float:
    """Return how pessimistic the error estimate is, from 0.2 (very) to 0.3.

    This is the paper's 0.2 + 0.05 (1 + (x - 1) / (x + 1)), written so that it also holds where
    the tests are free and ``x`` is infinite.

    >>> [round(confidence_factor(mc / 300), 5) for mc in (100, 500, 1000, 5000, 10000)]
    [0.225, 0.2625, 0.27692, 0.29434, 0.29709]
    >>> confidence_factor(math.inf)
    0.3
    """
    return 0.3 - 0.1 / (1 + x)

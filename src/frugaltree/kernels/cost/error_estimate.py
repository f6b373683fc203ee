"""The expected error: how many errors a leaf will make, given those seen (section 3.2.2)."""

from __future__ import annotations

import math
from typing import NamedTuple

from frugaltree.kernels.jit import part

C45_ERROR, EXACT_ERROR, TRAINING_ERROR = range(3)
"""Forms of the expected error, see :func:`expected_error`."""


NO_DECISIONS = 2**31 - 1
"""The first row of a table of answers that is a decision, where all of them are classes."""


class LeafEstimate(NamedTuple):
    """How the errors of a leaf are estimated, see ``leaf_cost``."""

    cf: float  # confidence of the expected error
    form: int  # its form
    multinomial: bool  # whether each kind of error is taken at its own upper limit
    case_weight: float = 1.0  # the weight of one case
    first_decision: int = NO_DECISIONS  # answers from here on are no classes
    restricted: bool = False  # whether leaves may have to give another answer than the cheapest


@part
def normal_deviate(cf):
    """Return C4.5's deviate for confidence ``cf``, linear between the entries of its table."""
    val = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.0)
    dev = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0)
    i = 1
    while i < 8 and cf > val[i]:
        i += 1
    return dev[i - 1] + (dev[i] - dev[i - 1]) * (cf - val[i - 1]) / (val[i] - val[i - 1])


@part
def c45_error(m, s, cf):
    """Return C4.5's upper limit on the errors among ``m`` cases with ``s`` seen (AddErrs)."""
    none = m * (1.0 - math.exp(math.log(cf) / m))
    if s < 1e-6:
        return none
    if s < 0.9999:
        return none + s * (c45_error_above_one(m, 1.0, cf) - none)
    return c45_error_above_one(m, s, cf)


@part
def c45_error_above_one(m, s, cf):
    """Return AddErrs for at least one error seen: a normal limit with continuity correction."""
    if s + 0.5 >= m:
        return s + 0.67 * (m - s)
    deviate = normal_deviate(cf)
    q = deviate * deviate
    p = s + 0.5
    return m * (p + q / 2.0 + math.sqrt(q * (p * (1.0 - p / m) + q / 4.0))) / (m + q)


@part
def incomplete_beta(a, b, x):
    """Return the regularised incomplete beta function by Lentz's continued fraction."""
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    flip = x > (a + 1.0) / (a + b + 2.0)
    if flip:
        a, b, x = b, a, 1.0 - x
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    tiny = 1e-300
    c = 1.0
    d = 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    h = d
    for i in range(1, 10000):
        step = i * (b - i) * x / ((a + 2 * i - 1.0) * (a + 2 * i))
        for half in range(2):
            if half == 1:
                step = -(a + i) * (a + b + i) * x / ((a + 2 * i) * (a + 2 * i + 1.0))
            d = 1.0 + step * d
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = 1.0 + step / c
            c = c if abs(c) > tiny else tiny
            h *= d * c
        if abs(d * c - 1.0) < 1e-15:
            break
    value = front * h / a
    return 1.0 - value if flip else value


@part
def exact_error(m, s, cf):
    """Return the errors p * m with P(Bin(m, p) <= s) = cf: the Clopper-Pearson limit.

    By bisection: compiled and cached code cannot call SciPy's ``betaincinv``, against which
    the tests hold it.
    """
    if s >= m:
        return m
    if s <= 0.0:
        return m * (1.0 - math.exp(math.log(cf) / m))
    low, high = 0.0, 1.0
    for _ in range(60):
        p = 0.5 * (low + high)
        if incomplete_beta(s + 1.0, m - s, p) < 1.0 - cf:
            low = p
        else:
            high = p
    return m * 0.5 * (low + high)


@part
def expected_error(m, s, cf, form):
    """Return EE(m, s, cf), the errors to expect of ``m`` cases with ``s`` seen (section 3.2.2)."""
    if m <= 0.0:
        return 0.0
    if form == TRAINING_ERROR:
        return s
    if form == EXACT_ERROR:
        return exact_error(m, s, cf)
    return c45_error(m, s, cf)


@part
def expected_by_weight(m, s, estimate):
    """Return the weight of the errors to expect, given those of the cases and the errors seen.

    What is expected depends on how many cases there are, and ``estimate.case_weight`` is the
    weight of one.
    """
    one = estimate.case_weight
    return expected_error(m / one, s / one, estimate.cf, estimate.form) * one

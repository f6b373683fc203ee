"""Information gain, the greedy criteria built on it, and the expected error."""

from __future__ import annotations

import math

import numpy as np

from frugaltree.kernels.jit import kernel, part

NOISE = 1e-10
"""A gain (in bits) at or below this is rounding, hence zero."""

TOLERANCE = 1e-9
"""A candidate wins only by more than this share of the best so far."""

GAIN, GAIN_RATIO, EG2, IDX, CSID3 = range(5)
"""Criteria for choosing a test, see :func:`worth`."""

C45_ERROR, EXACT_ERROR, TRAINING_ERROR = range(3)
"""Forms of the expected error, see :func:`expected_error`."""


def xlogx_table(n: int) -> np.ndarray:
    """Return k * log2(k) for k = 0 ... n, the one source of every entropy."""
    k = np.arange(n + 1, dtype=np.float64)
    k[1:] *= np.log2(k[1:])
    return k


@part
def xlogx(table, x):
    """Return x * log2(x), from the table where x is a whole number."""
    k = int(x)
    if k == x and k < table.size:
        return table[k]
    return x * math.log2(x) if x > 0.0 else 0.0


@part
def info(table, counts):
    """Return n times the entropy, in bits, of class counts that sum to n."""
    n = 0.0
    total = 0.0
    for c in range(counts.size):
        n += counts[c]
        total -= xlogx(table, counts[c])
    return total + xlogx(table, n)


@part
def beats(value, best):
    """Tell whether ``value`` is greater than ``best`` by more than rounding."""
    return value > best + (TOLERANCE * best if best > 0.0 else -TOLERANCE * best)


@part
def use(criterion, gain):
    """Return the part of a criterion that a test's gain makes up, see :func:`worth`."""
    if criterion == EG2:
        return 2.0**gain - 1.0
    if criterion == CSID3:
        return gain * gain
    return gain


@part
def dampening(criterion, price, w):
    """Return the part of a criterion that a test's price makes up, see :func:`worth`."""
    if criterion == EG2:
        return 1.0 / (price + 1.0) ** w
    if criterion in (IDX, CSID3):
        return 1.0 / (price if price > 1e-9 else 1e-9)
    return 1.0


@part
def worth(criterion, gain, price, w):
    """Return what a greedy learner maximises over the tests of a node.

    GAIN ΔI (ID3); EG2 (2^ΔI - 1) / (cost + 1)^w (section 3.1); IDX ΔI / cost; CSID3 ΔI² / cost
    (section 4.2.1). A free test that helps beats every test with a price.
    """
    return use(criterion, gain) * dampening(criterion, price, w)


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
    q = normal_deviate(cf) ** 2
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


# ------------------------------------------------------------------------------ bounds


@part
def least_errors(excess, counts, size, pure):
    """Return errors that every tree for these cases must expect, given those of a pure leaf.

    One pure leaf expects the least: EE(m, 0) is concave and EE grows with the errors seen. And
    the classes must be told apart, see :func:`excess_table`.
    """
    apart = 0.0
    if size < excess.size:
        for c in range(counts.size):
            apart += excess[np.int64(counts[c])]
    return max(pure, apart)


@kernel
def excess_table(n_classes, cf, form, out):
    """Fill ``out`` with the least excess of expected over seen errors, by a leaf's right answers.

    Let f(m) be the least EE(m, s) - s over the errors s of a majority leaf, and ``out`` the
    largest function with out(m) <= f(m') for m' >= m, out(m) <= out(m - 1) + 1 and out(m) <=
    out(k) + out(m - k). Then a tree for n_c cases of each class c expects at least the sum of
    out(n_c) errors: of the class c let E_c cases end in leaves of another label. They are errors
    seen, and the others, in leaves labelled c, give rise to an excess of at least out(n_c - E_c).
    """
    last = out.size - 1
    out[0] = 0.0
    for m in range(last, 0, -1):
        least = np.inf if m == last else out[m + 1]
        for s in range(m * (n_classes - 1) // n_classes + 1):
            excess = expected_error(np.float64(m), np.float64(s), cf, form) - s
            if excess < least:
                least = excess
        out[m] = least
    for m in range(1, out.size):
        if out[m - 1] + 1.0 < out[m]:
            out[m] = out[m - 1] + 1.0
        for k in range(1, m // 2 + 1):
            if out[k] + out[m - k] < out[m]:
                out[m] = out[k] + out[m - k]

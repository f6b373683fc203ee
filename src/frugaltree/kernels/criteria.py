"""Information gain, the greedy criteria built on it, and the expected error."""

from __future__ import annotations

from frugaltree.kernels.jit import part

GAIN, GAIN_RATIO, EG2, IDX, CSID3 = range(5)
"""Criteria for choosing a test, see :func:`worth`."""


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


# ------------------------------------------------------------------------------ bounds

"""The criteria of the greedy learners: what they maximise over the tests of a node.

A criterion is a term of the gain ΔI, in bits, times a factor of the price:

======== ============== ============================== ========================================
Constant Learner        Gain term × price factor       Source
======== ============== ============================== ========================================
GAIN     ID3, DTMC      ΔI                             Quinlan 1986
EG2      EG2, ICET, ACT (2^ΔI - 1) × 1 / (price + 1)^w Núñez 1991, section 3.1
IDX      IDX            ΔI × 1 / price                 Norton 1989, section 4.2.1
CSID3    CSID3          ΔI² × 1 / price                Tan and Schlimmer 1989, section 4.2.1
======== ============== ============================== ========================================

To add one: a constant, its case in :func:`gain_term`, its case in :func:`price_factor`.
GAIN_RATIO, C4.5's choice, is no such product: it compares a test with the average of all
(:func:`frugaltree.kernels.greedy.choose.best_by_gain_ratio`).
"""

from __future__ import annotations

from frugaltree.kernels.jit import part

GAIN, GAIN_RATIO, EG2, IDX, CSID3 = range(5)

LEAST_PRICE = 1e-9
"""A free test counts as this dear where a criterion divides by the price: if it helps at all, it
beats every test with a price."""


@part
def gain_term(criterion, gain):
    """Return the factor of a criterion that depends on the gain of a test."""
    if criterion == EG2:
        return 2.0**gain - 1.0
    if criterion == CSID3:
        return gain * gain
    return gain


@part
def price_factor(criterion, price, w):
    """Return the factor of a criterion that depends on the price of a test."""
    if criterion == EG2:
        return 1.0 / (price + 1.0) ** w
    if criterion in (IDX, CSID3):
        return 1.0 / (price if price > LEAST_PRICE else LEAST_PRICE)
    return 1.0


@part
def criterion_value(criterion, gain, price, w):
    """Return what a greedy learner maximises over the tests of a node."""
    return gain_term(criterion, gain) * price_factor(criterion, price, w)

"""Actions: what may be done next at a state, each written as one number.

To ask a test is its number, shifted by :data:`CUT_BITS`, plus the rank of its threshold (0 for a
nominal test). Where the answers below are parted (a monotone test), the answer at which they are
is added, shifted by :data:`ANSWER_BITS`. To order a set of tests, of which one is delayed, is a
number from :data:`FIRST_ORDER` down: the set's bits are taken off it. To do nothing, a leaf, is
NONE.
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.jit import atom

CUT_BITS = 32
"""A test is shifted by so many bits."""

ANSWER_BITS = 52
"""An answer is shifted by so many bits, beyond all tests."""

MOST_PARTED = 1 << (63 - ANSWER_BITS)
"""Among so many answers at most, those below a test can be parted."""

FIRST_ORDER = -2
"""The order of no test at all; those of some are below."""

ENTER = np.int64(-(2**63))
"""The action that leads to the state to be searched: all cases go down a single branch."""

ORDERABLE = 60
"""Tests from this column on are not ordered: an action has no bit for them."""


@atom
def action_of(a, cut):
    """Return the action that asks test ``a`` with the threshold of this rank."""
    return (np.int64(a) << CUT_BITS) + cut


@atom
def parted_at(action, answer):
    """Return an action that asks a test, with the answers below it parted at this one."""
    return action + (np.int64(answer) << ANSWER_BITS)


@atom
def parting_answer(action):
    """Return at which answer those below a test are parted."""
    return action >> ANSWER_BITS


@atom
def without_answer(action):
    """Return an action without the answer that parts those below."""
    return action & ((1 << ANSWER_BITS) - 1) if action >= 0 else action


@atom
def asked_test(action):
    """Return the test that an action asks."""
    return without_answer(action) >> CUT_BITS


@atom
def cut_of(action):
    """Return the rank of the threshold of an action."""
    return action & ((1 << CUT_BITS) - 1)


@atom
def is_order(action):
    """Tell whether an action orders a set of tests."""
    return ENTER < action <= FIRST_ORDER


@atom
def is_ordered(order, a):
    """Tell whether the set of tests of an order holds a test."""
    return ((FIRST_ORDER - order) >> a) & 1 == 1

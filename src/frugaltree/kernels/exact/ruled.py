"""Rules of the house in the exact search: which tests wait for others, what tells states apart.

A test that may not be asked at a state is left out there, as one is that a budget does not reach;
it may have its turn further down. Bounds take it to be allowed: that leaves more trees.
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.cost.ask_rules import comes_first, has_rules, may_ask, rules_bind
from frugaltree.kernels.data.cells import varies
from frugaltree.kernels.exact.budget import can_pay_for, is_limited, list_seconds
from frugaltree.kernels.jit import atom, part, section


@atom
def is_ruled(context):
    """Tell whether there are rules."""
    return has_rules(context.prices.rules)


@part
def is_allowed(context, live, a):
    """Tell whether the rules let a test be asked at the end of the path."""
    return may_ask(context.prices.rules, context.path.asked, live, a)


@part
def waits_for_others(context, live):
    """Tell whether some live test may not be asked yet."""
    return rules_bind(context.prices.rules, context.path.asked, live)


@atom
def begins_in_order(context, live):
    """Tell whether one test must be asked before all others."""
    return comes_first(context.prices.rules, context.path.asked, live) >= 0


@atom
def count_asked(context, a, sign):
    """Note that a test is asked, on the way down, or with sign -1 undo it on the way up."""
    context.path.asked[context.prices.rules.about[a]] += sign


@part
def may_follow(context, live, left, a):
    """Tell whether what is left reaches for a test, and the rules let it be asked."""
    if is_limited(context) and not can_pay_for(context, left, a):
        return False
    return not is_ruled(context) or is_allowed(context, live, a)


@part
def list_followers(context, live, seconds, a, left):
    """List, of the live tests, those that may be asked right after test ``a``.

    No test comes first, so what of the cases differs does not matter to the rules.
    """
    for b in range(live.size):
        seconds[b] = live[b]
    if is_limited(context):
        list_seconds(context, live, seconds, a, left)
    if not is_ruled(context):
        return
    count_asked(context, a, np.int64(1))
    for b in range(seconds.size):
        seconds[b] = seconds[b] and is_allowed(context, seconds, np.int64(b))
    count_asked(context, a, np.int64(-1))


@section
def rules_key(context, live, branch):
    """Return what the rules add to the fingerprint of a state.

    The tests asked above on which a test waits that can still split the cases, even those that
    cannot split them again; and of the tests that come first, those not asked that can.
    """
    cases, path, marks, rules = context.cases, context.path, context.marks, context.prices.rules
    n_tests, own = path.asked.size, 2 * path.asked.size + path.opened.size + 3
    key0, key1 = np.uint64(0), np.uint64(0)
    for b in range(rules.requires.shape[1]):
        counts = False
        for a in range(rules.requires.shape[0]):
            if path.asked[b] and rules.requires[a, b] and live[a] and not counts:
                counts = varies(cases, context.rows, branch.start, branch.stop, a)
        if counts:
            key0 ^= marks[own + b, 0]
            key1 ^= marks[own + b, 1]
    for i in range(rules.first.size):
        a = rules.first[i]
        if not path.asked[a] and varies(cases, context.rows, branch.start, branch.stop, a):
            key0 ^= marks[own + n_tests + a, 0]
            key1 ^= marks[own + n_tests + a, 1]
    return key0, key1

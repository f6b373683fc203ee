"""Which answers a state may give: below a monotone test, those of its branches are parted.

Answers stand in the order of the classes. Below a split on a monotone test no answer of the lower
branch comes later than one of the upper (or earlier, in the other direction). That is so if and
only if some answer parts them: none of the one branch comes after it, none of the other before.
So an action on such a test names the answer that parts, and every state has the first and the
last answer that are allowed. Cases without a value of the test have those of the state above.

Fewer answers never cost less, so a bound of a state without any such rule is one with them, too.
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.cost.leaf import Allowed
from frugaltree.kernels.data.nodes import HIGH, LOW
from frugaltree.kernels.exact.actions import asked_test, parting_answer
from frugaltree.kernels.exact.objective import cost_as_leaf
from frugaltree.kernels.jit import atom, part
from frugaltree.kernels.random import mix


@atom
def allowed_at(state):
    """Return the answers that are allowed at a state, a frame or a branch."""
    return Allowed(state.first_answer, state.last_answer)


@atom
def allowed_in(state, direction, side, answer):
    """Return the answers that are allowed in a branch, given the one at which they are parted."""
    first, last = state.first_answer, state.last_answer
    if (direction > 0 and side == LOW) or (direction < 0 and side == HIGH):
        last = answer
    if (direction < 0 and side == LOW) or (direction > 0 and side == HIGH):
        first = answer
    return Allowed(first, last)


@atom
def last_parting(state, direction):
    """Return the last answer at which those below a test are parted; without direction, one is."""
    return state.last_answer if direction != 0 else state.first_answer


@part
def part_answers(context, state, action, side, branch):
    """Note which answers are allowed in a branch of an action."""
    branch.first_answer = state.first_answer
    branch.last_answer = state.last_answer
    if context.objective.restricted and action >= 0:
        direction = context.directions[asked_test(action)]
        allowed = allowed_in(state, direction, side, parting_answer(action))
        branch.first_answer = allowed.least
        branch.last_answer = allowed.most


@part
def answers_key(context, branch):
    """Return what the answers allowed add to a fingerprint: nothing where all are."""
    n = context.objective.errors.shape[0]
    if branch.last_answer - branch.first_answer == n - 1:
        return np.uint64(0), np.uint64(0)
    key, pair = context.marks[0, 0], branch.first_answer * n + branch.last_answer + 1
    return mix(key, np.int64(pair)), mix(key, np.int64(pair + n * n))


@part
def best_parting(objective, state, direction, sides, weights):
    """Return at which answer to part those below a cut, for the cheapest leaves.

    ``sides`` are the class counts of both, ``weights`` what they weigh.
    """
    best, lowest = state.first_answer, np.inf
    for answer in range(state.first_answer, state.last_answer + 1):
        cost = 0.0
        for side in range(2):
            allowed = allowed_in(state, direction, side, answer)
            cost += cost_as_leaf(objective, sides[side], weights[side], allowed)
        if cost < lowest:
            best, lowest = np.int64(answer), cost
    return best

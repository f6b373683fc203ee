"""Words that several threads write: swapped as one step, so that only one thread gets a lock."""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload
from numba.np.arrayobj import make_array

from frugaltree.kernels.jit import part

OPEN, SHUT = 0, 1
ALONE = Lock()
"""Keeps threads apart that run interpreted."""


def swap(array: np.ndarray, i: int, j: int, value: int) -> int:
    """Put a word into an array, and return the one that it replaces, with nobody in between."""
    with ALONE:
        old = int(array[i, j])
        array[i, j] = value
    return old


@intrinsic
def _swap(typingctx: Any, array: Any, i: Any, j: Any, value: Any) -> Any:
    """Compile :func:`swap` to the one instruction that processors have for it."""

    def swapped(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        words = make_array(kind)(context, builder, args[0])
        at = cgutils.get_item_pointer(context, builder, kind, words, args[1:3], wraparound=False)
        return builder.atomic_rmw("xchg", at, args[3], "seq_cst")

    return types.int64(array, types.intp, types.intp, types.int64), swapped


@overload(swap, inline="always")
def _compiled_swap(array, i, j, value):
    return lambda array, i, j, value: _swap(array, i, j, value)


@part
def lock(array, i, j):
    """Wait until the word is OPEN, and shut it."""
    while swap(array, i, j, SHUT) != OPEN:
        pass


@part
def unlock(array, i, j):
    """Let the next thread in."""
    swap(array, i, j, OPEN)

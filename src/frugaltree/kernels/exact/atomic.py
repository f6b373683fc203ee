"""Locks of records that several threads write: swapped in one step, so one thread gets in."""

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

FIELD = "lock"
"""The field of a record that is its lock, an int64."""

INTERPRETED = Lock()
"""Keeps threads apart that run interpreted."""


def swap(records: np.ndarray[Any, Any], i: int, value: int) -> int:
    """Put a value into the lock of a record; return the one that it replaces, in one step."""
    with INTERPRETED:
        old = int(records[i].lock)
        records[i].lock = value
    return old


@intrinsic
def _swap(typingctx: Any, records: Any, i: Any, value: Any) -> Any:
    """Compile :func:`swap` to the one instruction that processors have for it."""

    def swapped(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        array = make_array(kind)(context, builder, args[0])
        at = cgutils.get_item_pointer(context, builder, kind, array, [args[1]], wraparound=False)
        word = context.get_data_type(types.int64)
        at = cgutils.get_record_member(builder, at, kind.dtype.offset(FIELD), word)
        return builder.atomic_rmw("xchg", at, args[2], "seq_cst")

    return types.int64(records, types.intp, types.int64), swapped


@overload(swap, inline="always")
def _compiled_swap(records, i, value):
    return lambda records, i, value: _swap(records, i, value)


@part
def lock(records, i):
    """Wait until the lock of a record is OPEN, and shut it."""
    while swap(records, i, SHUT) != OPEN:
        pass


@part
def unlock(records, i):
    """Let the next thread in."""
    swap(records, i, OPEN)

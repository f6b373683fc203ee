"""Arrays of records, whose fields are read by name: ``frame.node`` instead of ``stack[depth, 0]``.

Compiled, a record is an address and a field an offset from it, which is as fast as a column. Their
type is ``np.record``, so that the same code runs interpreted. The array around them is a plain
one: ``np.recarray`` takes ten times as long to make, and to hand to a kernel. Python reads a field
of all records as ``stack["node"]``.
"""

from __future__ import annotations

import numpy as np


def record_type(**fields: type) -> np.dtype:
    """Return the type of records with these fields.

    A name that NumPy's own scalars have, such as ``size``, would mean that when interpreted.

    Examples
    --------
    >>> record_type(node=np.int64, weight=np.float64).names
    ('node', 'weight')
    """
    taken = [name for name in fields if hasattr(np.void, name)]
    if taken:
        raise ValueError(f"a field of a record cannot be called {taken[0]!r}; take another name.")
    return np.dtype((np.record, np.dtype(list(fields.items()), align=True)))


def empty_records(n: int, fields: np.dtype) -> np.ndarray:
    """Return an array of ``n`` records, not filled.

    Examples
    --------
    >>> stack = empty_records(2, record_type(node=np.int64, weight=np.float64))
    >>> frame = stack[1]  # the record itself, not a copy
    >>> frame.node = 7
    >>> int(stack[1].node)
    7
    """
    return np.empty(n, fields)

"""Arrays of records, whose fields are read by name: ``frame.node`` instead of ``stack[depth, 0]``.

Compiled, a record is an address and a field an offset from it, which is as fast as a column. The
same code runs interpreted: there the records are of a class with an attribute for each field,
which NumPy's own ``np.record`` looks up in five times the time (19 and 96 microseconds to add 1).
"""

from __future__ import annotations

from typing import Any

import numpy as np


class Records(np.recarray[Any, Any]):
    """An array of records; as an attribute of it, a field is an array."""

    def __array_finalize__(self, obj: Any) -> None:
        """Do nothing, where ``np.recarray`` would make all records ``np.record``."""


def record_type(**fields: type) -> np.dtype[Any]:
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
    kind = type("Record", (np.void,), {name: _attribute(name) for name in fields})
    return np.dtype((kind, np.dtype(list(fields.items()), align=True)))


def _attribute(field: str) -> property:
    """Return the attribute that reads and writes a field."""

    def read(record: Any) -> Any:
        return record[field]

    def write(record: Any, value: Any) -> None:
        record[field] = value

    return property(read, write)


def empty_records(n: int, fields: np.dtype[Any]) -> Records:
    """Return an array of ``n`` records, not filled.

    Examples
    --------
    >>> stack = empty_records(2, record_type(node=np.int64, weight=np.float64))
    >>> frame = stack[1]  # the record itself, not a copy
    >>> frame.node = 7
    >>> int(stack[1].node)
    7
    """
    return np.empty(n, fields).view(Records)


def plain_records(n: int, fields: np.dtype[Any]) -> np.ndarray:
    """Return an array of ``n`` records, not filled, whose fields only single records show.

    For what is made anew in every short fit. The type of a plain array is told in C when a kernel
    is called; one of :class:`Records` sends the whole tuple that it is in through Python, about
    5 microseconds for each array in it, which shows in a fit of 2 milliseconds.

    Examples
    --------
    >>> stack = plain_records(2, record_type(node=np.int64, weight=np.float64))
    >>> stack[1].node = 7
    >>> int(stack["node"][1])
    7
    """
    return np.empty(n, fields)


def zero_records(n: int, fields: np.dtype[Any]) -> Records:
    """Return an array of ``n`` records, all fields 0.

    Examples
    --------
    >>> zero_records(2, record_type(node=np.int64, weight=np.float64)).weight
    array([0., 0.])
    """
    return np.zeros(n, fields).view(Records)

"""What the values of a model file must be, and the words for one that is not."""

from __future__ import annotations

import math
from collections.abc import Iterable
from reprlib import repr as shortened
from typing import Any

from frugaltree.exceptions import InvalidModel, did_you_mean


class Defect(ValueError):
    """What is wrong with a model, as the middle of a sentence."""


def expect(holds: bool, where: str, wanted: str, got: object) -> None:
    """Raise a defect unless something holds of the value at a place.

    >>> expect(False, "tree.test[3]", "null or the position of a column", 99)
    Traceback (most recent call last):
    frugaltree.persist.check.Defect: tree.test[3] must be null or the position of a column, but is
    99
    """
    if not holds:
        raise Defect(f"{where} must be {wanted}, but is {shortened(got)}")


def check_keys(
    data: Any, where: str, keys: Iterable[str], *, optional: Iterable[str] = ()
) -> None:
    """Check that an object has these keys, perhaps some optional ones, and no others."""
    expect(isinstance(data, dict), where, "an object", data)
    required = tuple(keys)
    for key in required:
        if key not in data:
            raise Defect(f"{where} lacks {key!r}")
    known = {*required, *optional}
    for key in data:
        if key not in known:
            raise InvalidModel(
                f"has the unknown key {shortened(key)} in {where}; correct the key or take it out."
                f"{did_you_mean(key, known)}"
            )


def read_list(value: Any, where: str, length: int | None = None) -> list[Any]:
    """Return a value that must be a list, of this length if one is given."""
    fits = isinstance(value, list) and length in (None, len(value))
    expect(fits, where, "a list" if length is None else f"a list of {length}", value)
    items: list[Any] = value
    return items


def is_whole(value: object) -> bool:
    """Tell whether a value is a whole number; true and false are none.

    >>> is_whole(3), is_whole(True), is_whole(3.0)
    (True, False, False)
    """
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> bool:
    """Tell whether a value is a finite number.

    >>> is_number(0.5), is_number(float("inf")), is_number(10**400)
    (True, False, False)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond the range of floats
        return False


def is_amount(value: Any) -> bool:
    """Tell whether a value is a finite number, 0 or more."""
    return is_number(value) and value >= 0


def is_value(value: object) -> bool:
    """Tell whether a value can be a label or a category."""
    return isinstance(value, bool | str) or is_number(value)

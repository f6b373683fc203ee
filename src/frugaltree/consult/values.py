"""Values as people give them, and as the tree knows them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from reprlib import repr as shortened
from typing import Any

import numpy as np

from frugaltree.exceptions import FrugaltreeError, did_you_mean
from frugaltree.table import Column, encode, is_missing
from frugaltree.table.values import is_number, is_text, plain

NUMBER = re.compile(r"[+-]?([0-9]+([.,][0-9]+)?|[.,][0-9]+)")
GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")


def find_test(name: object, names: list[str]) -> int:
    """Return the position of a test.

    >>> find_test("choll", ["age", "chol"])
    Traceback (most recent call last):
    frugaltree.exceptions.FrugaltreeError: there is no test 'choll'; name one of 'age', 'chol'. Did
    you mean 'chol'?
    """
    if name in names:
        return names.index(str(name))
    raise FrugaltreeError(
        f"there is no test {shortened(name)}; name one of {_listed(names)}."
        f"{did_you_mean(name, names)}"
    )


def _listed(names: Iterable[str], most: int = 8) -> str:
    shown = [repr(name) for name in names]
    more = [f"{len(shown) - most} more"] if len(shown) > most else []
    return ", ".join([*shown[:most], *more])


def encode_value(value: Any, column: Column) -> float:
    """Return a value as the tree knows it, NaN where it is missing.

    >>> encode_value("male", Column("sex", "nominal", ("female", "male")))
    1.0
    >>> encode_value("old", Column("age", "numeric"))
    Traceback (most recent call last):
    frugaltree.exceptions.FrugaltreeError: age must be a number, but is 'old'; give a number, or
    None if it cannot be measured.
    """
    if is_missing(value):
        return math.nan
    if column.kind == "numeric":
        _check_number(value, column.name)
    elif not (is_number(value) or is_text(value)):
        raise FrugaltreeError(
            f"{column.name} must be text or a number, but is {shortened(value)}; give "
            f"{_proposed(column)}, or None if it cannot be measured."
        )
    return float(encode(np.array([[value]], object), [column])[0, 0])


def _proposed(column: Column) -> str:
    """Return what to give; the values of a column that the tree does not ask are not kept."""
    return f"one of {_listed(map(str, column.categories))}" if column.categories else "one"


def _check_number(value: Any, name: str) -> None:
    """Refuse what is no finite number."""
    if not is_number(value):
        raise FrugaltreeError(
            f"{name} must be a number, but is {shortened(plain(value))}; give a number, or None "
            "if it cannot be measured."
        )
    try:
        finite = math.isfinite(value)
    except OverflowError:  # an int beyond float's range
        finite = False
    if not finite:
        raise FrugaltreeError(
            f"{name} must be a finite number, but is {shortened(value)}; give a smaller one, or "
            "None if it cannot be measured."
        )


def is_typed_number(text: str) -> bool:
    """Tell whether typed text is one number for sure; numbers.js has the same rule.

    >>> [is_typed_number(text) for text in ("-12,5", ".5", "12,", "1 250", "1e3", "1,234")]
    [True, True, False, False, False, False]
    """
    return bool(NUMBER.fullmatch(text)) and not is_grouped(text)


def is_grouped(text: str) -> bool:
    """Tell whether a comma may as well set thousands apart.

    >>> is_grouped("1,234"), is_grouped("0,234"), is_grouped("12,34"), is_grouped("1.234")
    (True, False, False, False)
    """
    return bool(GROUPED.fullmatch(text))


def parse_typed(text: str, column: Column) -> Any:
    """Return what a person has typed as a value of a column, where it can be one.

    A number has one decimal sign at most, a point or a comma; anything else stays text.

    >>> parse_typed("54", Column("age", "numeric"))
    54
    >>> [parse_typed(text, Column("dose", "numeric")) for text in ("12,5", "12.5", "1.234,5")]
    [12.5, 12.5, '1.234,5']
    >>> parse_typed("Male", Column("sex", "nominal", ("female", "male")))
    'male'
    """
    text = text.strip()
    if column.kind == "numeric":
        return plain(float(text.replace(",", "."))) if is_typed_number(text) else text
    for same in (str, str.casefold):
        found = [c for c in column.categories if same(str(plain(c))) == same(text)]
        if len(found) == 1:
            return found[0]
    return text


def branch_of(code: float, column: Column, threshold: float) -> int:
    """Return the branch that a coded value takes, -1 where there is none."""
    if column.is_nominal:
        return int(code)
    return 0 if code <= threshold else 1

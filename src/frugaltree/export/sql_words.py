"""How SQL writes names, text and numbers, so that they stay names, text and numbers."""

from __future__ import annotations

from decimal import Decimal
from reprlib import repr as shortened
from typing import Any

import numpy as np

from frugaltree.exceptions import FrugaltreeError
from frugaltree.table import Column
from frugaltree.table.values import plain

ALIAS = "c"
"""The table in the query. SQLite reads a quoted name without it as text if there is no such
column."""

TINY = 1e-280
"""Below this in size, SQLite's own digits no longer tell all floats apart."""

STEP = 2**50


def identifier(name: str) -> str:
    """Return a name in quotes.

    >>> print(identifier('so "called"); DROP TABLE cases'))
    "so ""called""); DROP TABLE cases"
    """
    return '"' + _writable(name).replace('"', '""') + '"'


def column_name(column: Column) -> str:
    """Return how the query refers to a column.

    >>> print(column_name(Column("age", "numeric")))
    c."age"
    """
    return f"{ALIAS}.{identifier(column.name)}"


def literal(value: Any) -> str:
    """Return a label or category.

    >>> print(literal("it's"), literal(True), literal(3), literal(2.5))
    'it''s' TRUE 3 2.5e0
    """
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, str):
        return "'" + _writable(value).replace("'", "''") + "'"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return number(value)
    raise FrugaltreeError(
        f"{shortened(value)} is a {type(value).__name__}, which SQL has no form for; fit with "
        "text, numbers or booleans."
    )


def number(value: float) -> str:
    """Return a float that every database reads as the same float64.

    The exponent makes it a float and not a decimal. SQLite computes with slightly more than 64
    bits, so that a number near the middle between two floats may become the wrong one; with
    18 digits it is near none, and with up to three decimals it cannot be near enough. Below TINY
    even those digits do not help; such a number is written as a quotient without rounding.

    >>> number(54.5), number(0.30000000000000004)
    ('54.5e0', '3.00000000000000044e-01')
    """
    if 0.0 < abs(value) < TINY:
        return _quotient(value)
    text = float.__repr__(value)
    exponent = Decimal(text).as_tuple().exponent
    if isinstance(exponent, int) and -3 <= exponent <= 15:
        return text if "e" in text else f"{text}e0"
    return f"{value:.17e}"


def _quotient(value: float) -> str:
    """Return a number as a whole number divided by powers of two, each step of it exact.

    >>> _quotient(-3 * 2.0**-101)
    '(-3e0 / 2e0 / 1125899906842624e0 / 1125899906842624e0)'
    """
    above, below = value.as_integer_ratio()
    steps, rest = divmod(below.bit_length() - 1, STEP.bit_length() - 1)
    return f"({' / '.join(f'{x}e0' for x in (above, 2**rest, *[STEP] * steps))})"


def category(column: Column, code: int) -> str:
    """Return a category: a number only where all are, for else they are compared as text.

    >>> category(Column("a", "nominal", (1, 2)), 0), category(Column("a", "nominal", (1, "b")), 0)
    ('1', "'1'")
    """
    value = plain(column.categories[code])
    return literal(value if column.holds_numbers else str(value))


def _writable(text: str) -> str:
    """Return text that a query can hold, as text of Python's own."""
    text = str.__str__(text)
    try:
        text.encode()
    except UnicodeEncodeError:
        broken = True
    else:
        broken = "\0" in text
    if broken:
        raise FrugaltreeError(
            f"{shortened(text)} holds a character that SQL cannot hold; rename it before fitting."
        )
    return text

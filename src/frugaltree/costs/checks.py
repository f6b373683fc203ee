"""What a price, a test and a class label may look like, and the sentence when they do not."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from numbers import Integral, Real
from reprlib import repr as shortened
from typing import Any, TypeAlias, TypeGuard

from frugaltree.exceptions import InvalidCosts

Test: TypeAlias = str | int
"""A test by the name of its column, or by its position counted from 0."""

Label: TypeAlias = bool | int | float | str
"""A class label: bool, int or str (a float is let through, as scikit-learn does)."""


DEAREST = 1e140
"""The largest price: sums over all cases and tests there may be, and of squares, are finite."""


def is_list(value: object) -> TypeGuard[Iterable[object]]:
    """Return whether ``value`` lists things: not text, not a mapping, not a lone number.

    >>> is_list(["age"]), is_list("age"), is_list({"age": 1})
    (True, False, False)
    """
    is_one_thing = isinstance(value, str | bytes | Mapping) or getattr(value, "ndim", 1) == 0
    return isinstance(value, Iterable) and not is_one_thing


def check_price(value: object, what: str) -> float:
    """Return ``value`` as a plain number, provided it can be a price.

    >>> check_price(5, "the price of test 'age'")
    5
    >>> check_price(-1, "the price of test 'age'")
    Traceback (most recent call last):
    frugaltree.exceptions.InvalidCosts: the price of test 'age' must be a finite number, 0 or
    more, but is -1; write a plain number such as 5.17.
    >>> check_price(1e300, "the price of test 'age'")
    Traceback (most recent call last):
    frugaltree.exceptions.InvalidCosts: the price of test 'age' is 1e+300, too large to be added
    up over many cases; give all costs in a larger unit, so that none is above 1e+140.
    """
    if not isinstance(value, bool) and isinstance(value, Real | Decimal):
        try:
            number = int(value) if isinstance(value, Integral) else float(value)
            if 0 <= float(number) <= DEAREST:
                return number
        except (OverflowError, ValueError):  # an int beyond float's range, a signalling NaN
            number = math.nan
        if DEAREST < number < math.inf:
            raise InvalidCosts(
                f"{what} is {shortened(value)}, too large to be added up over many cases; give "
                f"all costs in a larger unit, so that none is above {DEAREST:g}."
            )
    raise InvalidCosts(
        f"{what} must be a finite number, 0 or more, but is {shortened(value)}; "
        "write a plain number such as 5.17."
    )


def check_test(key: object, where: str) -> Test:
    """Return ``key`` as a plain name or position.

    >>> check_test("age", "tests")
    'age'
    >>> check_test(-1, "tests")
    Traceback (most recent call last):
    frugaltree.exceptions.InvalidCosts: tests names -1 as a test; give the name of a column, or
    its position counted from 0.
    """
    if isinstance(key, str):
        return str(key)
    if not isinstance(key, bool) and isinstance(key, Integral) and int(key) >= 0:
        return int(key)
    raise InvalidCosts(
        f"{where} names {shortened(key)} as a test; "
        "give the name of a column, or its position counted from 0."
    )


def check_tests(tests: object, where: str) -> tuple[Test, ...]:
    """Return a list of tests, each named once."""
    if not is_list(tests):
        example = [tests] if isinstance(tests, str) else ["age", "chol"]
        raise InvalidCosts(
            f"{where} must be a list of tests, but is {shortened(tests)}; "
            f"write a list such as {example}."
        )
    listed = sorted(tests, key=str) if isinstance(tests, set | frozenset) else list(tests)
    keys = [check_test(key, where) for key in listed]
    if twice := repeated(keys):
        raise InvalidCosts(f"{where} names {twice[0]!r} twice; name each test once.")
    return tuple(keys)


def check_prices(prices: object, where: str, what: str) -> dict[Test, float]:
    """Return prices by test, from a mapping or from a sequence by position.

    >>> check_prices([1, 2.5], "tests", "the price of test")
    {0: 1, 1: 2.5}
    """
    if hasattr(prices, "items"):  # a mapping, or a column of a data frame with its index
        pairs: Iterable[tuple[object, object]] = prices.items()
    elif is_list(prices) and not isinstance(prices, set | frozenset):
        pairs = enumerate(prices)
    else:
        raise InvalidCosts(
            f"{where} must map each test to a number or list the numbers by position, "
            f"but is {shortened(prices)}; write a mapping such as {{'age': 1, 'chol': 5.17}}."
        )
    keyed = [(check_test(key, where), value) for key, value in pairs]
    return {key: check_price(value, f"{what} {key!r}") for key, value in keyed}


def plain_label(label: Any) -> Label:
    """Return a class label as Python's own bool, int or str.

    >>> import numpy as np
    >>> plain_label(np.int64(3))
    3
    """
    plain = label.item() if hasattr(label, "item") and getattr(label, "ndim", 0) == 0 else label
    if isinstance(plain, bool | int | float | str):
        return plain
    raise InvalidCosts(
        f"a class label must be a bool, int or str, but is {shortened(plain)}; convert the labels."
    )


def check_classes(classes: object) -> tuple[Label, ...]:
    """Return the class labels, each given once."""
    labels = tuple(plain_label(label) for label in classes) if is_list(classes) else ()
    if not labels:
        raise InvalidCosts(
            f"classes must be a list of class labels, but is {shortened(classes)}; "
            "write a list such as ['healthy', 'sick']."
        )
    if twice := repeated(labels):
        raise InvalidCosts(f"classes names {twice[0]!r} twice; name each class once.")
    if any(label != label for label in labels):
        raise InvalidCosts("classes has a missing value, nan; give every class a name.")
    if math.inf in labels or -math.inf in labels:
        raise InvalidCosts("classes has an infinite number; give every class a name.")
    return labels


def check_text(value: object, what: str) -> str | None:
    """Return a remark such as the unit, or None."""
    if value is None or isinstance(value, str):
        return value
    raise InvalidCosts(f"{what} must be text, but is {shortened(value)}; put it in quotes.")


def check_flag(value: object, what: str) -> bool:
    """Return a yes or no.

    >>> check_flag(True, "charge_missing")
    True
    """
    if isinstance(value, bool) or type(value).__name__ == "bool":  # or NumPy's
        return bool(value)
    raise InvalidCosts(
        f"{what} must be true or false, but is {shortened(value)}; write it without quotes."
    )


def repeated(items: Sequence[object]) -> list[object]:
    """Return the items that stand further ahead already.

    >>> repeated(["a", "b", "a"])
    ['a']
    """
    return [item for i, item in enumerate(items) if item in items[:i]]


def position(label: Label, known: Sequence[Label]) -> int | None:
    """Return where ``label`` stands in ``known``: by equality, else by its text.

    Files and command lines know only text, so ``"1"`` also finds the label ``1``.

    >>> position(1, [0, 1]), position("1", [0, 1]), position("2", [0, 1])
    (1, 1, None)
    """
    for candidates, wanted in ((known, label), ([str(other) for other in known], str(label))):
        if wanted in candidates:
            return candidates.index(wanted)
    return None

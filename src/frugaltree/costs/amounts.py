"""Amounts as people write them: 12,50 or EUR 5 or 1.234,50 €."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from frugaltree.exceptions import InvalidCosts

SIGNS = {"€": "EUR", "£": "GBP", "¥": "JPY", "euro": "EUR"}
"""What some signs of currencies stand for; that of dollars stands for several."""

_CURRENCY = r"[A-Za-z]{2,8}\.?|[€$£¥]|[A-Z]{1,3}\$"
_DIGITS = r"[+-]?(?:[0-9][0-9.,'’ \u00a0\u202f_]*[0-9]|[0-9])"
AMOUNT = re.compile(rf"(?P<front>{_CURRENCY})?\s*(?P<digits>{_DIGITS})\s*(?P<back>{_CURRENCY})?")

PLAIN = re.compile(r"[+-]?[0-9]+(?:[.,][0-9]+)?")
GROUPED = re.compile(
    r"[+-]?[0-9]{1,3}(?:(?P<sign>[.,'’ \u00a0\u202f_])[0-9]{3})(?:(?P=sign)[0-9]{3})*"
)
"""A whole number whose thousands are set apart."""

DOUBTFUL = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
"""What is a fraction to some people and thousands to others."""

LINE = re.compile(
    r"""(?P<key>\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^="'#\[\]]+?))\s*=\s*"""
    r"(?P<value>[^\"'#\[\]{}]*?)(?P<rest>\s*(?:\#.*)?)"
)
BARE = re.compile(r"[A-Za-z0-9_.-]+")


class Amount(NamedTuple):
    """A number, and the currency beside it if there is one."""

    number: float
    currency: str | None


def amount_in(text: str) -> Amount | None:
    """Return the amount that a text is; None if it is none.

    Examples
    --------
    >>> amount_in("12,50").number, amount_in("5 €"), amount_in("EUR 1.234,50")
    (12.5, Amount(number=5, currency='EUR'), Amount(number=1234.5, currency='EUR'))
    >>> amount_in("cheap") is None
    True
    >>> amount_in("1,234")
    Traceback (most recent call last):
    frugaltree.exceptions.InvalidCosts: '1,234' can mean 1234 or 1.234; write it as one of these.
    """
    found = AMOUNT.fullmatch(text.strip())
    if found is None or (found["front"] and found["back"]):
        return None
    digits = found["digits"].strip()
    written = found["front"] or found["back"]
    currency = None if written is None else SIGNS.get(written.lower(), written.rstrip("."))
    if DOUBTFUL.fullmatch(digits) or (written and DOUBTFUL.fullmatch(digits.replace(".", ","))):
        raise InvalidCosts(
            f"{text!r} can mean {re.sub('[.,]', '', digits)} or {digits.replace(',', '.')}; write "
            "it as one of these."
        )
    number = _number(digits)
    return None if number is None else Amount(number, currency)


def _number(digits: str) -> float | None:
    """Return the number that digits with signs between them are."""
    whole, point, part = digits, "", ""
    if not PLAIN.fullmatch(digits) and GROUPED.fullmatch(digits) is None:
        at = max(digits.rfind("."), digits.rfind(","))
        whole, point, part = digits[:at], digits[at], digits[at + 1 :]
        grouped = GROUPED.fullmatch(whole)
        if at < 0 or not part.isdecimal() or grouped is None or grouped["sign"] == point:
            return None
    if PLAIN.fullmatch(whole) and not point:
        text = whole.replace(",", ".")
    else:
        text = re.sub("[^0-9+-]", "", whole) + (f".{part}" if part else "")
    return float(text) if "." in text else int(text)


def mend_lines(text: str) -> str:
    r"""Return TOML in which amounts and names without quotes have them, a line each.

    >>> print(mend_lines("Röntgen = 12,50 € # each\nage = 1"))
    "Röntgen" = "12,50 €" # each
    age = 1
    """
    return "\n".join(map(_mended, text.splitlines()))


def _mended(line: str) -> str:
    found = LINE.fullmatch(line)
    if found is None:
        return line
    key, value = found["key"].strip(), found["value"]
    if key[0] not in "\"'" and BARE.fullmatch(key) is None:
        key = json.dumps(key, ensure_ascii=False)
    if AMOUNT.fullmatch(value) and not re.fullmatch(r"[+-]?[0-9_]+(?:\.[0-9_]+)?", value):
        value = json.dumps(value, ensure_ascii=False)
    return f"{key} = {value}{found['rest']}"


def read_amounts(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a price list with numbers for amounts in quotes, and their currency as its unit.

    >>> read_amounts({"tests": {"xray": "12,50 EUR", "age": 1}})
    {'tests': {'xray': 12.5, 'age': 1}, 'unit': 'EUR'}
    """
    currencies: dict[str, str] = {}
    read = {
        key: _numbers(value, key, currencies) if key in PLACES else value
        for key, value in data.items()
    }
    unit = data.get("unit")
    for currency, where in currencies.items():
        other = unit or next(iter(currencies))
        if isinstance(other, str) and SIGNS.get(other.lower(), other) != currency:
            raise InvalidCosts(
                f"{where} is in {currency}, but other amounts are in {other}; give all of them in "
                "one unit."
            )
    if currencies and unit is None:
        read["unit"] = next(iter(currencies))
    return read


PLACES = ("default_test_cost", "tests", "groups", "errors", "decisions")
"""Where amounts stand."""

NAMES = ("predicted", "actual", "test", "tests", "classes", "decision")
"""What in those places is a name, whatever it looks like."""


def _numbers(value: Any, where: str, currencies: dict[str, str]) -> Any:
    """Return a value with numbers in place of the amounts in it."""
    if isinstance(value, dict):
        return {
            key: one
            if key in NAMES and not isinstance(one, dict) and where != "tests"
            else _numbers(one, f"{where}.{key}" if "." not in where else where, currencies)
            for key, one in value.items()
        }
    if isinstance(value, list):
        return [_numbers(one, where, currencies) for one in value]
    if not isinstance(value, str):
        return value
    try:
        amount = amount_in(value)
    except InvalidCosts as error:
        raise InvalidCosts(f"{where}: {error}") from None
    if amount is None:
        return value
    if amount.currency is not None:
        currencies.setdefault(amount.currency, where)
    return amount.number

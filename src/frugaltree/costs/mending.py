"""Price lists as people type them: amounts with a currency, and names without quotes."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from frugaltree.costs.amounts import AMOUNT, SIGNS, amount_in
from frugaltree.exceptions import InvalidCosts

LINE = re.compile(
    r"""(?P<key>\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^="'#\[\]]+?))\s*=\s*"""
    r"(?P<value>[^\"'#\[\]{}]*?)(?P<rest>\s*(?:\#.*)?)"
)
BARE = re.compile(r"[A-Za-z0-9_.-]+")

PLACES = ("default_test_cost", "tests", "groups", "errors", "decisions", "waiting")
"""Where amounts stand."""

NAMES = ("predicted", "actual", "test", "tests", "classes", "decision", "strategy")
"""What in those places is a name, whatever it looks like."""


def load_mended(text: str) -> dict[str, Any]:
    """Return a TOML document; amounts and names may stand there without quotes."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        try:
            return tomllib.loads(mend_lines(text))
        except tomllib.TOMLDecodeError:
            raise error from None


def quoted_line(text: str, error: tomllib.TOMLDecodeError) -> str:
    """Return what the line holds that an error is about, if it tells."""
    found = re.search(r"at line (\d+)", str(error))
    lines = text.splitlines()
    if found is None or not 0 < int(found[1]) <= len(lines):
        return ""
    return f", which is {lines[int(found[1]) - 1].strip()[:80]!r}"


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

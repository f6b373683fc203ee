"""Amounts as people write them: 12,50 or EUR 5 or 1.234,50 €."""

from __future__ import annotations

import re
from typing import NamedTuple

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

"""Text that can be said in another language."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from frugaltree.messages.languages import LANGUAGES, messages_of

NAMED = re.compile(r"\{(\w+)\}")


class Phrase(str):
    """English text that knows how to be said in another language.

    It is a plain string to all who do not ask. What users wrote stays as it is.

    Attributes
    ----------
    key
        The key of its message, or of a form of numbers.
    values
        What stands in the message by name: text of users, numbers, other phrases.

    Examples
    --------
    >>> cost = say("money", amount=1234.5, unit="EUR")
    >>> cost, translated(cost, "de")
    ('EUR 1,234.50', 'EUR 1.234,50')
    """

    key: str
    values: Mapping[str, Any]

    def as_data(self) -> list[Any]:
        """Return the key and the values, as the page's program takes a phrase."""
        return [self.key, {name: _as_data(value) for name, value in self.values.items()}]

    def bare(self) -> Phrase:
        """Return the same with no unit of money."""
        if self.key == "money":
            return say("money", **{**self.values, "unit": None})
        bare = {k: v.bare() if isinstance(v, Phrase) else v for k, v in self.values.items()}
        return say(self.key, **bare)


def say(key: str, **values: Any) -> Phrase:
    """Return a message with its values, in English.

    >>> say("span", least=say("money", amount=2), most=say("money", amount=2.5))
    '2.00 to 2.50'
    """
    phrase = Phrase(_render(key, values, LANGUAGES[0]))
    phrase.key, phrase.values = key, values
    return phrase


def translated(text: str, language: str) -> str:
    """Return text in a language; text that is no phrase is a user's own, and stays.

    >>> translated(say("free"), "de"), translated("free", "de")
    ('kostenlos', 'free')
    """
    if not isinstance(text, Phrase) or language == LANGUAGES[0]:
        return str(text)
    return _render(text.key, text.values, language)


def _as_data(value: Any) -> Any:
    if isinstance(value, Phrase):
        return value.as_data()
    return [_as_data(one) for one in value] if isinstance(value, list | tuple) else value


def _render(key: str, values: Mapping[str, Any], language: str) -> str:
    if key in FORMS:
        return FORMS[key](language, **values)
    said = {
        name: translated(value, language) if isinstance(value, str) else str(value)
        for name, value in values.items()
    }
    return NAMED.sub(lambda found: said[found[1]], messages_of(language)[key])


# --------------------------------------------------------------------- forms of numbers


def _signs(text: str, language: str) -> str:
    """Return a number with the signs of a language for decimals and thousands."""
    if language == LANGUAGES[0]:
        return text
    known = messages_of(language)
    return text.translate({ord("."): known["number.point"], ord(","): known["number.comma"]})


def _money(language: str, amount: float, unit: str | None = None, decimals: int = 2) -> str:
    least = 10**-decimals / 2
    text = f"{amount:.2g}" if 0 < amount < least else f"{amount:,.{decimals}f}"
    text = _signs(text, language)
    if not unit:
        return text
    return f"{text} {unit}" if any(c.islower() for c in unit) else f"{unit} {text}"


def _percent(_: str, share: float) -> str:
    if 0 < share < 0.01:
        return "<1 %"
    return ">99 %" if 0.99 < share < 1 else f"{100 * share:.0f} %"


def _percent_fine(language: str, share: float) -> str:
    return f"{_signs(f'{100 * share:.1f}', language)} %"


def _number(language: str, value: float) -> str:
    return _signs(f"{value:,.1f}".removesuffix(".0"), language)


def _signed(language: str, amount: float) -> str:
    return _signs(f"{amount:+,.2f}", language)


def _short(language: str, value: float) -> str:
    return _signs(f"{value:.10g}", language)


def _exact(language: str, value: float) -> str:
    whole = value == int(value) and abs(value) < 2**53
    return _signs(str(int(value)) if whole else repr(float(value)), language)


def _rough(language: str, value: float) -> str:
    return _signs(f"{value:.2g}", language)


def _times(language: str, value: float) -> str:
    return _signs(f"{value:,.0f}", language)


def _cases(language: str, weight: float) -> str:
    number = _number(language, weight)
    key = "cases.one" if number == "1" else "cases.many"
    return NAMED.sub(number, messages_of(language)[key])


def _listed(joint: str) -> Callable[..., str]:
    def join(language: str, texts: list[str]) -> str:
        *first, last = (translated(text, language) for text in texts)
        return f"{', '.join(first)} {messages_of(language)[joint]} {last}" if first else last

    return join


def _joined(language: str, texts: list[str], by: str) -> str:
    return translated(by, language).join(translated(text, language) for text in texts)


FORMS: dict[str, Callable[..., str]] = {
    "money": _money,
    "percent": _percent,
    "percent.fine": _percent_fine,
    "number": _number,
    "signed": _signed,
    "short": _short,
    "exact": _exact,
    "rough": _rough,
    "times": _times,
    "cases": _cases,
    "either": _listed("or"),
    "both": _listed("and"),
    "joined": _joined,
}
"""How numbers and lists are written; all else is a message. The page has the same ones."""

"""The languages there are, and which one a person reads."""

from __future__ import annotations

import json
import locale
import os
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from frugaltree.exceptions import FrugaltreeError

LANGUAGES = ("en", "de", "fr", "es")
"""English, German, French, Spanish; the first is what all else falls back on."""

VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
"""Where a terminal says which language it is in, the first that is set counts."""


@cache
def messages_of(language: str) -> Mapping[str, str]:
    """Return the messages of a language by their keys.

    >>> messages_of("de")["case.next"]
    'Weiter'
    """
    text = files("frugaltree.messages").joinpath(f"{language}.json").read_text("utf-8")
    return MappingProxyType(json.loads(text))


def find_language(asked: str | None = None) -> str:
    """Return the language that was asked for, else that of the locale, else English.

    >>> find_language("de_AT.UTF-8"), find_language("fr")
    ('de', 'fr')
    >>> find_language("it")
    Traceback (most recent call last):
    frugaltree.exceptions.FrugaltreeError: there is no language 'it'; choose one of en, de, fr, es.
    """
    if asked is not None:
        known = _known(asked)
        if known is None:
            raise FrugaltreeError(
                f"there is no language {asked!r}; choose one of {', '.join(LANGUAGES)}."
            )
        return known
    said = next((os.environ[name] for name in VARIABLES if os.environ.get(name)), None)
    return _known(said or locale.getlocale()[0] or "") or LANGUAGES[0]


def _known(name: str) -> str | None:
    """Return the language of a name such as ``de`` or ``de_AT.UTF-8``."""
    found = name.replace("-", "_").split("_")[0].split(".")[0].lower()
    return found if found in LANGUAGES else None

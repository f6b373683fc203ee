"""A price list as Python would make it again."""

from __future__ import annotations

from collections.abc import Mapping
from pprint import pformat
from typing import Any


def costs_text(parts: Mapping[str, Any]) -> str:
    """Return the call that makes costs of these parts, without those at their default.

    >>> costs_text({"tests": {"age": 1}, "delayed": (), "errors": 5.0, "unit": None})
    "Costs(tests={'age': 1}, errors=5.0)"
    """
    values = {name: _as_lists(value) for name, value in parts.items()}
    given = {
        name: value
        for name, value in values.items()
        if value is not None and value is not False and (value not in ([], {}) or name == "tests")
    }
    line = f"Costs({', '.join(f'{name}={value!r}' for name, value in given.items())})"
    if len(line) <= 79:
        return line
    return "Costs(\n" + "".join(_wrapped(*item) for item in given.items()) + ")"


def _as_lists(value: Any) -> Any:
    """Return tuples as lists, the way people write them."""
    if isinstance(value, tuple):
        return [_as_lists(element) for element in value]
    if isinstance(value, dict) and any(isinstance(one, tuple) for one in value.values()):
        return {key: _as_lists(one) for key, one in value.items()}
    return value


def _wrapped(name: str, value: object) -> str:
    """Return one argument of a long ``repr`` on lines of its own."""
    prefix = f"    {name}="
    width = max(78 - len(prefix), 40)
    text = pformat(value, width=width, sort_dicts=False, compact=name != "errors")
    return prefix + text.replace("\n", "\n" + " " * len(prefix)) + ",\n"

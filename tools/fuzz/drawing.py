"""Odd numbers, names and texts, drawn at random."""

from __future__ import annotations

import math
from random import Random
from typing import Any

NAMES = (
    "age", "x", "y", "b", "blood pressure", "Größe", "select", 'the "7th"', "it's", "x0", "class",
    "^b$", "^[$", "^.*$", "*", "^a|b$", ".", "", " ", "  age", "age ", '"age"', "'age'", "a,b",
    "a;b", "a\tb", "a|b", "a=b", "a\nb", "answer", "bill", "unnamed: 1", "aside: age",
    "share of 1",
    "0", "1", "-1", "1.5", "nan", "NaN", "null", "None", "?", "NA", "inf", "true", "=1+1", "@cmd",
    "[bold]x[/]", "[/]", "{x}", "{{ x }}", "%s", "$(ls)", "<script>alert(1)</script>", "../x",
    "\\",
    "\ufeffage", "e\u0301", "é", "名前", "🌲", "\u202eabc", "\u00a0age", "a" * 300, "DROP TABLE",
    "_", "__class__", "default", "tests", "costs", "self",
)  # fmt: skip
"""Names of columns and classes of every kind."""

CELLS = (
    "", " ", "?", "NA", "nan", "NaN", "null", "None", "inf", "-inf", "1e999", "-0", "0", "1", "2",
    "1.0", "1,5", "1.234,5", "1_000", "0x10", "١٢", "1e5", "1e-320", "TRUE", "false", "yes", "no",
    "red", "it's", 'a "b"', "größe", "5", "5 ", " 5", "^b$", "*", "a,b", "2024-01-01", "12:30",
    "\u00a0", "🌲", "-", "--", "#N/A", "=1+1", "[bold]", "9" * 30, "x" * 1000,
)  # fmt: skip
"""Cells of tables of every kind."""

NUMBERS = (
    0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, 1e-300, 5e-324, 1e-9, 1e9, 1e300, 1e307, 1.7e308,
    -1e300, 0.1, 0.30000000000000004, 2**53 + 1.0, math.inf, -math.inf, math.nan,
)  # fmt: skip
"""Numbers at the ends of what a float can be."""

ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 10**400, 1.5, math.nan, math.inf, -math.inf, 1e308, 1e-320, "",
    "auto", "none", "paper", "1", "60s", "2GB", "x", "\0", b"x", [], {}, (), [1], ["x"], {"x": 1},
    object, 1j, {1, 2}, [[0, 1], [1, 0]], [None], -5, 2**63, 2**31,
)  # fmt: skip
"""Values of every type, for where something else is meant."""


def chance(random: Random, share: float) -> bool:
    """Tell whether something that happens with this probability happens."""
    return random.random() < share


def draw_amount(random: Random) -> float:
    """Return a cost: mostly small, now and then anything from the smallest to the largest."""
    if chance(random, 0.6):
        return random.choice((0, 1, 2, 5.17, 10, 0.1, 3.10, 100))
    if chance(random, 0.5):
        return round(random.uniform(0, 100), random.randint(0, 6))
    return random.choice((1, 3, 5.9, 9.99)) * 10.0 ** random.randint(-310, 307)


def draw_names(random: Random, n: int, odd: float = 0.3) -> list[str]:
    """Return distinct names of columns, a share of them odd."""
    names: list[str] = []
    while len(names) < n:
        name = random.choice(NAMES) if chance(random, odd) else f"t{len(names)}"
        names.append(f"t{len(names)}" if name in names else name)
    return names

"""``frugaltree datasets``: what is bundled."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

HEADINGS = ("name", "cases", "tests", "classes", "expert costs", "title")


def list_all(console: Console, *, as_json: bool) -> None:
    """List all data sets."""
    from frugaltree.datasets import info, names

    found = [info(name) for name in names()]
    if as_json:
        console.print_json(json.dumps([_as_json(data) for data in found]))
        return
    shown = Table(*HEADINGS, box=None)
    for data in found:
        shown.add_row(
            data.name,
            str(data.rows),
            str(len(data.tests)),
            str(len(data.classes)),
            "yes" if data.costs_standing else "",
            escape(data.title),
        )
    console.print(shown)


def describe(console: Console, name: str, *, as_json: bool) -> None:
    """Describe one data set."""
    from frugaltree.datasets import info

    data = info(name)
    if as_json:
        console.print_json(json.dumps(_as_json(data)))
        return
    console.print(str(data), markup=False, highlight=False, soft_wrap=True)


def _as_json(data: Any) -> dict[str, Any]:
    found = asdict(data)
    found.pop("generator", None)
    return {**json.loads(json.dumps(found, default=str)), "tests": list(data.tests)}

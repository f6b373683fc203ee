"""The settings that a search has tried on cases held out, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from frugaltree.engines.cross_validation import Trial
from frugaltree.tree.text import money

REFERENCE = "reference"
"""What stands in place of a saving for the setting that savings are against."""

COST = ["cost", "cost per case held out", "money"]
"""The column of costs: its key, its heading and its kind."""


def show_trials(trials: Sequence[Trial]) -> dict[str, Any] | None:
    """Return a table of the settings that were tried on cases held out, None if none were."""
    if not trials:
        return None
    return _with_costs(trials) if trials[0].saving_error is None else _with_savings(trials)


def _with_costs(trials: Sequence[Trial]) -> dict[str, Any]:
    """Return the table of a learner that takes the cheapest setting."""
    return {
        "title": "Which settings were tried",
        "columns": [["name", "setting", ""], COST],
        "rows": [
            {
                "name": _marked(one.name, one.chosen),
                "cost": f"{money(one.cost)} ± {money(one.error)}",
                "this": one.chosen,
            }
            for one in trials
        ],
        "caption": "w is how much prices are heeded, cf how much the errors seen are trusted: "
        "the lower, the more errors are expected. ± is a standard error.",
    }


def _with_savings(trials: Sequence[Trial]) -> dict[str, Any]:
    """Return the table of a learner that leaves the first setting only for a sure saving."""
    rows = [
        {
            "name": _marked(setting_in_words(one.name), one.chosen),
            "cost": money(one.cost),
            "saving": f"{one.saving:+,.2f} ± {one.saving_error:,.2f}" if place else REFERENCE,
            "this": one.chosen,
        }
        for place, one in enumerate(trials)
    ]
    return {
        "title": "How strictly splits were judged",
        "columns": [["name", "setting", ""], COST, ["saving", "saves per case", "money"]],
        "rows": rows,
        "caption": "A search that looks hard also finds splits that are good by chance only. Each "
        "setting charges for splits in another way, in costs of an error, and its trees were "
        "tried on cases held out. The first is left only for one that saves more than the "
        "standard error (±) of the saving.",
    }


def setting_in_words(name: str) -> str:
    """Return what a setting of FrugalTree does.

    >>> setting_in_words("split 2")
    'every split is charged 2 errors'
    """
    kind, _, amount = name.rpartition(" ")
    return {
        "paper": "no charge, as in the paper",
        "leaf": "no test at all, one answer for everybody",
    }.get(name) or {
        "split": f"every split is charged {amount} errors",
        "log cut": f"a split of numbers is charged {amount} × log(number of cuts) errors",
    }.get(kind, name)


def _marked(name: str, chosen: bool) -> str:
    return f"{name} (chosen)" if chosen else name

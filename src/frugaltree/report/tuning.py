"""The settings that a search has tried on cases held out, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from frugaltree.engines.cross_validation import Trial
from frugaltree.tree.text import money

COST = ["cost", "cost per case held out", "money"]
"""The column of costs: its key, its heading and its kind."""

SETTINGS = (
    "w is how much prices are heeded, cf how much the errors seen are trusted: the lower, the "
    "more errors are expected. ± is a standard error."
)
STRICTNESS = (
    "A search that looks hard also finds splits that are good by chance only. Each setting "
    "charges for splits in another way, in costs of an error, and its trees were tried on cases "
    "held out; the cheapest there was taken. ± is a standard error. The cost of the chosen one is "
    "too low by the choice; the figure at the top is not."
)


def show_trials(trials: Sequence[Trial]) -> dict[str, Any] | None:
    """Return a table of the settings that were tried on cases held out, None if none were."""
    if not trials:
        return None
    judged = trials[0].saving_error is not None
    return {
        "title": "How strictly splits were judged" if judged else "Which settings were tried",
        "columns": [["name", "setting", ""], COST],
        "rows": [
            {
                "name": _marked(setting_in_words(one.name), one.chosen),
                "cost": f"{money(one.cost)} ± {money(one.error)}",
                "this": one.chosen,
            }
            for one in trials
        ],
        "caption": STRICTNESS if judged else SETTINGS,
    }


def setting_in_words(name: str) -> str:
    """Return what a setting of FrugalTree does.

    >>> setting_in_words("split 2")
    'every split is charged 2 errors'
    """
    if ", " in name:
        return " and ".join(setting_in_words(part) for part in name.split(", "))
    kind, _, amount = name.rpartition(" ")
    return {
        "paper": "no charge, as in the paper",
        "leaf": "no test at all, one answer for everybody",
    }.get(name) or {
        "split": f"every split is charged {amount} {'error' if amount == '1' else 'errors'}",
        "log cut": f"a split of numbers is charged {amount} × log(number of cuts) errors",
    }.get(kind, name)


def _marked(name: str, chosen: bool) -> str:
    return f"{name} (chosen)" if chosen else name

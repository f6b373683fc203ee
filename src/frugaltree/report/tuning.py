"""The settings that a search has tried on cases held out, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from frugaltree.engines.cross_validation import Trial
from frugaltree.engines.exact.wording import setting_in_words
from frugaltree.messages import say
from frugaltree.tree.text import money


def show_trials(trials: Sequence[Trial]) -> dict[str, Any] | None:
    """Return a table of the settings that were tried on cases held out, None if none were."""
    if not trials:
        return None
    judged = trials[0].saving_error is not None
    return {
        "title": say("tuning.title" if judged else "tuning.title-settings"),
        "columns": [["name", say("tuning.setting"), ""], ["cost", say("tuning.cost"), "money"]],
        "rows": [
            {
                "name": _marked(setting_in_words(one.name), one.chosen),
                "cost": say("plus-minus", amount=money(one.cost), error=money(one.error)),
                "this": one.chosen,
            }
            for one in trials
        ],
        "caption": say("tuning.how" if judged else "tuning.how-settings"),
    }


def _marked(name: str, chosen: bool) -> str:
    return say("tuning.chosen", setting=name) if chosen else name

"""Which setting a search follows, and what cases held out have told of it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from os import PathLike
from typing import Any, NamedTuple

from frugaltree.anytime.checkpoint import write_checkpoint
from frugaltree.engines.cross_validation import Trial, mark_chosen
from frugaltree.engines.exact.objective import Pessimism
from frugaltree.engines.forecast import Forecast
from frugaltree.exceptions import FrugaltreeError


class Choice(NamedTuple):
    """The choice of a setting.

    Attributes
    ----------
    pick
        Which of the settings is followed.
    trials
        What they have cost on cases held out, None before the choice.
    forecast
        What new cases will cost by these, None before the choice or if nothing was held out.
    """

    pick: int = 0
    trials: list[Trial] | None = None
    forecast: Forecast | None = None

    def fitted(self, settings: Sequence[Pessimism], session: Any) -> dict[str, Any]:
        """Return the fitted attributes that come with the choice."""
        setting, told = settings[self.pick], self.forecast
        return {
            "pessimism_": setting.name,
            "cf_": setting.cf,
            "tuning_": self.trials or None,
            "forecast_": told,
            "cv_cost_": None if told is None else told.cost,
            "cv_cost_error_": None if told is None else told.error,
            "_session_": session,
        }

    def state(self) -> dict[str, Any]:
        """Return the choice as a checkpoint keeps it."""
        tuned = None
        if self.trials is not None:
            tuned = [[t.name, t.cost, t.error, t.saving, t.saving_error] for t in self.trials]
        told = None if self.forecast is None else list(astuple(self.forecast))
        return {"pick": self.pick, "tuned": tuned, "forecast": told}

    @classmethod
    def of(cls, state: Mapping[str, Any], settings: Sequence[Pessimism]) -> Choice:
        """Return the choice that a checkpoint has kept."""
        pick, tuned, told = int(state["pick"]), state["tuned"], state["forecast"]
        trials = None
        if tuned is not None:
            found = [Trial(name, {"pessimism": name}, *costs) for name, *costs in tuned]
            trials = mark_chosen(found, {"pessimism": settings[pick].name})
        return cls(pick, trials, None if told is None else Forecast(*told))


def write_search(
    path: str | PathLike[str], digest: Mapping[str, str], state: Mapping[str, Any]
) -> None:
    """Write a search to its file; a failure is no reason to lose the tree."""
    try:
        write_checkpoint(path, digest, state)
    except FrugaltreeError as error:
        warnings.warn(f"the search goes on, but {error}", UserWarning, stacklevel=3)

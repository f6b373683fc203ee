"""What new cases will cost, in words: the one figure that stands at the top everywhere."""

from __future__ import annotations

from typing import NamedTuple

from frugaltree.engines.forecast import Forecast
from frugaltree.messages import Phrase, say
from frugaltree.protocols import CrossValidatedEstimator, Estimator
from frugaltree.tree.text import money


class Figure(NamedTuple):
    """A figure, and what it is."""

    figure: Phrase
    what: Phrase


def forecast_of(estimator: Estimator) -> Forecast | None:
    """Return what new cases will cost by cases held out in training, None where none were."""
    return estimator.forecast_ if isinstance(estimator, CrossValidatedEstimator) else None


def show_forecast(told: Forecast, unit: str | None, by: Phrase) -> list[Figure]:
    """Return the figures of a forecast: what a case costs, and what it saves.

    >>> told = Forecast(24.7, 3.1, 18.5, 31.9, 67.5, 42.8, 35.0, 50.6, 400)
    >>> show_forecast(told, None, say("forecast.held-out"))
    [Figure(figure='24.70', what='per new case (95 %: 18.50 to 31.90), by cases kept aside in
            learning'),
     Figure(figure='42.80 less', what='per case than deciding without tests (95 %: 35.00 to 50.60
            less)')]
    """
    between = interval(told.low, told.high)
    figures = [Figure(money(told.cost, unit), say("forecast.case", interval=between, by=by))]
    if told.saving_low < told.saving_high:
        key = "forecast.less" if told.saving >= 0 else "forecast.more"
        between = interval(told.saving_low, told.saving_high)
        saved = say(key, amount=money(abs(told.saving), unit))
        figures.append(Figure(saved, say("forecast.than", interval=between)))
    return figures


def say_forecast(told: Forecast, unit: str | None) -> str:
    """Return what new cases will cost, in a sentence.

    >>> say_forecast(Forecast(24.7, 3.1, 18.5, 31.9, 67.5, 42.8, 35.0, 50.6, 400), "EUR")
    'A new case costs EUR 24.70 (95 %: 18.50 to 31.90) by cases kept aside, EUR 42.80 less
    than deciding without tests.'
    """
    cost = f"A new case costs {money(told.cost, unit)} ({interval(told.low, told.high)}) by cases"
    if not told.saving_low < told.saving_high:
        return f"{cost} kept aside."
    more = "less" if told.saving >= 0 else "more"
    saved = money(abs(told.saving), unit)
    return f"{cost} kept aside, {saved} {more} than deciding without tests."


def interval(low: float, high: float) -> Phrase:
    """Return an interval in words.

    >>> interval(18.5, 31.9)
    '95 %: 18.50 to 31.90'
    """
    return say("interval", low=money(low), high=money(high))

"""A consultation in words: for ``repr``, ``str``, and the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frugaltree.consult.question import Why
from frugaltree.messages import say
from frugaltree.tree.text import money

if TYPE_CHECKING:
    from frugaltree.consult.consultation import Consultation


def in_short(consultation: Consultation) -> str:
    """Return where a consultation stands, on one line."""
    bill = f"bill {money(consultation.bill, consultation.unit)}"
    if consultation.overrides:
        return f"{consultation.decision} by a person's override; {bill}"
    said = str(consultation.answer).partition(" (")[0]
    if consultation.question is None:
        return f"answers {said}; {bill}"
    return f"{consultation.question}; so far {said}; {bill}"


def in_lines(consultation: Consultation) -> str:
    """Return where a consultation stands, on a few lines."""
    bill: str = money(consultation.bill, consultation.unit)
    if (said := say_budget(consultation)) is not None:
        bill += f" ({said})"
    if consultation.question is None:
        own = f"a person's own answer: {consultation.decision}\n" if consultation.overrides else ""
        return f"{own}answer: {consultation.answer}\nbill: {bill}"
    to_come = span(consultation.still_to_come, consultation.unit)
    return (
        f"{consultation.question}\nanswer so far: {consultation.answer}\n"
        f"bill so far: {bill}, still to come: {to_come}"
    )


def say_budget(consultation: Consultation) -> str | None:
    """Return the budget and which tree it has led to, None where there is none."""
    if consultation.budget is None:
        return None
    unit = consultation.unit
    learned_for = getattr(consultation.model, "max_test_cost", None)
    granted: str = money(consultation.budget, unit)
    if learned_for is None:
        return say("budget", budget=granted)
    return say("budget.tree", budget=granted, tree=money(learned_for, unit))


def span(amounts: tuple[float, float], unit: str | None) -> str:
    """Return the least and the most of an amount.

    >>> span((2.0, 2.5), "EUR"), span((2.0, 2.0), "EUR")
    ('EUR 2.00 to EUR 2.50', 'EUR 2.00')
    """
    least, most = (money(amount, unit) for amount in amounts)
    return least if least == most else say("span", least=least, most=most)


def say_saving(why: Why | None, unit: str | None) -> str:
    """Return what going on saves, in a sentence.

    >>> say_saving(Why(stopping=2.5, tests=2.25, errors=0.0), "EUR")
    'Going on saves EUR 0.25 on average.'
    >>> say_saving(Why(stopping=2.5, tests=2.0, errors=1.0), "EUR")
    'Going on costs EUR 0.50 more than stopping, on average.'
    """
    if why is None:
        return say("saving.unknown")
    key = "saving.none" if why.saving < 0 else "saving"
    return say(key, saved=money(abs(why.saving), unit))


def explain_saving(why: Why | None, unit: str | None) -> str:
    """Return what going on saves and how that comes about.

    >>> explain_saving(Why(stopping=2.5, tests=2.25, errors=0.0), "EUR")
    'To stop here costs EUR 2.50 in errors; to go on costs EUR 2.25 = EUR 2.25 for tests + EUR 0.00
    in errors. Going on saves EUR 0.25 on average.'
    """
    if why is None:
        return say_saving(why, unit)
    return say(
        "saving.explained",
        stopping=money(why.stopping, unit),
        on=money(why.going_on, unit),
        tests=money(why.tests, unit),
        errors=money(why.errors, unit),
        saving=say_saving(why, unit),
    )

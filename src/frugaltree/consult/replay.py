"""A consultation taken up again from its record."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import groupby
from typing import Any

from frugaltree.consult.evidence import answer_at
from frugaltree.consult.guide import Guide
from frugaltree.consult.record import FORMAT, VERSION, digest_of
from frugaltree.consult.state import State, start
from frugaltree.exceptions import FrugaltreeError
from frugaltree.protocols import Estimator

CLOSE = 1e-9
"""Bills that differ by less are the same, whatever the machine."""


def budget_in(record: object) -> Any:
    """Return the budget that a record tells, None where it tells none."""
    return record.get("budget") if isinstance(record, Mapping) else None


def check_record(record: object, estimator: Estimator) -> None:
    """Refuse what is no record, or that of another model."""
    if not isinstance(record, Mapping) or record.get("format") != FORMAT:
        raise FrugaltreeError(
            "this is not the record of a consultation; give what record returns, or what JSON "
            "reads from a file of save_record."
        )
    if record.get("version") != VERSION:
        raise FrugaltreeError(
            f"the record has version {record.get('version')!r}, but this frugaltree reads version "
            f"{VERSION}; use the one that wrote it, frugaltree {record.get('frugaltree')}."
        )
    model = record.get("model")
    digest = f"sha256:{digest_of(estimator)}"
    if not isinstance(model, Mapping) or model.get("digest") != digest:
        raise FrugaltreeError(
            "the record belongs to another model, whose digest is not that of this "
            f"{type(estimator).__name__}; load the model that it was made with."
        )


def replay(guide: Guide, record: Mapping[str, Any]) -> list[State]:
    """Return the states that a record has gone through, the first one before any step.

    What leads elsewhere than the record says is refused: someone has changed it.
    """
    try:
        states = _states(guide, record)
        said = float(record["bill"]), record["final_answer"]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FrugaltreeError(
            f"the record is damaged ({type(error).__name__}: {error}); give it as it was saved."
        ) from error
    end = states[-1]
    if not math.isclose(end.bill, said[0], rel_tol=CLOSE, abs_tol=CLOSE):
        raise _disagrees("a bill", end.bill, said[0])
    decision = _decision(guide, end)
    if decision != said[1]:
        raise _disagrees("an answer", decision, said[1])
    return states


def _states(guide: Guide, record: Mapping[str, Any]) -> list[State]:
    states = [start(guide)]
    told = [(answer.get("step", -i), answer) for i, answer in enumerate(record["answers"])]
    for _, together in groupby(told, key=lambda pair: pair[0]):
        answers = [answer for _, answer in together]
        for answer in answers:
            if answer["how"] not in ("told", "known", "unmeasured"):
                raise ValueError(f"how is {answer['how']!r}")
        given = {answer["test"]: (answer["value"], answer["how"]) for answer in answers}
        times = {answer["test"]: answer["at"] for answer in answers}
        states.append(states[-1].with_facts(guide, given, times))
    if record["stopped"]:
        states.append(replace(states[-1], stopped=True))
    for own in record["overrides"]:
        label = answer_at(guide, states[-1].facts, states[-1].locations).label
        states.append(
            states[-1].with_override(guide, own["label"], label, own["reason"], own["at"])
        )
    return states


def _decision(guide: Guide, end: State) -> Any:
    """Return the final answer, None before the end."""
    if end.overrides:
        return end.overrides[-1].label
    return None if end.is_open else answer_at(guide, end.facts, end.locations).label


def _disagrees(what: str, found: Any, said: Any) -> FrugaltreeError:
    return FrugaltreeError(
        f"the record leads to {what} of {found!r}, but says {said!r}; it was changed after the "
        "consultation, give it as it was saved."
    )

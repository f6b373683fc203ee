"""A consultation on paper: what was asked, told, paid and answered."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from frugaltree._version import __version__
from frugaltree.consult.evidence import Answer
from frugaltree.consult.guide import Fact, Guide
from frugaltree.consult.orders import batches_record
from frugaltree.consult.state import State, now
from frugaltree.costs import Costs
from frugaltree.persist.write import describe
from frugaltree.protocols import Estimator
from frugaltree.table.values import plain_category

FORMAT, VERSION = "frugaltree consultation", 1


def digest_of(estimator: Estimator) -> str:
    """Return the SHA-256 of a model's description, without where and when it was made.

    A model and its copy from a file have the same.
    """
    description = describe(estimator)
    del description["provenance"]
    text = json.dumps(description, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def record_of(
    estimator: Estimator,
    guide: Guide,
    state: State,
    *,
    answer: Answer,
    decision: Any,
    began: str,
    budget: float | None = None,
) -> dict[str, Any]:
    """Return a consultation as plain values that JSON can hold."""
    costs = estimator.costs or Costs()
    granted: dict[str, Any] = {} if budget is None else {"budget": float(budget)}
    if guide.batches is not None:
        granted["batches"] = batches_record(guide.batches)
    return {
        "format": FORMAT,
        "version": VERSION,
        "frugaltree": __version__,
        "model": {"learner": type(estimator).__name__, "digest": f"sha256:{digest_of(estimator)}"},
        "prices": {"unit": costs.unit, "source": costs.source, "date": costs.date},
        **granted,
        "began": began,
        "recorded": now(),
        "answers": [_answer(guide, state, test, fact) for test, fact in state.facts.items()],
        "bill": state.bill,
        "model_answer": answer._asdict(),
        "stopped": state.stopped,
        "overrides": [override._asdict() for override in state.overrides],
        "notes": list(state.notes),
        "final_answer": decision,
    }


def _answer(guide: Guide, state: State, test: int, fact: Fact) -> dict[str, Any]:
    """Return what was said of one test, and what was charged there."""
    charges = [charge for charge in state.charges if charge.test == test]
    step = next(i for i, batch in enumerate(state.batches, 1) if test in batch)
    return {
        "step": step,
        "test": guide.names[test],
        "value": plain_category(fact.value),
        "how": fact.how,
        "price": sum((charge.price for charge in charges), 0.0),
        "paid_for": [guide.names[t] for charge in charges for t in charge.tests],
        "at": fact.at,
    }

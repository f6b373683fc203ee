"""A consultation: one case, step by step."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from reprlib import repr as shortened
from typing import Any, Self

from frugaltree.batches import Batches
from frugaltree.consult.ahead import still_to_come
from frugaltree.consult.evidence import Answer, answer_at
from frugaltree.consult.guide import Guide, How, load_fitted
from frugaltree.consult.orders import batches_in, check_batches
from frugaltree.consult.question import Question, question_of
from frugaltree.consult.record import record_of
from frugaltree.consult.replay import budget_in, check_record, replay
from frugaltree.consult.state import Override, State, now, start
from frugaltree.consult.values import find_test
from frugaltree.consult.wording import in_lines, in_short
from frugaltree.exceptions import FrugaltreeError
from frugaltree.files import write_at_once
from frugaltree.kernels.cost.prices import dearest_prices, lowest_prices
from frugaltree.table import Column, is_missing
from frugaltree.table.values import is_number, is_text

__all__ = ["Consultation"]

_NOTHING = object()


class Consultation:
    """Guide a person through one case: which test next, at what price, when to stop.

    Parameters
    ----------
    model
        A fitted estimator of frugaltree, or the path of a model file.
    budget
        What may be spent on this case, where the model is a repertoire: its tree for that budget
        asks. None is its largest budget.
    batches
        How tests are ordered together, as `Batches` plans it for this model; then a question says
        what to order now, and its price has that of waiting. None asks one test after the other.

    Examples
    --------
    Of eight patients two were ill, those with a fever and a cough. To stop before any test and
    answer ``"well"`` would cost 2/8 * 10 = 2.50 in errors. To go on costs 2 for the fever and,
    for every second patient, 0.50 for the cough, 2.25 in all, and leaves no errors:

    >>> import polars as pl
    >>> from frugaltree import Consultation, Costs, ID3Classifier
    >>> cough = ["no", "yes", "yes", "yes", "no", "no", "yes", "yes"]
    >>> X = pl.DataFrame({"fever": [36, 36, 37, 37, 39, 39, 39, 39], "cough": cough})
    >>> y = ["well", "well", "well", "well", "well", "well", "ill", "ill"]
    >>> costs = Costs({"fever": 2, "cough": 0.5}, errors=10, unit="EUR")
    >>> consultation = Consultation(ID3Classifier(costs).fit(X, y))
    >>> consultation.question.test, consultation.question.threshold, consultation.question.price
    ('fever', 38.0, 2.0)
    >>> consultation.question.why.saving
    0.25
    >>> print(consultation)
    asks fever, EUR 2.00
    answer so far: well, 75 % of 8 cases (95 % interval 41 % to 93 %), weak evidence
    bill so far: EUR 0.00, still to come: EUR 2.00 to EUR 2.50

    The fever is told, and the next question comes; what is known before is free:

    >>> consultation.tell(39.2)
    >>> consultation.question.values, consultation.bill
    (('no', 'yes'), 2.0)
    >>> consultation.know(cough="yes")
    >>> consultation.question is None, consultation.decision, consultation.bill
    (True, 'ill', 2.0)

    Programs loop over the questions:

    >>> case = {"fever": 36.5, "cough": "no"}
    >>> consultation = Consultation(ID3Classifier(costs).fit(X, y))
    >>> for question in consultation:
    ...     consultation.tell(case[question.test])
    >>> consultation
    <Consultation: answers well, 85 % likely, 100 % of 4 cases; bill EUR 2.00>
    """

    def __init__(
        self, model: Any, *, budget: float | None = None, batches: Batches | None = None
    ) -> None:
        self._model = load_fitted(model, budget)
        self._budget = budget
        self._guide = Guide.of(self._model, check_batches(batches, self._model))
        self._began = now()
        self._states = [start(self._guide)]
        self._asked: tuple[State, Question | None] | None = None

    # ------------------------------------------------------------------ standing

    @property
    def _state(self) -> State:
        return self._states[-1]

    @property
    def model(self) -> Any:
        """The fitted estimator."""
        return self._model

    @property
    def budget(self) -> float | None:
        """What may be spent on the case, None where that was not said."""
        return self._budget

    @property
    def tests(self) -> dict[str, Column]:
        """All tests of the model by name, with their kinds and values."""
        return {column.name: column for column in self._guide.tree.columns}

    @property
    def batches(self) -> Batches | None:
        """How tests are ordered together, None where they are asked one after the other."""
        return self._guide.batches

    @property
    def unit(self) -> str | None:
        """What prices are in."""
        return self._guide.unit

    @property
    def question(self) -> Question | None:
        """What to ask next, with its price and what it is worth; None at the end."""
        if self._asked is None or self._asked[0] is not self._state:
            self._asked = self._state, question_of(self._guide, self._state)
        return self._asked[1]

    @property
    def bill(self) -> float:
        """What has been charged for tests so far."""
        return self._state.bill

    @property
    def still_to_come(self) -> tuple[float, float]:
        """The least and the most that can still be charged, if all that is asked is measured."""
        if not self._state.is_open:
            return 0.0, 0.0
        state, guide = self._state, self._guide
        if guide.is_priced(state.facts):
            return still_to_come(guide, state.pending, state.facts, state.path_prices)
        (least, _), (_, most) = (
            still_to_come(
                guide,
                state.pending,
                state.facts,
                state.path_prices._replace(prices=guide.prices_for(state.facts, unsaid)),
            )
            for unsaid in (lowest_prices(guide.prices), dearest_prices(guide.prices))
        )
        return least, most

    @property
    def answer(self) -> Answer:
        """What the tree would answer now, with the evidence for it."""
        return answer_at(self._guide, self._state.facts, self._state.locations)

    @property
    def cost_of_stopping(self) -> float:
        """The expected cost of errors if one takes the tree's answer now."""
        return self.answer.cost

    @property
    def decision(self) -> Any:
        """The final answer, a person's own before the tree's; None before the end."""
        if self._state.is_open:
            return None
        return self._state.overrides[-1].label if self._state.overrides else self.answer.label

    @property
    def overrides(self) -> tuple[Override, ...]:
        """The answers that a person has given instead of the tree's; the last one counts."""
        return self._state.overrides

    @property
    def stopped(self) -> bool:
        """Whether a person has stopped before the last question."""
        return self._state.stopped

    @property
    def notes(self) -> tuple[str, ...]:
        """What was out of the ordinary: values missing, never seen or out of range, overrides."""
        return self._state.notes

    def doubt(self, test: str, value: float) -> str | None:
        """Return how a number lies outside what its test was in training, None if it does not.

        Parameters
        ----------
        test
            The name of a numeric test.
        value
            The number, not told yet.

        Examples
        --------
        >>> from frugaltree import Consultation, ID3Classifier
        >>> consultation = Consultation(ID3Classifier().fit([[29], [77]] * 4, [0, 1] * 4))
        >>> consultation.doubt("x0", 125)
        '125 is above all 8 training cases (29 to 77)'
        """
        find_test(test, self._guide.names)
        return self._guide.say_outside(test, value)

    # --------------------------------------------------------------------- steps

    def tell(self, value: Any = _NOTHING, /, **tests: Any) -> None:
        """Answer the question at hand, or give results by the names of their tests.

        A result that is not asked for yet waits, and is charged when the tree comes to ask for it;
        if it never does, nothing is charged. None says that a test cannot be measured.

        Parameters
        ----------
        value
            The answer to the question at hand.
        **tests
            Results by test, in any order.
        """
        if not self._state.is_open:
            raise self._has_ended()
        if value is not _NOTHING:
            asked = self._asked_name
            if asked in tests:
                raise FrugaltreeError(
                    f"{asked} is given twice, as the answer and by its name; give it once."
                )
            tests = {asked: value, **tests}
        if not tests:
            raise FrugaltreeError(
                "nothing was told; give the answer to the question, as in tell(54), or results "
                "by name, as in tell(age=54)."
            )
        self._add({test: _how(value, "told") for test, value in tests.items()})

    def know(self, /, **tests: Any) -> None:
        """Take values that were at hand before: they are free, open no group, and are not asked.

        Parameters
        ----------
        **tests
            Values by test, in any order; one that is None is left to be asked.
        """
        if self._state.is_closed:
            raise self._has_ended()
        for name in tests:
            find_test(name, self._guide.names)
        known = {name: value for name, value in tests.items() if not is_missing(value)}
        if known:
            self._add({name: (value, "known") for name, value in known.items()})

    def cannot_measure(self, test: str | None = None) -> None:
        """Go on without a test; nothing is charged for it, even if it was ordered before.

        The case then goes the way of the training cases that had no value. Where there were none,
        it ends there or goes on down a branch, whichever costs less. In trees of the C4.5 family
        it follows every branch, and the answer mixes theirs. ``notes`` says which. The evidence
        counts the cases of every branch that is possible.

        Parameters
        ----------
        test
            The test; None is the one at hand.
        """
        if not self._state.is_open:
            raise self._has_ended()
        name = self._asked_name if test is None else test
        self._add({name: (None, "unmeasured")})

    def stop(self) -> None:
        """Take the tree's answer now, without further tests."""
        if not self._state.is_open:
            raise self._has_ended()
        self._states.append(replace(self._state, stopped=True))

    def override(self, label: Any, reason: str = "") -> None:
        """Give one's own answer instead of the tree's; it ends the consultation.

        Parameters
        ----------
        label
            The answer: a class of the model, or any other text or number.
        reason
            Why, for the record.
        """
        if not (is_text(label) or is_number(label)):
            raise FrugaltreeError(
                f"an answer must be text or a number, but is {shortened(label)}; name one."
            )
        end = self._state.with_override(self._guide, label, self.answer.label, str(reason))
        self._states.append(end)

    def undo(self) -> None:
        """Take the last step back, whatever it was; again for the one before."""
        if len(self._states) == 1:
            raise FrugaltreeError(
                "there is nothing to undo, because nothing has been told yet; answer the question "
                "first."
            )
        self._states.pop()

    def __iter__(self) -> Iterator[Question]:
        """Yield questions until there are no more; each must be dealt with before the next."""
        while (question := self.question) is not None:
            before = self._state
            yield question
            if self._state is before:
                raise FrugaltreeError(
                    f"{question.test} was asked but not answered; call tell, cannot_measure, stop "
                    "or override before the next question."
                )

    def _add(self, given: Mapping[str, tuple[Any, How]]) -> None:
        self._states.append(self._state.with_facts(self._guide, given))

    @property
    def _asked_name(self) -> str:
        """The test at hand."""
        asked = self._guide.asked_at(self._state.pending[0].node, self._state.facts)
        return self._guide.names[asked]

    def _has_ended(self) -> FrugaltreeError:
        return FrugaltreeError(
            f"the consultation has ended with the answer {self.decision!r}; take the last step "
            "back with undo, or start a new one for another case."
        )

    # ------------------------------------------------------------------ on paper

    def to_dict(self) -> dict[str, Any]:
        """Return the consultation as plain values that JSON can hold.

        They name the model by its digest, the prices by their date and source, and say in order
        what was told, known or not to be measured, what it cost, and what the answer was.
        :meth:`from_record` takes the consultation up again.
        """
        return record_of(
            self._model,
            self._guide,
            self._state,
            answer=self.answer,
            decision=self.decision,
            began=self._began,
            budget=self._budget,
        )

    def record(self) -> dict[str, Any]:
        """Return the same as :meth:`to_dict`."""
        return self.to_dict()

    @classmethod
    def from_record(
        cls, model: Any, record: Mapping[str, Any], *, batches: Batches | None = None
    ) -> Self:
        """Return a consultation as its record says, to go on with or to look at.

        All that was told is told again, so that the bill, the question and the answer are the
        same, and undo takes the last step back. A record of another model is refused, as is one
        that does not lead to the bill and the answer that it states.

        Parameters
        ----------
        model
            The fitted estimator that was consulted, or the path of its model file.
        record
            What :meth:`to_dict` has returned, or what JSON reads from a file of
            :meth:`save_record`.
        batches
            As at the consultation; None plans them anew as the record says, for the cases that the
            model was learned from.

        Examples
        --------
        >>> from frugaltree import Consultation, Costs, ID3Classifier
        >>> model = ID3Classifier(Costs([3, 5])).fit([[0, 0], [0, 9], [8, 0]], [0, 1, 2])
        >>> consultation = Consultation(model)
        >>> consultation.tell(1)
        >>> again = Consultation.from_record(model, consultation.to_dict())
        >>> again.bill, again.question.test
        (3.0, 'x1')
        """
        model = load_fitted(model, budget := budget_in(record))
        batches = batches_in(record, model) if batches is None else batches
        consultation = cls(model, batches=batches)
        consultation._budget = budget
        check_record(record, consultation._model)
        consultation._states = replay(consultation._guide, record)
        consultation._began = str(record.get("began", consultation._began))
        return consultation

    def save_record(self, path: str | os.PathLike[str]) -> None:
        """Write the record to a JSON file, whole or not at all.

        Parameters
        ----------
        path
            Where to write; a file that is there is replaced.
        """
        text = json.dumps(self.to_dict(), indent=2, ensure_ascii=False)
        write_at_once(path, f"{text}\n".encode("utf-8", "backslashreplace"), "the record")

    def __repr__(self) -> str:
        return f"<Consultation: {in_short(self)}>"

    def __str__(self) -> str:
        return in_lines(self)


def _how(value: Any, how: How) -> tuple[Any, How]:
    return (None, "unmeasured") if is_missing(value) else (value, how)

"""``frugaltree consult``: through one case at the terminal."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding

from frugaltree.app.batches import planned_for
from frugaltree.consult import Answer, Consultation, Question
from frugaltree.consult.guide import load_fitted
from frugaltree.consult.values import find_test, is_grouped, parse_typed
from frugaltree.consult.wording import explain_saving, say_budget, say_saving, span
from frugaltree.exceptions import FrugaltreeError
from frugaltree.messages import find_language, say, translated
from frugaltree.persist import load_model
from frugaltree.table import Column
from frugaltree.tree.text import cases, money, on_one_line, percent

COMMANDS = {
    "?": "why", "-": "unmeasured", "u": "undo", "s": "stop", "o": "override", "q": "quit",
}  # fmt: skip
"""The short form of each command, and its word, which works too."""

MISSING, QUOTED = "-", '"-"'
"""What says that a test cannot be measured, and how it is typed where it is an answer itself."""

CUT, LABEL = "⟦cut⟧", "⟦label⟧"
"""Where text that is set in bold goes."""


def run(
    console: Console,
    model_path: Path,
    *,
    known: list[str],
    record: Path | None,
    as_json: bool,
    budget: float | None = None,
    language: str | None = None,
    batches: dict[str, Any] | None = None,
) -> None:
    """Ask one case's questions on the terminal until there is an answer.

    Parameters
    ----------
    console
        Where to write. With ``as_json`` only the record goes there, the dialogue to stderr.
    model_path
        The model file.
    known
        Values at hand, each as ``"test=value"``.
    record
        Where to save the record; None saves none.
    as_json
        Whether to print the record at the end.
    budget
        What may be spent on the case, where the model is a repertoire.
    language
        The language to talk in; None is that of the terminal, else English.
    batches
        How tests are ordered together and what waiting costs; None asks one after the other.
    """
    talk, spoken = Console(stderr=True) if as_json else console, find_language(language)
    with talk.status(_safe(translated(say("terminal.loading"), spoken))):
        model = load_model(model_path)
        base = load_fitted(model, budget)
        planned = None if batches is None else planned_for(base, **batches)
        consultation = Consultation(model, budget=budget, batches=planned)
    if (said := say_budget(consultation)) is not None:
        said = translated(said, spoken)
        talk.print(f"{_safe(said[0].upper() + said[1:])}.", highlight=False, soft_wrap=True)
    consultation.know(**_known(known, consultation))
    Dialogue(talk, consultation, spoken).run()
    if record is not None:
        consultation.save_record(record)
        where = say("terminal.record", file=str(record))
        talk.print(_safe(translated(where, spoken)), highlight=False, soft_wrap=True)
    if as_json:
        console.print_json(json.dumps(consultation.record()))


def _known(given: list[str], consultation: Consultation) -> dict[str, Any]:
    """Return values given as ``test=value`` by test; a name may itself hold an equals sign."""
    names = sorted(consultation.tests, key=len, reverse=True)
    found: dict[str, Any] = {}
    for item in given:
        if "=" not in item:
            raise FrugaltreeError(say("terminal.no-known", item=repr(item), test=names[-1]))
        name = next((n for n in names if item.startswith(f"{n}=")), item.partition("=")[0])
        find_test(name, list(consultation.tests))
        if name in found:
            raise FrugaltreeError(say("terminal.twice", test=name))
        left_out = say("terminal.leave-out")
        found[name] = _value(item[len(name) + 1 :], consultation.tests[name], left_out)
    return found


def _value(text: str, column: Column, otherwise: str) -> Any:
    """Return what a person has typed as a value; ``otherwise`` is what to do without one.

    >>> _value("240,5", Column("chol", "numeric"), "type -")
    240.5
    >>> _value("1.240,5", Column("chol", "numeric"), "type -")
    Traceback (most recent call last):
    frugaltree.exceptions.FrugaltreeError: chol must be a number, but is '1.240,5'; write digits
    with at most one decimal sign, such as 12.5 or 12,5, or type - if it cannot be measured.
    """
    value = parse_typed(text, column)
    if column.kind != "numeric" or not isinstance(value, str):
        return value
    if is_grouped(value):
        whole, parted = value.replace(",", ""), value.replace(",", ".")
        raise FrugaltreeError(
            say(
                "terminal.grouped", test=column.name, value=repr(value), whole=whole, parted=parted
            )
        )
    raise FrugaltreeError(
        say("terminal.no-number", test=column.name, value=repr(value), otherwise=otherwise)
    )


def _safe(text: object) -> str:
    """Return text that is shown as it is, whatever it holds."""
    return escape(on_one_line(str(text)))


@dataclass
class Dialogue:
    """A consultation as questions and answers on a terminal."""

    console: Console
    consultation: Consultation
    language: str = "en"
    doubted: tuple[str, object] | None = None
    said_notes: list[str] = field(default_factory=list)

    def run(self) -> None:
        """Ask until the person is content with an answer, or quits."""
        self.say(self.text("terminal.help"), style="dim")
        while True:
            question = self.consultation.question
            if question is None:
                self.show_end()
            else:
                self.show(question)
            line = self.read(question)
            if line is None:
                break
        if self.consultation.question is not None:
            self.say(f"\n{self.text('terminal.no-answer')}", style="bold")

    def read(self, question: Question | None) -> str | None:
        """Take lines until one changes something; None ends the dialogue."""
        while True:
            line = self.ask(self.text("terminal.answer" if question else "terminal.accept"))
            if line is None or self.command(line, question) == "quit":
                return None
            if question is None and not line:
                return None
            try:
                if self.take(line, question):
                    return line
            except FrugaltreeError as error:
                said = error.args[0] if error.args else str(error)
                self.say(f"[red]{self.shown(said)}[/]")

    def ask(self, prompt: str) -> str | None:
        """Return a line that a person has typed, None at the end of the input."""
        try:
            line = self.console.input(f"[bold]{prompt}> [/]").strip()
        except EOFError:
            self.console.print()
            return None
        if not sys.stdin.isatty():
            self.console.print(_safe(line), highlight=False)
        return line

    def shown(self, text: object) -> str:
        """Return text in the person's language, shown as it is, whatever it holds."""
        return _safe(translated(text, self.language) if isinstance(text, str) else text)

    def text(self, key: str, **values: Any) -> str:
        """Return a message in the person's language."""
        return self.shown(say(key, **values))

    # ------------------------------------------------------------------ commands

    def command(self, line: str, question: Question | None) -> str | None:
        """Return the command that a line gives; a value of the test is none."""
        word, _, rest = line.casefold().partition(" ")
        if question is not None and line in map(str, question.values):
            return None
        name = COMMANDS.get(word, word if word in COMMANDS.values() else None)
        return name if name == "override" or not rest else None

    def take(self, line: str, question: Question | None) -> bool:
        """Do what a line says; return whether that has changed anything."""
        command = self.command(line, question)
        if command == "why":
            self.explain(question)
            return False
        if command == "undo":
            self.consultation.undo()
        elif command == "override":
            self.override(line)
        elif command == "stop":
            self.consultation.stop()
        elif command == "unmeasured":
            self.consultation.cannot_measure()
        elif question is None:
            self.say(self.text("terminal.at-end"))
            return False
        else:
            return self.tell(line, question)
        return True

    def override(self, line: str) -> None:
        """Take a person's own answer, and ask why."""
        label = line.partition(" ")[2].strip()
        if not label:
            raise FrugaltreeError(say("terminal.no-label"))
        classes = {str(c).casefold(): c for c in self.consultation.model.tree_.answer_names}
        reason = self.ask(self.text("terminal.reason")) or ""
        self.consultation.override(classes.get(label.casefold(), label), reason)

    def tell(self, line: str, question: Question) -> bool:
        """Take a line as the answer to the question; doubt a value that no case had."""
        if not line:
            self.say(self.text("terminal.nothing"))
            return False
        if line == MISSING and MISSING in map(str, question.values):
            self.say(f"[yellow]{self.shown(_say_ambiguous(question))}[/]")
            return False
        if line == QUOTED and MISSING in map(str, question.values):
            line = MISSING
        value = _value(line, self.consultation.tests[question.test], say("terminal.type"))
        if not question.values:
            outside = self.consultation.doubt(question.test, value)
            if outside and math.isfinite(value) and self.doubt(question, value):
                self.say(f"[yellow]{self.text('terminal.doubt', outside=outside)}[/]")
                return False
        elif value not in question.values:
            if (
                _is_numbered(question)
                and line.isdecimal()
                and 0 < int(line) <= len(question.values)
            ):
                value = question.values[int(line) - 1]
            elif self.doubt(question, line):
                close = get_close_matches(line, [str(one) for one in question.values], n=1)
                near = say("terminal.near", value=repr(close[0])) if close else ""
                said = self.text("terminal.unseen", test=question.test, value=line, near=near)
                self.say(f"[yellow]{said}[/]")
                return False
        self.consultation.tell(value)
        return True

    def doubt(self, question: Question, value: object) -> bool:
        """Doubt a value, unless that was done just before; return whether it is in doubt now."""
        before, self.doubted = self.doubted, (question.test, value)
        return before != self.doubted

    # ------------------------------------------------------------------- showing

    def say(self, text: str, indent: int = 0, style: str = "") -> None:
        """Print one paragraph."""
        self.console.print(
            Padding(text, (0, 0, 0, indent), expand=False), style=style, highlight=False
        )

    def show(self, question: Question) -> None:
        """Show where the case stands and what is asked next."""
        self.show_notes()
        consultation = self.consultation
        bill = money(consultation.bill, question.unit)
        to_come = span(consultation.still_to_come, question.unit)
        self.console.print()
        self.say(f"[bold]{_safe(question.test)}[/]  {self.price(question)}")
        self.say(self.choices(question), 2)
        self.line("terminal.why", self.shown(say_saving(question.why, question.unit)))
        self.line("terminal.so-far", self.evidence(consultation.answer))
        bill_to_come = f"[dim]· {self.text('terminal.to-come')}:[/] {self.shown(to_come)}"
        self.line("terminal.bill-so-far", f"{self.shown(bill)} {bill_to_come}")

    def line(self, key: str, text: str) -> None:
        """Print what something is, and its text."""
        self.say(f"[dim]{self.text(key)}:[/] {text}", 2)

    def price(self, question: Question) -> str:
        """Return what answering costs now."""
        price = self.shown(money(question.price, question.unit))
        if question.is_paid and not question.price:
            return self.text("terminal.ordered")
        along = ", ".join(question.ordered_along)
        if along:
            return f"[bold]{price}[/], {self.text('terminal.orders', tests=along)}"
        later = f", {self.text('terminal.later')}" if question.delayed else ""
        if question.price < question.full_price:
            full = money(question.full_price, question.unit)
            later += f" ({self.text('terminal.alone', price=full)})"
        return f"[bold]{price if question.price else self.text('free')}[/]{later}"

    def explain(self, question: Question | None) -> None:
        """Say how the worth of a question comes about."""
        if question is None:
            self.say(f"{self.evidence(self.consultation.answer)}.", 2)
            return
        self.say(self.shown(explain_saving(question.why, question.unit)), 2)
        if question.ordered_along:
            delayed = self.consultation.batches is None
            self.say(self.text("terminal.order" if delayed else "terminal.batch"), 2)
        if len(question.thresholds) > 1:
            cuts = say("joined", texts=[_cut(cut) for cut in question.thresholds], by=", ")
            self.say(self.text("terminal.cuts", test=question.test, cuts=cuts), 2)
        self.say(self.text("terminal.help"), 2, style="dim")

    def show_notes(self) -> None:
        """Show the notes that are new since the last question."""
        notes = list(self.consultation.notes)
        for note in notes[len(self.said_notes) :] if _begins(notes, self.said_notes) else []:
            self.say(f"[yellow]{self.text('terminal.note')}:[/] {self.shown(note)}")
        self.said_notes = notes

    def show_end(self) -> None:
        """Show the answer, the evidence for it, and the bill."""
        self.show_notes()
        consultation = self.consultation
        self.console.print()
        self.say(f"{self.text('terminal.end')}: [bold]{_safe(consultation.decision)}[/]")
        evidence = self.evidence(consultation.answer)
        self.line("terminal.own" if consultation.overrides else "terminal.evidence", evidence)
        self.line("terminal.bill", self.shown(money(consultation.bill, consultation.unit)))
        if not consultation.overrides:
            cost = money(consultation.cost_of_stopping, consultation.unit)
            self.line("terminal.errors", self.shown(cost))

    def choices(self, question: Question) -> str:
        """Return what can be answered."""
        if not question.values:
            cut = f"[bold]{self.shown(say('short', value=question.threshold))}[/]"
            return self.text("terminal.number", cut=CUT).replace(CUT, cut)
        if _is_numbered(question):
            return "   ".join(
                f"[bold cyan]{number}[/] {_safe(value)}"
                for number, value in enumerate(question.values, 1)
            )
        values = " · ".join(str(value) for value in question.values)
        return self.text("terminal.one-of", values=values)

    def evidence(self, answer: Answer) -> str:
        """Return an answer with its evidence, weak evidence marked."""
        said = self.text(
            "evidence.decision" if answer.is_decision else "evidence",
            answer=LABEL,
            because=answer.because,
            likely=answer.likely,
            of=str(answer.of),
            share=percent(answer.share),
            cases=cases(answer.cases),
            low=percent(answer.low),
            high=percent(answer.high),
            weak="",
        ).replace(LABEL, f"[bold]{_safe(answer.label)}[/]", 1)
        return f"{said}[yellow]{self.text('evidence.weak')}[/]" if answer.weak else said


def _begins(notes: list[str], said: list[str]) -> bool:
    return notes[: len(said)] == said


def _is_numbered(question: Question) -> bool:
    """Tell whether choices get numbers: not where the values are numbers themselves."""
    return not any(isinstance(value, bool) or _is_number(str(value)) for value in question.values)


def _say_ambiguous(question: Question) -> str:
    """Return how to answer where ``-`` is one of the values."""
    place = [str(value) for value in question.values].index(MISSING) + 1
    how = str(place) if _is_numbered(question) else say("terminal.quoted", value=QUOTED)
    return say("terminal.ambiguous", how=how)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _cut(cut: object) -> str:
    return say("short", value=cut) if isinstance(cut, float) else str(cut)

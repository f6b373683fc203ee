"""``frugaltree consult``: through one case at the terminal."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
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
from frugaltree.exceptions import FrugaltreeError, did_you_mean
from frugaltree.persist import load_model
from frugaltree.table import Column
from frugaltree.tree.text import cases, money, on_one_line, percent

COMMANDS = {
    "?": "why", "-": "unmeasured", "u": "undo", "s": "stop", "o": "override", "q": "quit",
}  # fmt: skip
"""The short form of each command, and its word, which works too."""

HELP = "? why · - cannot be measured · u undo · s stop and answer · o LABEL own answer · q quit"

MISSING, QUOTED = "-", '"-"'
"""What says that a test cannot be measured, and how it is typed where it is an answer itself."""

ANSWER = "your answer> "
ACCEPT = "Enter to accept (u back, o LABEL own answer)> "


def run(
    console: Console,
    model_path: Path,
    *,
    known: list[str],
    record: Path | None,
    as_json: bool,
    budget: float | None = None,
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
    batches
        How tests are ordered together and what waiting costs; None asks one after the other.
    """
    talk = Console(stderr=True) if as_json else console
    with talk.status("Loading the model"):
        model = load_model(model_path)
        base = load_fitted(model, budget)
        planned = None if batches is None else planned_for(base, **batches)
        consultation = Consultation(model, budget=budget, batches=planned)
    if (said := say_budget(consultation)) is not None:
        talk.print(f"{_safe(said[0].upper() + said[1:])}.", highlight=False, soft_wrap=True)
    consultation.know(**_known(known, consultation))
    Dialogue(talk, consultation).run()
    if record is not None:
        consultation.save_record(record)
        talk.print(f"The record is in [bold]{_safe(record)}[/].", highlight=False, soft_wrap=True)
    if as_json:
        console.print_json(json.dumps(consultation.record()))


def _known(given: list[str], consultation: Consultation) -> dict[str, Any]:
    """Return values given as ``test=value`` by test; a name may itself hold an equals sign."""
    names = sorted(consultation.tests, key=len, reverse=True)
    found: dict[str, Any] = {}
    for item in given:
        if "=" not in item:
            raise FrugaltreeError(
                f"{item!r} is no known value; write it as test=value, such as {names[-1]}=1."
            )
        name = next((n for n in names if item.startswith(f"{n}=")), item.partition("=")[0])
        find_test(name, list(consultation.tests))
        if name in found:
            raise FrugaltreeError(f"{name} is given twice as known; give it once.")
        found[name] = _value(item[len(name) + 1 :], consultation.tests[name], "leave it out")
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
        raise FrugaltreeError(
            f"{column.name} is {value!r}, which can mean {value.replace(',', '')} or "
            f"{value.replace(',', '.')}; write it as one of these."
        )
    raise FrugaltreeError(
        f"{column.name} must be a number, but is {value!r}; write digits with at most one decimal "
        f"sign, such as 12.5 or 12,5, or {otherwise} if it cannot be measured."
    )


def _safe(text: object) -> str:
    """Return text that is shown as it is, whatever it holds."""
    return escape(on_one_line(str(text)))


@dataclass
class Dialogue:
    """A consultation as questions and answers on a terminal."""

    console: Console
    consultation: Consultation
    doubted: tuple[str, object] | None = None
    said_notes: list[str] = field(default_factory=list)

    def run(self) -> None:
        """Ask until the person is content with an answer, or quits."""
        self.say(HELP, style="dim")
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
            self.say("\nEnded without an answer.", style="bold")

    def read(self, question: Question | None) -> str | None:
        """Take lines until one changes something; None ends the dialogue."""
        while True:
            line = self.ask(ANSWER if question else ACCEPT)
            if line is None or self.command(line, question) == "quit":
                return None
            if question is None and not line:
                return None
            try:
                if self.take(line, question):
                    return line
            except FrugaltreeError as error:
                self.say(f"[red]{_safe(error)}[/]")

    def ask(self, prompt: str) -> str | None:
        """Return a line that a person has typed, None at the end of the input."""
        try:
            line = self.console.input(f"[bold]{prompt}[/]").strip()
        except EOFError:
            self.console.print()
            return None
        if not sys.stdin.isatty():
            self.console.print(_safe(line), highlight=False)
        return line

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
            self.say(
                "There is nothing more to ask: Enter accepts, u goes back, o LABEL overrides."
            )
            return False
        else:
            return self.tell(line, question)
        return True

    def override(self, line: str) -> None:
        """Take a person's own answer, and ask why."""
        label = line.partition(" ")[2].strip()
        if not label:
            raise FrugaltreeError("an own answer needs its label; type it as in: o healthy.")
        classes = {str(c).casefold(): c for c in self.consultation.model.tree_.answer_names}
        reason = self.ask("why (Enter for no reason)> ") or ""
        self.consultation.override(classes.get(label.casefold(), label), reason)

    def tell(self, line: str, question: Question) -> bool:
        """Take a line as the answer to the question; doubt a value that no case had."""
        if not line:
            self.say("Type an answer, or - if it cannot be measured.")
            return False
        if line == MISSING and MISSING in map(str, question.values):
            self.say(_say_ambiguous(question))
            return False
        if line == QUOTED and MISSING in map(str, question.values):
            line = MISSING
        value = _value(line, self.consultation.tests[question.test], "type -")
        if not question.values:
            outside = self.consultation.doubt(question.test, value)
            if outside and math.isfinite(value) and self.doubt(question, value):
                self.say(
                    f"[yellow]{_safe(outside)}. Is that right? Type it again to take it, or "
                    "correct it.[/]"
                )
                return False
        elif value not in question.values:
            if (
                _is_numbered(question)
                and line.isdecimal()
                and 0 < int(line) <= len(question.values)
            ):
                value = question.values[int(line) - 1]
            elif self.doubt(question, line):
                self.say(
                    f"[yellow]No training case had {_safe(question.test)} = {_safe(line)}."
                    f"{_safe(did_you_mean(line, question.values))} Type it again to take it as a "
                    "value never seen before.[/]"
                )
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
        for line in _choices(question):
            self.say(line, 2)
        self.say(f"[dim]Why:[/] {_safe(say_saving(question.why, question.unit))}", 2)
        self.say(f"[dim]Answer so far:[/] {_in_words(consultation.answer)}", 2)
        self.say(
            f"[dim]Bill so far:[/] {_safe(bill)} [dim]· still to come:[/] {_safe(to_come)}", 2
        )

    def price(self, question: Question) -> str:
        """Return what answering costs now."""
        price = _safe(money(question.price, question.unit))
        if question.is_paid and not question.price:
            return "result of what was ordered, nothing more to pay"
        along = ", ".join(_safe(name) for name in question.ordered_along)
        if along:
            return f"[bold]{price}[/], result later: orders {along} along with it"
        later = ", result later" if question.delayed else ""
        if question.price < question.full_price:
            full = _safe(money(question.full_price, question.unit))
            later += f" (alone {full}; what it shares with others is paid)"
        return f"[bold]{price if question.price else 'free'}[/]{later}"

    def explain(self, question: Question | None) -> None:
        """Say how the worth of a question comes about."""
        if question is None:
            self.say(f"{_in_words(self.consultation.answer)}.", 2)
            return
        self.say(_safe(explain_saving(question.why, question.unit)), 2)
        if question.ordered_along:
            self.say(
                "The result comes later, so that everything that may be needed after it is "
                "ordered, and paid, now."
                if self.consultation.batches is None
                else "This is ordered together, and its price has what waiting costs.",
                2,
            )
        for line in _cuts(question):
            self.say(line, 2)
        self.say(HELP, 2, style="dim")

    def show_notes(self) -> None:
        """Show the notes that are new since the last question."""
        notes = list(self.consultation.notes)
        for note in notes[len(self.said_notes) :] if _begins(notes, self.said_notes) else []:
            self.say(f"[yellow]Note:[/] {_safe(note)}")
        self.said_notes = notes

    def show_end(self) -> None:
        """Show the answer, the evidence for it, and the bill."""
        self.show_notes()
        consultation = self.consultation
        self.console.print()
        self.say(f"Answer: [bold]{_safe(consultation.decision)}[/]")
        if consultation.overrides:
            self.say(f"[dim]Your own answer; the tree's:[/] {_in_words(consultation.answer)}", 2)
        else:
            self.say(f"[dim]Evidence:[/] {_in_words(consultation.answer)}", 2)
        self.say(f"[dim]Bill:[/] {_safe(money(consultation.bill, consultation.unit))}", 2)
        if not consultation.overrides:
            cost = _safe(money(consultation.cost_of_stopping, consultation.unit))
            self.say(f"[dim]Expected cost of errors, by these cases:[/] {cost}", 2)


def _begins(notes: list[str], said: list[str]) -> bool:
    return notes[: len(said)] == said


def _is_numbered(question: Question) -> bool:
    """Tell whether choices get numbers: not where the values are numbers themselves."""
    return not any(isinstance(value, bool) or _is_number(str(value)) for value in question.values)


def _say_ambiguous(question: Question) -> str:
    """Return how to answer where ``-`` is one of the values."""
    place = [str(value) for value in question.values].index(MISSING) + 1
    how = str(place) if _is_numbered(question) else f"{QUOTED} in quotes"
    return (
        f"[yellow]- is an answer here, and can also mean that it cannot be measured; type {how} "
        "for the answer, or unmeasured.[/]"
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _choices(question: Question) -> Iterator[str]:
    """Yield the lines that say what can be answered."""
    if not question.values:
        yield f"a number; what matters here is up to [bold]{question.threshold:.10g}[/], or above"
    elif _is_numbered(question):
        yield "   ".join(
            f"[bold cyan]{number}[/] {_safe(value)}"
            for number, value in enumerate(question.values, 1)
        )
    else:
        yield f"one of: {' · '.join(_safe(value) for value in question.values)}"


def _cuts(question: Question) -> Iterator[str]:
    """Yield where the values of a test are told apart from here on."""
    if len(question.thresholds) > 1:
        cuts = ", ".join(
            f"{cut:.10g}" if isinstance(cut, float) else _safe(cut) for cut in question.thresholds
        )
        yield f"From here on {_safe(question.test)} is told apart at {cuts}."


def _in_words(answer: Answer) -> str:
    """Return an answer with its evidence, weak evidence marked."""
    about = "right for "
    if answer.is_decision:
        about = f"{_safe(answer.of)}: "
    words = (
        f"[bold]{_safe(answer.label)}[/]{_safe(answer.because)}, {answer.likely}{about}"
        f"{percent(answer.share)} of {cases(answer.cases)} like this "
        f"(95 % interval {percent(answer.low)} to {percent(answer.high)})"
    )
    return f"{words}, [yellow]weak evidence[/]" if answer.weak else words

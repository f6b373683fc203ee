"""Errors and warnings a user can act on: what is wrong, what was given, what to do."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class FrugaltreeError(ValueError):
    """Base of every error that frugaltree raises on purpose."""


class InvalidCosts(FrugaltreeError):
    """The price list contradicts itself or does not fit the table."""


class InvalidTable(FrugaltreeError, TypeError):
    """The table of cases cannot be read as tests and classes."""


class InvalidModel(FrugaltreeError):
    """A model file is damaged, foreign, or newer than this version."""


class InvalidCheckpoint(FrugaltreeError):
    """A checkpoint is damaged, foreign, newer than this version, or of another search."""


class MissingFile(FrugaltreeError, FileNotFoundError):
    """A file that a call needs is not there."""


class IdentifierWarning(UserWarning):
    """A column looks like the number or the name of each case, of which nothing can be learned.

    Attributes
    ----------
    column
        Its name.
    remark
        What it is like.

    Examples
    --------
    >>> print(IdentifierWarning("id", "column 'id' has 60 values in 60 cases"))
    column 'id' has 60 values in 60 cases, as an identifier would; drop it, or name it under
    never_ask in the costs.
    """

    def __init__(self, column: str, remark: str) -> None:
        super().__init__(column, remark)
        self.column, self.remark = column, f"{remark}, as an identifier would"

    def __str__(self) -> str:
        return f"{self.remark}; drop it, or name it under never_ask in the costs."


class DateWarning(IdentifierWarning):
    """A column holds dates, each of which would be an answer of its own.

    >>> print(DateWarning("day", "2024-03-01").remark)
    column 'day' holds dates such as 2024-03-01, which say nothing of later cases
    """

    def __init__(self, column: str, example: str) -> None:
        super().__init__(column, example)
        self.remark = (
            f"column {column!r} holds dates such as {example}, which say nothing of later cases"
        )


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """Return a hint that names the nearest known name, or nothing.

    >>> did_you_mean("choll", ["age", "chol"])
    " Did you mean 'chol'?"
    >>> did_you_mean("zzz", ["age", "chol"])
    ''
    """
    names = {str(option): option for option in known}
    close = get_close_matches(str(name), names, n=1)
    return f" Did you mean {names[close[0]]!r}?" if close else ""

"""The forms a tree can be exported in, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from frugaltree.exceptions import FrugaltreeError, did_you_mean
from frugaltree.export.dot import to_dot
from frugaltree.export.mermaid import to_mermaid
from frugaltree.export.onnx import to_onnx
from frugaltree.export.python import to_python
from frugaltree.export.rules import to_rules
from frugaltree.export.sql import to_sql
from frugaltree.protocols import Estimator


class Format(NamedTuple):
    """A form of export.

    Attributes
    ----------
    function
        Takes a fitted learner and returns text, or bytes for a file.
    suffix
        What files of this form end with.
    """

    function: Callable[[Estimator], str | bytes]
    suffix: str


FORMATS: dict[str, Format] = {
    "dot": Format(to_dot, ".dot"),
    "mermaid": Format(to_mermaid, ".mmd"),
    "onnx": Format(to_onnx, ".onnx"),
    "python": Format(to_python, ".py"),
    "rules": Format(to_rules, ".txt"),
    "sql": Format(to_sql, ".sql"),
}
"""Every form, by its name."""


def export(estimator: Estimator, format: str) -> str | bytes:
    """Return a tree in a form that is named.

    Parameters
    ----------
    estimator
        A fitted learner of frugaltree.
    format
        One of the names in :data:`FORMATS`.

    Examples
    --------
    >>> from frugaltree import ID3Classifier
    >>> learner = ID3Classifier().fit([[1], [2], [4]], ["no", "no", "yes"])
    >>> print(export(learner, "rules"), end="")
    IF x0 <= 3 THEN no (2 cases, 100 %)
    IF x0 > 3 THEN yes (1 case, 100 %)
    IF x0 missing THEN no (the node's own answer)
    >>> export(learner, "sqlite")
    Traceback (most recent call last):
    frugaltree.exceptions.FrugaltreeError: 'sqlite' is no form of export; give one of dot, mermaid,
    onnx, python, rules, sql. Did you mean 'sql'?
    """
    if not isinstance(format, str) or format not in FORMATS:
        raise FrugaltreeError(
            f"{format!r} is no form of export; give one of {', '.join(FORMATS)}."
            f"{did_you_mean(format, FORMATS)}"
        )
    return FORMATS[format].function(estimator)

"""All that can be seen of a fitted learner from outside, as text, floats to the last bit.

Only public names are used, so that two versions of the package can be held against each other,
whatever their inner shape. See ``same_results.py``.
"""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from random_problems import Problem

ATTRIBUTES = (
    "expected_cost_", "expected_test_cost_", "expected_error_cost_", "objective_", "lower_bound_",
    "gap_", "termination_", "cv_cost_", "cv_cost_error_", "pessimism_", "w_", "cf_",
    "test_usage_", "class_frequencies_", "classes_",
)  # fmt: skip
FORMATS = ("python", "sql", "rules", "dot", "mermaid")
"""Exports that need no further library."""

LONGEST = 20_000
"""Characters of a value that are kept; of the whole, a digest."""

Fields = dict[str, str]


def fit(estimator: Any, problem: Problem) -> None:
    """Fit once, or twice where a search can go on from the last one."""
    estimator.fit(problem.X, problem.y, problem.weights)
    if getattr(estimator, "warm_start", False):
        estimator.set_params(max_steps=2 * estimator.max_steps)
        estimator.fit(problem.X, problem.y, problem.weights)


def observe(estimator: Any, problem: Problem, *, more: bool) -> Fields:
    """Fit, and return everything that can be seen; exports and a consultation if asked for."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        failure = attempt(fit, estimator, problem)
        if failure is not None:
            return {"fit": failure}
        fields = seen_of(estimator, problem, more=more) | model_file(estimator)
        if more:
            fields |= {f"export {name}": attempt(exported, estimator, name) for name in FORMATS}
            fields["consultation"] = attempt(consult, estimator, problem)
    fields["warnings"] = "\n".join(f"{w.category.__name__}: {w.message}" for w in caught)
    return fields


def attempt(function: Callable[..., Any], *args: Any) -> Any:
    """Return what a function returns, or the error that it raises as text."""
    try:
        return function(*args)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def seen_of(estimator: Any, problem: Problem, *, more: bool = True) -> Fields:
    """Return the tree, attributes, answers, bills and scores of a fitted learner."""
    fields = {"to_text": attempt(estimator.to_text)}
    for name in ATTRIBUTES:
        if hasattr(estimator, name):
            fields[name] = exact(getattr(estimator, name))
    for name in ("predict", "predict_proba", "bill"):
        fields[name] = exact(attempt(getattr(estimator, name), problem.rows))
    for name in ("score", "total_cost")[: 1 + more]:  # the first one contains the second
        score = partial(getattr(estimator, name), sample_weight=problem.weights)
        fields[name] = exact(attempt(score, problem.X, problem.y))
    return fields


def exact(value: Any) -> str:
    """Return a value as text that tells every bit of it; a long one is cut and hashed."""
    text = repr(value.tolist() if hasattr(value, "tolist") else value)
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}... {len(text)} characters, {sha256(text.encode()).hexdigest()}"


def model_file(estimator: Any) -> Fields:
    """Return the text of the model file, without what depends on the time and the versions.

    What tells of the search stands apart, the seconds of its history left out.
    """
    from frugaltree import save_model

    with scratch_folder() as folder:
        failure = attempt(save_model, estimator, folder / "model.json")
        if failure is not None:
            return {"model file": failure}
        lines = (folder / "model.json").read_text(encoding="utf-8").splitlines()
    fields, kept = {}, []
    for line in lines:
        name, _, value = line.strip().rstrip(",").partition(": ")
        name = name.strip('"')
        if name == "history":
            fields["history"] = exact(attempt(without_seconds, json.loads(value)))
        elif name in ("tuning", "generations"):
            fields[name] = value
        elif name not in ("created", "frugaltree", "python"):
            kept.append(line)
    return {**fields, "model file": "\n".join(kept)}


def without_seconds(history: list[list[float]]) -> list[list[float]]:
    """Return what was known at each moment of a history, but not when."""
    return [moment[1:] for moment in history]


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Give a folder for a moment, in memory where that can be: every model file is synced."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)


def exported(estimator: Any, name: str) -> str:
    """Return the tree in another form."""
    from frugaltree.export import export

    return str(export(estimator, name))


def consult(estimator: Any, problem: Problem) -> str:
    """Return what is asked and said about the last row, step by step."""
    from frugaltree import Consultation

    case, consultation = last_row(problem.rows), Consultation(estimator)
    said = []
    for question in consultation:
        said.append(f"{consultation}\n{question.test}, {question.price!r}")
        consultation.tell(case[question.test])
    answer = exact([consultation.decision, consultation.bill, *consultation.notes])
    return "\n".join([*said, str(consultation), answer])


def last_row(X: Any) -> dict[str, Any]:
    """Return the last row of a table by the names of its columns."""
    if hasattr(X, "iloc"):
        return dict(X.iloc[-1])
    if hasattr(X, "row"):
        return dict(X.row(-1, named=True))
    return {f"x{a}": value for a, value in enumerate(X[-1].tolist())}


def describe_costs(costs: Any) -> Fields:
    """Return a price list as text, and the numbers that are made from it."""
    fields = {"repr": repr(costs), "toml": attempt(costs.to_toml)}
    for name in ("total", "ratio", "w", "cf"):
        fields[name] = exact(attempt(getattr(costs, name)))
    return fields

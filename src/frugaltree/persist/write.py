"""Saving a model: from a fitted learner to a file that is never half written."""

from __future__ import annotations

import datetime
import json
import math
import os
import platform
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from numbers import Number
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from frugaltree._version import __version__
from frugaltree.costs.toml import as_data
from frugaltree.estimators.repertoire import Repertoire
from frugaltree.exceptions import InvalidModel
from frugaltree.files import write_at_once
from frugaltree.persist.check import Defect, is_value
from frugaltree.persist.fields import (
    FITTED,
    FORMAT,
    LABEL_TYPES,
    LEARNERS,
    NEW_PARAMETERS,
    STRATEGIES,
    VERSION,
    WITH_DECISIONS,
    WITHOUT_DECISIONS,
    StoredAttribute,
    fitted_of,
)
from frugaltree.persist.read import parse, restore
from frugaltree.persist.repertoire import describe_repertoire
from frugaltree.protocols import Estimator
from frugaltree.strategies import Strategy

MUST_BE_FINITE = (
    "expected_test_cost_", "expected_error_cost_", "expected_cost_", "objective_", "lower_bound_",
)  # fmt: skip
"""What a model is judged by: a file without such a number would be worth nothing."""


def save_model(
    estimator: Estimator,
    path: str | os.PathLike[str],
    *,
    data_digest: str | None = None,
    data_file: str | None = None,
    strategies: Sequence[Strategy] = (),
) -> None:
    """Write a fitted learner to a JSON file.

    The file is replaced at once: whatever goes wrong, a file that was there before survives.

    Parameters
    ----------
    estimator
        A fitted learner of frugaltree.
    path
        Where to write.
    data_digest
        A fingerprint of the training data, kept in the file for people to compare.
    data_file
        The name of the file that the training data came from, for the foot of pages.
    strategies
        What other strategies cost on the training cases, as
        :func:`frugaltree.report.compare_with_baselines` returns them; kept for pages and
        pictures.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from frugaltree import Costs, EG2Classifier, load_model, save_model
    >>> model = EG2Classifier(Costs([9, 4])).fit([[0, 0], [0, 0], [1, 1], [1, 1]], [0, 0, 1, 1])
    >>> with TemporaryDirectory() as folder:
    ...     save_model(model, Path(folder) / "model.json")
    ...     copy = load_model(Path(folder) / "model.json")
    >>> copy.predict([[1, 1]]), copy.bill([[1, 1]])
    (array([1]), array([4.]))
    """
    whole = isinstance(estimator, Repertoire)
    if not whole and LEARNERS.get(type(estimator).__name__) is not type(estimator):
        raise InvalidModel(
            f"a {type(estimator).__name__} cannot be kept in a model file; pass a fitted learner "
            f"of frugaltree itself, one of {', '.join(LEARNERS)}, or a Repertoire."
        )
    check_is_fitted(estimator)
    try:
        if isinstance(estimator, Repertoire):
            described = describe_repertoire(
                estimator, lambda one: describe(one, data_digest, data_file=data_file), _plain
            )
        else:
            described = describe(estimator, data_digest, strategies, data_file)
        text = _lay_out(described)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            restore(parse(text))
    except Defect as defect:
        raise InvalidModel(
            f"this model cannot be kept in a file, because {defect}; fit it without that."
        ) from None
    write_at_once(path, text.encode("utf-8", "backslashreplace"), "the model")


def describe(
    estimator: Estimator,
    data_digest: str | None = None,
    strategies: Sequence[Strategy] = (),
    data_file: str | None = None,
) -> dict[str, Any]:
    """Return the model as plain values, section by section."""
    tree = estimator.tree_.to_dict()
    columns, classes = tree.pop("columns"), _plain(tree.pop("classes"))
    if "answers" in tree:
        tree["answers"] = _plain(tree["answers"])
    for column in columns:
        column["categories"] = [_plain_category(value) for value in column["categories"]]
    costs = estimator.costs
    return {
        "format": FORMAT,
        "version": version_of(estimator),
        "learner": type(estimator).__name__,
        "parameters": _parameters(estimator),
        "costs": None if costs is None else as_data(costs),
        "classes": {"dtype": _label_type(estimator.classes_.dtype), "values": classes},
        "columns": columns,
        "tree": tree,
        "training": _training(estimator, strategies),
        "provenance": _provenance(estimator, data_digest, data_file),
    }


def version_of(estimator: Estimator) -> int:
    """Return the oldest version of files that can hold a model."""
    if estimator.tree_.mean_errors is not None:
        return VERSION
    costs = estimator.costs
    if any(getattr(estimator, name, None) is not None for name in NEW_PARAMETERS):
        return VERSION
    if costs is None:
        return WITHOUT_DECISIONS
    ruled = costs.first or costs.requires or costs.together
    if costs.waiting is not None or ruled or costs.price_if:
        return VERSION
    return WITHOUT_DECISIONS if costs.decisions is None else WITH_DECISIONS


def _training(estimator: Estimator, strategies: Sequence[Strategy]) -> dict[str, Any]:
    """Return what the fit has left beside the tree: what all learners keep comes first."""
    values = vars(estimator)
    fitted = {
        name: _as_kept(name, _plain(_as_written(values[name], kept)))
        for name, kept in fitted_of(type(estimator)).items()
        if name in values
    }
    common = {name.removesuffix("_"): fitted.pop(name) for name in [*fitted] if name in FITTED}
    compared = {STRATEGIES: [_finite(_plain(one)) for one in strategies]} if strategies else {}
    return {
        "cases": float(estimator.tree_.weights[0]),
        "named_columns": "feature_names_in_" in values,
        **common,
        **compared,
        **{name.removesuffix("_"): value for name, value in fitted.items()},
    }


def _as_written(value: Any, kept: StoredAttribute) -> Any:
    """Return a fitted attribute in the form that files have."""
    return value if value is None or kept.write is None else kept.write(value)


def _provenance(
    estimator: Estimator, data_digest: str | None, data_file: str | None
) -> dict[str, Any]:
    """Return what tells how a model came about; nobody computes with it."""
    said = {"data_digest": data_digest, "data_file": data_file}
    return {
        "frugaltree": __version__,
        "python": platform.python_version(),
        "random_state": _parameters(estimator).get("random_state"),
        "created": datetime.datetime.now(datetime.UTC).date().isoformat(),
        **{key: str(text) for key, text in said.items() if text is not None},
    }


def _parameters(estimator: Estimator) -> dict[str, Any]:
    """Return the parameters that JSON can hold; a live random state becomes null.

    Weights of classes and directions of tests become pairs, since keys of JSON are text. A file on
    this machine, where a search is kept, is none of the model's.
    """
    given = estimator.get_params(deep=False).items()
    plain = {name: _plain(v) for name, v in given if name not in ("costs", "checkpoint")}
    for name in NEW_PARAMETERS:  # versions before 4 do not know them
        if plain.get(name, 0) is None:
            del plain[name]
    if isinstance(weights := getattr(estimator, "class_weight", None), Mapping):
        plain["class_weight"] = _plain(list(weights.items()))
    monotone = getattr(estimator, "monotone", None)
    if isinstance(monotone, Mapping):
        plain["monotone"] = _plain(list(monotone.items()))
    if not isinstance(plain.get("random_state"), int | None):
        plain["random_state"] = None
    return {name: v for name, v in plain.items() if _is_json(v)}


def _is_json(value: object) -> bool:
    """Tell whether JSON can hold a parameter."""
    if isinstance(value, list):
        return all(_is_json(element) for element in value)
    return value is None or is_value(value)


def _plain(value: Any) -> Any:
    """Return arrays, NumPy's scalars and records as Python's own values."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(element) for key, element in value.items()}
    return [_plain(element) for element in value] if isinstance(value, list | tuple) else value


def _as_kept(name: str, value: Any) -> Any:
    """Return a fitted attribute as JSON may hold it; a cost that is what counts must be finite."""
    return value if name in MUST_BE_FINITE else _finite(value)


def _finite(value: Any) -> Any:
    """Return plain values with null for what JSON has no number for."""
    if isinstance(value, dict):
        return {key: _finite(element) for key, element in value.items()}
    if isinstance(value, list):
        return [_finite(element) for element in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _plain_category(value: Any) -> Any:
    """Return a category as a bool, number or text; tables are matched by its text anyway."""
    value = _plain(value)
    if isinstance(value, bool | int | float | str):
        return value
    return float(value) if isinstance(value, Number) else str(value)  # type: ignore[arg-type]


def _label_type(dtype: np.dtype[Any]) -> str:
    name = "str" if dtype.kind == "U" else dtype.name
    if name not in LABEL_TYPES:
        raise Defect(f"its class labels are of type {dtype}, not text, whole numbers or booleans")
    return name


def _lay_out(model: Mapping[str, Any]) -> str:
    """Return JSON text with a line for each entry of each section."""
    sections = []
    for name, section in model.items():
        text = _dump(section)
        if isinstance(section, dict) and section:
            entries = [f"{_dump(key)}: {_dump(value)}" for key, value in section.items()]
            text = "{\n    " + ",\n    ".join(entries) + "\n  }"
        elif isinstance(section, list):
            text = "[\n    " + ",\n    ".join(_dump(value) for value in section) + "\n  ]"
        sections.append(f"  {_dump(name)}: {text}")
    return "{\n" + ",\n".join(sections) + "\n}\n"


def _dump(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        raise Defect("it holds a number that is infinite or undefined") from None
    except TypeError as error:
        raise Defect(f"it holds a value that JSON has no form for ({error})") from None

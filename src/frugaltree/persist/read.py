"""Loading a model: from the bytes of a file to a fitted learner."""

from __future__ import annotations

import json
import math
import os
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from reprlib import repr as shortened
from typing import Any, NoReturn

import numpy as np

from frugaltree._sklearn import validate_parameters
from frugaltree._version import __version__
from frugaltree.costs import Costs, toml
from frugaltree.engines.cross_validation import mark_chosen
from frugaltree.estimators.base import CostSensitiveTree
from frugaltree.exceptions import FrugaltreeError, InvalidModel, MissingFile, did_you_mean
from frugaltree.persist.check import (
    Defect,
    check_keys,
    expect,
    is_amount,
    is_number,
    is_value,
    is_whole,
    read_list,
)
from frugaltree.persist.fields import (
    FORMAT,
    LABEL_TYPES,
    LEARNERS,
    SECTIONS,
    STRATEGIES,
    VERSION,
    fitted_of,
    read_amount,
    read_strategies,
)
from frugaltree.persist.nodes import check_columns, check_tree
from frugaltree.persist.repertoire import is_repertoire, restore_repertoire
from frugaltree.strategies import Strategy
from frugaltree.tree.tree import Tree


def load_model(path: str | os.PathLike[str]) -> Any:
    """Return the fitted learner in a file that :func:`save_model` has written.

    It answers, charges and scores exactly as the one that was saved. Everything in the file is
    checked before it is used, and none of it is executed.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    estimator
        A fitted learner, of the class that was saved, or a repertoire.

    Raises
    ------
    MissingFile
        There is no such file.
    InvalidModel
        The file is damaged, foreign, or newer than this version of frugaltree.

    Examples
    --------
    >>> load_model("no-such-model.json")
    Traceback (most recent call last):
    frugaltree.exceptions.MissingFile: the model file no-such-model.json does not exist; check the
    path.
    """
    return read_model(path).estimator


@dataclass(frozen=True, eq=False)
class SavedModel:
    """What is in a model file.

    Attributes
    ----------
    estimator
        The fitted learner, or the repertoire.
    strategies
        What other strategies cost on the training cases; empty where it was not compared.
    provenance
        How the model came about: version, date, and a fingerprint of the training data.
    """

    estimator: Any
    strategies: list[Strategy]
    provenance: dict[str, Any]


def read_model(path: str | os.PathLike[str]) -> SavedModel:
    """Return everything in a file that :func:`save_model` has written.

    Parameters
    ----------
    path
        The file.
    """
    try:
        return restore(parse(_read_text(Path(path))))
    except Defect as defect:
        raise InvalidModel(f"{path} is damaged: {defect}; save the model again.") from None
    except InvalidModel as error:
        raise InvalidModel(f"{path} {error}") from None


def _read_text(path: Path) -> str:
    """Return the text of a file, with or without the mark some editors put in front."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise MissingFile(f"the model file {path} does not exist; check the path.") from None
    except UnicodeDecodeError:
        raise InvalidModel("is not UTF-8 text, so no model file; check the path.") from None
    except OSError as error:
        if path.is_dir():
            raise InvalidModel("is a folder, not a model file; add the file name.") from None
        raise InvalidModel(
            f"cannot be read ({error.strerror or error}); check the rights to it."
        ) from error


def parse(text: str) -> Any:
    """Return the values in JSON text: no NaN, no key twice."""
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_distinct)
    except Defect:
        raise
    except json.JSONDecodeError as error:
        raise InvalidModel(
            f"is not valid JSON (line {error.lineno}, column {error.colno}: {error.msg}), perhaps "
            "cut short; save the model again."
        ) from None
    except RecursionError:
        raise Defect("it is nested too deeply") from None
    except ValueError:
        raise Defect("it holds a number with too many digits") from None


def _refuse_constant(name: str) -> NoReturn:
    raise Defect(f"it holds {name}, which is no number of JSON")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise Defect(f"it has the key {twice!r} twice in one place")
    return data


def restore(data: Any) -> SavedModel:
    """Return what a document describes, after checking every part of it."""
    if is_repertoire(data):
        whole = restore_repertoire(data, lambda part: restore(part).estimator)
        return SavedModel(whole, [], data["provenance"])
    learner = _read_head(data)
    costs = data["costs"]
    if data["version"] == 1 and not learner._fractional:
        costs = _as_in_version_1(costs)
    estimator = _read_estimator(learner, data["parameters"], costs)
    classes = _read_classes(data["classes"])
    check_columns(data["columns"])
    version = data["version"]
    check_tree(data["tree"], data["columns"], len(classes), learner._fractional, version)
    tree = Tree.from_dict(
        {**data["tree"], "columns": data["columns"], "classes": classes.tolist()}
    )
    _check_costs(estimator.costs, tree)
    expect(isinstance(data["provenance"], dict), "provenance", "an object", data["provenance"])
    estimator.tree_ = tree
    estimator.classes_ = classes
    training = data["training"]
    _set_training(estimator, training)
    strategies = read_strategies(training.get(STRATEGIES, []), f"training.{STRATEGIES}", tree)
    return SavedModel(estimator, strategies, data["provenance"])


def _read_head(data: Any) -> type[CostSensitiveTree]:
    """Return the learner of a document that this version can read."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InvalidModel("is not a frugaltree model; give a file that save_model has written.")
    version: Any = data.get("version")
    expect(is_whole(version) and version >= 1, "version", "a whole number from 1", version)
    if version > VERSION:
        raise InvalidModel(
            f"is a model of version {version}, but frugaltree {__version__} reads versions up to "
            f"{VERSION}; upgrade frugaltree."
        )
    check_keys(data, "the model", SECTIONS)
    name = data["learner"]
    expect(isinstance(name, str), "learner", "the name of a learner", name)
    if name not in LEARNERS:
        raise InvalidModel(
            f"names the learner {shortened(name)}, which frugaltree {__version__} does not have; "
            f"upgrade frugaltree or correct the name.{did_you_mean(name, LEARNERS)}"
        )
    return LEARNERS[name]


def _read_estimator(
    learner: type[CostSensitiveTree], parameters: Any, costs: Any
) -> CostSensitiveTree:
    """Return an unfitted learner with these parameters."""
    known = [name for name in learner._get_param_names() if name != "costs"]
    check_keys(parameters, "parameters", (), optional=known)
    usual = learner().get_params(deep=False)
    pairs: dict[str, Any] = {  # JSON has no tuples
        name: tuple(value)
        for name, value in parameters.items()
        if isinstance(value, list) and isinstance(usual[name], tuple)
    }
    if isinstance(weights := parameters.get("class_weight"), list):
        pairs["class_weight"] = _read_class_weights(weights)
    if "monotone" in parameters:
        pairs["monotone"] = _read_directions(parameters["monotone"])
    estimator = learner(costs=_read_costs(costs), **{**parameters, **pairs})
    try:
        validate_parameters(estimator)
    except (TypeError, ValueError) as error:
        raise Defect(f"in its parameters, {str(error).rstrip('.')}") from None
    return estimator


def _read_class_weights(pairs: list[Any]) -> dict[Any, Any]:
    """Return weights of classes by class."""
    for i, pair in enumerate(pairs):
        where = f"parameters.class_weight[{i}]"
        is_pair = isinstance(pair, list) and len(pair) == 2
        fits = is_pair and is_value(pair[0]) and is_amount(pair[1])
        expect(fits, where, "a class and its weight", pair)
    return dict(pairs)


def _read_directions(given: Any) -> Any:
    """Return how answers follow tests: by test, or of each test."""
    where = "parameters.monotone"
    by_test = [one for one in read_list(given, where) if isinstance(one, list)]
    for i, one in enumerate(given):
        fits = one if not by_test else one[1] if isinstance(one, list) and len(one) == 2 else None
        expect(
            is_number(fits) and fits in (-1, 0, 1), f"{where}[{i}]", "-1, 0 or 1 for a test", one
        )
    named = all(isinstance(one[0], str | int) for one in by_test)
    expect(named, where, "names or positions of tests", given)
    return dict(by_test) if by_test else given


def _as_in_version_1(costs: Any) -> Any:
    """Return costs as version 1 meant them: a test without a result is charged.

    Say so: a missing value goes where most training cases went, too.
    """
    warnings.warn(
        "the model was made before missing values had a rule of their own: a case without one "
        "goes on as most training cases did, and is charged for the test; fit it again to change "
        "that.",
        UserWarning,
        stacklevel=2,
    )
    return (
        {**(costs or {}), "charge_missing": True}
        if costs is None or isinstance(costs, dict)
        else costs
    )


def _read_costs(data: Any) -> Costs | None:
    if data is None:
        return None
    expect(isinstance(data, dict), "costs", "an object or null", data)
    try:
        return toml.parse(data)
    except (TypeError, ValueError) as error:
        raise Defect(f"in its costs, {str(error).rstrip('.')}") from None


def _check_costs(costs: Costs | None, tree: Tree) -> None:
    """Check that the costs fit the columns and answers, as bills and scores need it."""
    own = costs or Costs()
    try:
        tree.prices(own)
        own.answer_costs(tree.classes)
        known = own.answers(tree.classes) if tree.has_decisions else tree.classes
    except FrugaltreeError as error:
        raise Defect(f"its costs do not fit its tree, {str(error).rstrip('.')}") from None
    wanted = f"the answers of its costs, {shortened(list(known))}"
    expect(set(tree.answer_names) == set(known), "tree.answers", wanted, list(tree.answer_names))
    first = 0 if tree.has_decisions and own.decides_only else len(tree.classes)
    expect(tree.first_decision == first, "tree.answers", wanted, list(tree.answer_names))


def _read_classes(data: Any) -> Any:
    """Return the class labels as the array that ``classes_`` was."""
    check_keys(data, "classes", ("dtype", "values"))
    dtype, values = data["dtype"], read_list(data["values"], "classes.values")
    known = isinstance(dtype, str) and dtype in LABEL_TYPES
    expect(known, "classes.dtype", f"one of {', '.join(LABEL_TYPES)}", dtype)
    for i, label in enumerate(values):
        fits = type(label) in LABEL_TYPES[dtype] and is_value(label)
        expect(fits, f"classes.values[{i}]", f"a label of type {dtype}", label)
    distinct = bool(values) and len(set(values)) == len(values)
    expect(distinct, "classes.values", "one or more distinct labels", values)
    try:
        return np.array(values, dtype)
    except OverflowError:
        raise Defect(f"classes.values holds a number too large for {dtype}") from None


def _set_training(estimator: CostSensitiveTree, training: Any) -> None:
    """Set what the fit has left beside the tree."""
    tree = estimator.tree_
    kept = {name.removesuffix("_"): how for name, how in fitted_of(type(estimator)).items()}
    always = [key for key, how in kept.items() if not how.optional]
    optional = [STRATEGIES, *kept]
    check_keys(training, "training", ("cases", "named_columns", *always), optional=optional)
    read_amount(training["cases"], "training.cases", tree)
    named = training["named_columns"]
    expect(isinstance(named, bool), "training.named_columns", "true or false", named)
    estimator.n_features_in_ = len(tree.columns)
    if named:
        estimator.feature_names_in_ = np.array([c.name for c in tree.columns], dtype=object)
    for key, how in kept.items():
        if key in training:
            setattr(estimator, f"{key}_", how.read(training[key], f"training.{key}", tree))
    if tree.has_decisions and hasattr(estimator, "history_"):
        least = estimator._answer_costs(estimator.costs or Costs()).min(axis=0)
        offset = float(least @ estimator.class_frequencies_)
        estimator.history_ = [replace(one, offset=offset) for one in estimator.history_]
    if "forecast" in kept and "forecast" not in training:  # a file of an earlier version
        estimator.forecast_ = None
    if training.get("cv_cost") is not None and training["cv_cost_error"] is None:
        estimator.cv_cost_error_ = math.nan
    trials = estimator.tuning_ if "tuning" in training else None
    if trials:
        in_force = {name: getattr(estimator, f"{name}_") for name in trials[0].settings}
        estimator.tuning_ = mark_chosen(trials, in_force)

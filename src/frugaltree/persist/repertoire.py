"""A repertoire in a file: several models under one price list, and which budget has which."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from frugaltree._sklearn import validate_parameters
from frugaltree.engines.budgets import Choice
from frugaltree.engines.cross_validation import Trial
from frugaltree.estimators.base import CostSensitiveTree
from frugaltree.estimators.budget_checks import check_budgets
from frugaltree.estimators.budget_trials import Learned
from frugaltree.estimators.repertoire import Repertoire
from frugaltree.exceptions import FrugaltreeError, InvalidModel
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
from frugaltree.persist.fields import LEARNERS

FORMAT = "frugaltree repertoire"
VERSION = 1

KEYS = (
    "format", "version", "parameters", "costs", "budgets", "models", "use", "choices", "tuning",
    "settings", "provenance",
)  # fmt: skip
"""The parts of a file. ``use`` says which of the models serves each budget."""

Describe = Callable[[Any], dict[str, Any]]
Restore = Callable[[Any], CostSensitiveTree]

SHARED = ("costs", "provenance")
"""Parts of a model that its repertoire has once."""


def is_repertoire(data: Any) -> bool:
    """Tell whether a document is that of a repertoire."""
    return isinstance(data, dict) and data.get("format") == FORMAT


def describe_repertoire(
    repertoire: Repertoire, describe: Describe, plain: Callable[[Any], Any]
) -> dict[str, Any]:
    """Return a repertoire as plain values, section by section."""
    models = list({id(one): one for one in repertoire._learned}.values())
    documents = [describe(one) for one in models]
    places = [next(i for i, m in enumerate(models) if m is one) for one in repertoire._learned]
    kept = ("settings", "folds", "judge", "interruptible", "n_jobs")
    given = {name: plain(getattr(repertoire, name)) for name in kept}
    base = repertoire.estimator
    parts = [{name: part for name, part in one.items() if name not in SHARED} for one in documents]
    return {
        "format": FORMAT,
        "version": VERSION,
        "parameters": {
            **given,
            "budgets": plain(repertoire.budgets),
            "random_state": documents[0]["provenance"]["random_state"],
            "estimator": None if base is None else type(base).__name__,
        },
        "costs": documents[0]["costs"],
        "budgets": repertoire.budgets_.tolist(),
        "models": parts,
        "use": places,
        "choices": [asdict(one) for one in repertoire.choices_],
        "tuning": None
        if repertoire.tuning_ is None
        else [_finite(plain(asdict(one))) for one in repertoire.tuning_],
        "settings": plain(repertoire.settings_),
        "provenance": documents[0]["provenance"],
    }


def restore_repertoire(data: Mapping[str, Any], restore: Restore) -> Repertoire:
    """Return what a document describes, after checking every part of it."""
    version: Any = data.get("version")
    expect(is_whole(version) and version >= 1, "version", "a whole number from 1", version)
    if version > VERSION:
        raise InvalidModel(
            f"is a repertoire of version {version}, but this frugaltree reads versions up to "
            f"{VERSION}; upgrade frugaltree."
        )
    check_keys(data, "the repertoire", KEYS)
    models = []
    for i, part in enumerate(read_list(data["models"], "models")):
        expect(isinstance(part, dict), f"models[{i}]", "an object", part)
        models.append(restore({**part, **{name: data[name] for name in SHARED}}))
    expect(bool(models), "models", "one model or more", data["models"])
    repertoire = _unfitted(data["parameters"], models[0])
    budgets = _read_budgets(data["budgets"])
    n_trees = 1 if repertoire.interruptible else len(budgets)
    use = read_list(data["use"], "use", n_trees)
    for i, place in enumerate(use):
        known = is_whole(place) and 0 <= place < len(models)
        expect(known, f"use[{i}]", "the position of a model", place)
    _check_alike(models)
    choices = [
        _read_choice(one, f"choices[{i}]")
        for i, one in enumerate(read_list(data["choices"], "choices", len(budgets)))
    ]
    said = [one.budget for one in choices]
    expect(said == budgets, "choices", "one for each budget, in order", said)
    settings = _read_settings(data["settings"], "settings")
    tuning = None
    if data["tuning"] is not None:
        rows = enumerate(read_list(data["tuning"], "tuning"))
        tuning = [_read_trial(row, f"tuning[{i}]") for i, row in rows]
    repertoire.n_features_in_ = models[0].n_features_in_
    if hasattr(models[0], "feature_names_in_"):
        repertoire.feature_names_in_ = models[0].feature_names_in_
    repertoire._keep(Learned(choices, [models[place] for place in use], tuning, settings))
    return repertoire


def _unfitted(data: Any, model: CostSensitiveTree) -> Repertoire:
    """Return a repertoire with these parameters."""
    names = [name for name in Repertoire._get_param_names() if name != "costs"]
    check_keys(data, "parameters", names)
    base, given = data["estimator"], {**data}
    if base is not None:
        expect(
            isinstance(base, str) and base in LEARNERS, "parameters.estimator", "a learner", base
        )
        given["estimator"] = LEARNERS[base]()
    repertoire = Repertoire(model.costs, **given)
    try:
        validate_parameters(repertoire)
    except (TypeError, ValueError) as error:
        raise Defect(f"in its parameters, {str(error).rstrip('.')}") from None
    return repertoire


def _read_budgets(value: Any) -> list[float]:
    budgets = read_list(value, "budgets")
    for i, budget in enumerate(budgets):
        expect(is_amount(budget), f"budgets[{i}]", "a finite number, 0 or more", budget)
    try:
        return check_budgets(budgets)
    except FrugaltreeError as error:
        raise Defect(str(error).rstrip(".")) from None


def _check_alike(models: list[CostSensitiveTree]) -> None:
    """Check that all models are of the same columns and classes."""
    first = models[0]
    for i, one in enumerate(models):
        names = [column.name for column in one.tree_.columns]
        same = names == [column.name for column in first.tree_.columns]
        alike = one.classes_.tolist() == first.classes_.tolist()
        expect(same and alike, f"models[{i}]", "of the columns and classes of the first", names)


def _read_choice(value: Any, where: str) -> Choice:
    check_keys(value, where, [one.name for one in fields(Choice)])
    for name, number in value.items():
        known = number is None and name not in ("budget", "learned_for")
        fits = is_number(number) if name == "cost" else is_amount(number)  # of a decision below 0
        expect(known or fits, f"{where}.{name}", "a number, 0 or more", number)
    numbers: dict[str, Any] = {k: None if x is None else float(x) for k, x in value.items()}
    return Choice(**numbers)


def _read_settings(value: Any, where: str) -> dict[str, Any]:
    expect(isinstance(value, dict), where, "an object", value)
    for name, setting in value.items():
        expect(setting is None or is_value(setting), f"{where}.{name}", "a value", setting)
    return dict(value)


def _read_trial(value: Any, where: str) -> Trial:
    check_keys(value, where, [one.name for one in fields(Trial)])
    numbers = {}
    for name in ("cost", "error", "saving", "saving_error"):
        known = value[name] is None or is_number(value[name])
        expect(known, f"{where}.{name}", "a number or null", value[name])
        numbers[name] = math.nan if value[name] is None else float(value[name])
    expect(isinstance(value["name"], str), f"{where}.name", "text", value["name"])
    expect(isinstance(value["chosen"], bool), f"{where}.chosen", "true or false", value["chosen"])
    settings = _read_settings(value["settings"], f"{where}.settings")
    return Trial(value["name"], settings, **numbers, chosen=value["chosen"])


def _finite(value: dict[str, Any]) -> dict[str, Any]:
    """Return a trial with null for what JSON has no number for."""
    return {
        key: None if isinstance(x, float) and not np.isfinite(x) else x for key, x in value.items()
    }

"""Learners of one's own: a class named as in ``module:Class``, or an estimator.

Any scikit-learn classifier can be compared. Given a parameter ``costs``, it is handed the costs;
given a method ``bill(X, costs)``, it says what it charges each case, and without one every case is
charged for all tests.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone, is_classifier

from frugaltree.costs import Costs
from frugaltree.exceptions import FrugaltreeError, did_you_mean


def is_custom(key: str) -> bool:
    """Tell whether a key names a class of one's own.

    >>> is_custom("mine.trees:Stump"), is_custom("act")
    (True, False)
    """
    return ":" in key


@cache
def load_class(key: str) -> type:
    """Import a class named as in ``module:Class``, from the working directory too.

    >>> load_class("sklearn.tree:DecisionTreeClassifier").__name__
    'DecisionTreeClassifier'
    >>> load_class("sklearn.tree:DecisionTreeClasifier")
    Traceback (most recent call last):
    frugaltree.exceptions.FrugaltreeError: module sklearn.tree (...) has no class
    'DecisionTreeClasifier'. Did you mean 'DecisionTreeClassifier'?
    """
    where, _, name = key.partition(":")
    module = _import(where)
    found = getattr(module, name, None)
    if not isinstance(found, type):
        classes = [word for word, value in vars(module).items() if _can_fit(value)]
        file = getattr(module, "__file__", None) or "built in"
        raise FrugaltreeError(
            f"module {where} ({file}) has no class {name!r}.{did_you_mean(name, classes)}"
        )
    return found


def _import(where: str) -> Any:
    here = os.getcwd()
    if here not in sys.path:
        sys.path.append(here)  # last, so that a file here hides no installed module
    try:
        return import_module(where)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{where}.".startswith(f"{error.name}."):
            raise _fail_to_import(where, error) from error
        raise FrugaltreeError(
            f"there is no module {error.name!r}, neither installed nor in {here}; correct the "
            "name before the colon, or change to the folder of the module."
        ) from None
    except Exception as error:
        raise _fail_to_import(where, error) from error


def _fail_to_import(where: str, error: Exception) -> FrugaltreeError:
    return FrugaltreeError(f"module {where} cannot be imported ({describe(error)}).")


def _can_fit(value: Any) -> bool:
    return isinstance(value, type) and hasattr(value, "fit")


def describe(error: BaseException) -> str:
    r"""Return an error in the words of its first line, to stand within a sentence.

    >>> describe(ValueError("could not convert 'a'.\nDetails"))
    "ValueError: could not convert 'a'"
    """
    first = str(error).strip().partition("\n")[0].rstrip(". ")
    return f"{type(error).__name__}: {first}" if first else type(error).__name__


def parameters_of(cls: type) -> tuple[str, ...]:
    """Return the names of a constructor's parameters.

    >>> parameters_of(int)
    ()
    """
    try:
        return tuple(inspect.signature(cls).parameters)
    except (TypeError, ValueError):  # a class written in C may hide them
        return ()


def construct(cls: type, settings: Mapping[str, Any], name: str) -> Any:
    """Return an estimator of a class of one's own, checked to be a classifier."""
    try:
        estimator = cls(**settings)
    except Exception as error:
        raise FrugaltreeError(f"{name} cannot be constructed ({describe(error)}).") from error
    return check_classifier(estimator, name)


def check_classifier(estimator: Any, name: str) -> Any:
    """Return an estimator as it is if scikit-learn takes it for a classifier.

    >>> from sklearn.linear_model import LinearRegression
    >>> check_classifier(LinearRegression(), "mine")
    Traceback (most recent call last):
    frugaltree.exceptions.FrugaltreeError: mine is no scikit-learn classifier, but a
    LinearRegression; give one with fit, predict and get_params, such as a subclass of
    ClassifierMixin and BaseEstimator.
    """
    needed = all(hasattr(estimator, method) for method in ("fit", "predict", "get_params"))
    try:
        fits = needed and not isinstance(estimator, type) and is_classifier(estimator)
    except (AttributeError, TypeError):  # no tags: scikit-learn does not know it
        fits = False
    if not fits:
        kind = f"the class {estimator.__name__}" if isinstance(estimator, type) else None
        raise FrugaltreeError(
            f"{name} is no scikit-learn classifier, but {kind or f'a {type(estimator).__name__}'};"
            " give one with fit, predict and get_params, such as a subclass of ClassifierMixin "
            "and BaseEstimator."
        )
    return estimator


def prepare(estimator: Any, costs: Costs, seed: int) -> Any:
    """Return an untrained copy of an estimator, with costs and seed where it has none."""
    copy = clone(estimator)
    given = copy.get_params(deep=False)
    values = {"costs": costs, "random_state": seed}
    missing = {name: value for name, value in values.items() if given.get(name, 0) is None}
    return copy.set_params(**missing) if missing else copy


def bill_cases(model: Any, X: Any, costs: Costs, columns: list[str]) -> npt.NDArray[np.float64]:
    """Return what the tests of each case cost: by its own bill, or all tests.

    >>> from sklearn.dummy import DummyClassifier
    >>> model = DummyClassifier().fit([[0, 0]], [0])
    >>> bill_cases(model, [[1, 2], [3, 4]], Costs([10, 5]), ["x0", "x1"])
    array([15., 15.])
    """
    if hasattr(model, "bill"):
        return np.asarray(model.bill(X, costs), dtype=np.float64)
    return np.full(len(X), costs.total(columns))

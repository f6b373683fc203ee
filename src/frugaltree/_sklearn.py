"""Parameter checks and column names, by what scikit-learn keeps private or may change."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from sklearn.utils._param_validation import Interval, StrOptions

__all__ = ["between", "names_of", "one_of", "validate_parameters", "whole"]


def whole(low: int | None, high: int | None = None) -> Any:
    """Return the constraint of a whole number within closed bounds."""
    left = "left" if high is None else "both"
    return Interval(Integral, low, high, closed=left)


def between(low: float | None, high: float | None, closed: str = "both") -> Any:
    """Return the constraint of a number within bounds."""
    return Interval(Real, low, high, closed=closed)


def one_of(*options: str) -> Any:
    """Return the constraint of a word among several."""
    return StrOptions(set(options))


def validate_parameters(estimator: Any) -> None:
    """Check an estimator's parameters against its constraints."""
    estimator._validate_params()


def names_of(estimator: Any, n_features: int) -> list[str]:
    """Return the column names seen at fit, or x0, x1, ... for a table without."""
    names = getattr(estimator, "feature_names_in_", None)
    return [f"x{a}" for a in range(n_features)] if names is None else [str(n) for n in names]

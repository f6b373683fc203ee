"""Parameter checks, column names, callbacks: what scikit-learn keeps private or may change."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from numbers import Integral, Real
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import (
    Interval,
    RealNotInt,
    StrOptions,
    make_constraint,
    validate_parameter_constraints,
)
from sklearn.utils.validation import validate_data

from frugaltree.exceptions import FrugaltreeError

if TYPE_CHECKING:
    from frugaltree.anytime.progress import Snapshot

__all__ = [
    "Callbacks",
    "between",
    "callback_support",
    "count_or_share",
    "draw_seed",
    "has_callbacks",
    "names_of",
    "one_of",
    "validate_parameters",
    "validated_array",
    "whole",
]

LARGEST = 2**63 - 1
"""The largest whole number that a kernel can be given."""


def whole(low: int | None, high: int | None = None) -> Any:
    """Return the constraint of a whole number within closed bounds."""
    left = "left" if high is None else "both"
    return Interval(Integral, low, high, closed=left)


def between(low: float | None, high: float | None, closed: str = "both") -> Any:
    """Return the constraint of a number within bounds."""
    return Interval(Real, low, high, closed=closed)


def count_or_share() -> list[Any]:
    """Return the constraints of a number of cases, or a share of them."""
    return [whole(1), Interval(RealNotInt, 0.0, 1.0, closed="neither")]


def any_but_zero() -> list[Any]:
    """Return the constraints of a number of jobs: joblib counts negative ones from all cores."""
    return [Interval(Integral, None, -1, closed="right"), whole(1)]


def one_of(*options: str) -> Any:
    """Return the constraint of a word among several."""
    return StrOptions(set(options))


def validate_parameters(estimator: Any) -> None:
    """Check an estimator's parameters against its constraints, and that kernels can hold them."""
    learner: Any = type(estimator)
    parameters = {name: getattr(estimator, name) for name in _names_of_parameters(learner)}
    known = _constraints_of(learner)
    odd = {
        name: value
        for name, value in parameters.items()
        if not any(one.is_satisfied_by(value) for one in known[name])
    }
    validate_parameter_constraints(  # words what is wrong
        estimator._parameter_constraints, odd, caller_name=learner.__name__
    )
    for name, value in parameters.items():
        if isinstance(value, Integral) and abs(int(value)) > LARGEST:
            raise FrugaltreeError(
                f"the {name!r} parameter of {learner.__name__} is {shortened(value)}, "
                f"which is too large to compute with; give at most {LARGEST}."
            )


@cache
def _names_of_parameters(learner: Any) -> tuple[str, ...]:
    """Return the names of a learner's parameters, looked up once: that takes 50 microseconds."""
    return tuple(learner._get_param_names())


@cache
def _constraints_of(learner: Any) -> dict[str, tuple[Any, ...]]:
    """Return what each parameter of a learner may be, made once: that takes 100 microseconds.

    A parameter without constraints, of a class derived from a learner, may be anything.
    """
    anything = "no_validation"
    given = {
        name: learner._parameter_constraints.get(name, anything)
        for name in _names_of_parameters(learner)
    }
    return {
        name: tuple(map(make_constraint, [object] if some == anything else some))
        for name, some in given.items()
    }


def validated_array(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Return an array, checked as scikit-learn does it, and take note of its width or compare it.

    Of plain numbers there is little to check, which it takes 100 microseconds to find out.
    """
    if _is_plain(X) and not hasattr(estimator, "feature_names_in_"):
        if reset:
            estimator.n_features_in_ = X.shape[1]
        if getattr(estimator, "n_features_in_", None) == X.shape[1]:
            return X
    return validate_data(estimator, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")


def _is_plain(X: Any) -> bool:
    """Tell whether this is a table of numbers in an array, of which none is infinite."""
    if type(X) is not np.ndarray or X.ndim != 2 or X.size == 0 or X.dtype.kind not in "biuf":
        return False
    if X.dtype.kind != "f":
        return True
    with np.errstate(all="ignore"):
        return bool(np.isfinite(X.sum())) or not np.isinf(X).any()


def draw_seed(random_state: Any) -> int:
    """Return the first number that a random state draws.

    >>> draw_seed(0), draw_seed(0)
    (209652396, 209652396)
    """
    if isinstance(random_state, int):
        return _first_draw(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


@cache
def _first_draw(seed: int) -> int:
    """Return the first number that a seed leads to; setting up the generator takes longest."""
    return int(check_random_state(seed).randint(2**31 - 1))


def names_of(estimator: Any, n_features: int) -> list[str]:
    """Return the column names seen at fit, or x0, x1, ... for a table without."""
    names = getattr(estimator, "feature_names_in_", None)
    return [f"x{a}" for a in range(n_features)] if names is None else [str(n) for n in names]


def callback_support() -> tuple[Any, Any]:
    """Return the base class of estimators with callbacks, and the decorator of their fit.

    Only for learners that have callbacks: importing it takes a while, and needs scikit-learn 1.9.
    With an older one, there are none.
    """
    try:
        from sklearn.callback import CallbackSupportMixin, with_callbacks
    except ImportError:
        return type("NoCallbackSupport", (), {}), lambda method: method
    return CallbackSupportMixin, with_callbacks


def has_callbacks(estimator: Any) -> bool:
    """Return whether someone wants to hear of an estimator's fit."""
    return bool(getattr(estimator, "_skl_callbacks", ()))


class Callbacks:
    """The callbacks of an estimator, told of each round of its fit.

    Parameters
    ----------
    estimator
        What is being fitted.
    given
        X, y and sample_weight, as given to ``fit``.
    n_rounds
        How many rounds there will be at most, None if that is not known.
    attributes
        Makes the fitted attributes of a moment of the search, only when a callback wants them.
    """

    def __init__(
        self,
        estimator: Any,
        given: tuple[Any, Any, Any],
        n_rounds: int | None,
        attributes: Callable[[Snapshot], dict[str, Any]],
    ) -> None:
        X, y, sample_weight = given
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        self._told = {"estimator": estimator, "X": X, "y": y, "metadata": metadata}
        self._attributes = attributes
        self._now: Callable[[], dict[str, Any]] | None = None
        self._begun = 0
        self._task: Any = None
        self._fit = estimator._init_callback_context(max_subtasks=n_rounds)
        self._fit.call_on_fit_task_begin(**self._told)

    def before(self) -> None:
        """Begin the task of a round, if it is sure that there will be one."""
        if self._fit.max_subtasks is not None and self._begun < self._fit.max_subtasks:
            self._begin()

    def _begin(self) -> None:
        if self._begun == self._fit.max_subtasks:  # more rounds than announced
            self._fit.max_subtasks = None
        self._task = self._fit.subcontext(task_name="round")
        self._begun += 1
        self._task.call_on_fit_task_begin(**self._told, reconstruction_attributes=self._now)

    def during(self, seconds: float) -> None:
        """Do nothing: tasks only begin and end."""

    def after(self, snapshot: Snapshot) -> bool:
        """End the task of a round; return whether a callback wants to stop."""
        if self._task is None:
            self._begin()
        self._now = partial(self._attributes, snapshot)
        return self._end()

    def _end(self) -> bool:
        task, self._task = self._task, None
        return bool(task.call_on_fit_task_end(**self._told, reconstruction_attributes=self._now))

    def close(self) -> None:
        """End the fit, and a round that was cut short."""
        if self._task is not None:
            self._end()
        self._fit.call_on_fit_task_end(**self._told, reconstruction_attributes={})

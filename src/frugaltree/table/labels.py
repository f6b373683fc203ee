"""The classes of cases: text, whole numbers or booleans, none of them missing."""

from __future__ import annotations

from numbers import Real
from reprlib import repr as shortened
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import column_or_1d

from frugaltree.exceptions import InvalidTable
from frugaltree.table import is_missing

__all__ = ["as_labels"]


def as_labels(y: Any, what: str = "y") -> npt.NDArray[Any]:
    """Return classes as an array of booleans, numbers or text, none of them missing.

    Parameters
    ----------
    y : array-like of shape (n_cases,)
        The class of each case.
    what : str, default="y"
        What to call it where something is wrong.

    Examples
    --------
    >>> as_labels(["ill", "well"]).tolist()
    ['ill', 'well']
    >>> as_labels(["ill", None])
    Traceback (most recent call last):
    frugaltree.exceptions.InvalidTable: in y the class of case 1 is missing; drop the case or name
    it.
    """
    if y is None:
        raise InvalidTable(
            f"requires {what} to be passed, but the target {what} is None; give the classes."
        )
    # NumPy would turn the list ["ill", nan, 1] into text, and so hide what is wrong with it.
    is_list = isinstance(y, list | tuple)
    try:
        labels: npt.NDArray[Any] = np.asarray(y, object if is_list else None)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # of the library that holds them, a panic of polars included
        raise InvalidTable(
            f"{what} cannot be read as classes ({error}); give text, whole numbers or booleans."
        ) from error
    if labels.ndim != 1:
        labels = column_or_1d(labels, warn=True)
    if labels.dtype.kind not in "biufU":
        labels = _checked(labels, what, keep_text=not is_list)
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise InvalidTable(
            f"Input {what} contains NaN: the class of case {int(np.isnan(labels).argmax())} is "
            "missing; drop the case or name it."
        )
    return labels


def _checked(labels: npt.NDArray[Any], what: str, *, keep_text: bool) -> npt.NDArray[Any]:
    """Return Python objects as an array of their own type, text as it is if asked for."""
    kind = str if any(isinstance(label, str) for label in labels) else Real | np.bool_
    only_text = set(map(type, labels)) == {str}  # so all is well
    for case, label in enumerate([] if only_text else labels):
        if is_missing(label):
            raise InvalidTable(
                f"in {what} the class of case {case} is missing; drop the case or name it."
            )
        if not isinstance(label, kind):
            raise InvalidTable(
                f"in {what} the class of case {case} is {shortened(label)}, but classes must be "
                "all text, all whole numbers or all booleans; convert the labels."
            )
    return labels if kind is str and keep_text else np.array(labels.tolist())

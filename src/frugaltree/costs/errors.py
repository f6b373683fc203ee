"""What a wrong answer costs: one number, a matrix, or named pairs (predicted, actual)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from reprlib import repr as shortened
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from frugaltree.costs.checks import Label, check_price, is_list, plain_label, position
from frugaltree.exceptions import InvalidCosts, did_you_mean

Matrix: TypeAlias = tuple[tuple[float, ...], ...]
Pairs: TypeAlias = dict[tuple[Label, Label], float]
ErrorCosts: TypeAlias = float | Matrix | Pairs


def check_errors(errors: object, classes: tuple[Label, ...] | None) -> ErrorCosts | None:
    """Return the error costs in plain Python: a number, the rows of a matrix, or named pairs.

    >>> check_errors([[0, 5], [1, 0]], None)
    ((0, 5), (1, 0))
    """
    if isinstance(errors, np.ndarray):
        errors = errors.tolist()
    if errors is None:
        return None
    if isinstance(errors, Mapping):
        return _check_pairs(errors, classes)
    if is_list(errors):
        return _check_matrix(errors, classes)
    return check_price(errors, "the cost of an error")


def _check_matrix(errors: Iterable[object], classes: tuple[Label, ...] | None) -> Matrix:
    """Return a square matrix with zeros on its diagonal, one row for each class."""
    rows = [list(row) if is_list(row) else [row] for row in errors]
    size = len(rows) if classes is None else len(classes)
    lengths = {len(row) for row in rows}
    if len(rows) != size or lengths != {size}:
        wanted = "square" if classes is None else f"{size} by {size}"
        sizes = " or ".join(str(length) for length in sorted(lengths))
        raise InvalidCosts(
            f"the error matrix must be {wanted}, one row and one column for each class, but has "
            f"{len(rows)} rows of {sizes or 'no'} numbers; write errors[predicted][actual]."
        )
    labels = classes or range(size)
    return tuple(
        tuple(_check_error(value, labels[i], labels[j]) for j, value in enumerate(row))
        for i, row in enumerate(rows)
    )


def _check_error(value: object, predicted: Label, actual: Label) -> float:
    """Return the cost of one error; a right answer must cost nothing."""
    cost = check_price(value, f"the cost of predicting class {predicted!r} for {actual!r}")
    if predicted == actual and cost != 0:
        raise InvalidCosts(
            f"predicting class {predicted!r} for {actual!r} is no error, but costs {cost!r}; "
            "write 0 on the diagonal."
        )
    return cost


def _check_pairs(errors: Mapping[Any, object], classes: tuple[Label, ...] | None) -> Pairs:
    """Return costs by (predicted, actual), with no pair of classes left out."""
    pairs: Pairs = {}
    for key, value in errors.items():
        if not isinstance(key, tuple) or len(key) != 2:
            raise InvalidCosts(
                f"errors has the key {shortened(key)}, which is not a pair of classes; "
                "write (predicted, actual)."
            )
        predicted, actual = plain_label(key[0]), plain_label(key[1])
        pairs[predicted, actual] = _check_error(value, predicted, actual)
        for label in (predicted, actual):
            if classes is not None and position(label, classes) is None:
                raise InvalidCosts(
                    f"errors names the class {label!r}, but classes has only {list(classes)!r}; "
                    f"correct the name or add it to classes.{did_you_mean(label, classes)}"
                )
    if not pairs:
        raise InvalidCosts(
            "errors is empty; give the cost of every pair (predicted, actual), one number for "
            "all errors, or None for 1 each."
        )
    _check_complete(pairs, classes_of(pairs, classes) or ())
    return pairs


def _check_complete(pairs: Pairs, known: Sequence[Label]) -> None:
    """Refuse pairs of which some are left out: a forgotten error would be a free one."""
    omitted = np.argwhere(np.isnan(_pairs_matrix(pairs, known)))
    if len(omitted):
        predicted, actual = (known[i] for i in omitted[0])
        more = f" (and {len(omitted) - 1} more pairs)" if len(omitted) > 1 else ""
        raise InvalidCosts(
            f"errors has no cost for predicting {predicted!r} when the class is {actual!r}{more}; "
            f"add ({predicted!r}, {actual!r}), with 0 if it does no harm."
        )


def classes_of(
    errors: ErrorCosts | None, classes: tuple[Label, ...] | None
) -> tuple[Label, ...] | None:
    """Return the classes whose errors have a cost, or None where the table decides.

    >>> classes_of({("sick", "healthy"): 1, ("healthy", "sick"): 5}, None)
    ('healthy', 'sick')
    """
    if classes is None and isinstance(errors, dict):
        return in_order(label for pair in errors for label in pair)
    return classes


def in_order(labels: Iterable[Label]) -> tuple[Label, ...]:
    """Return the distinct labels in ascending order, as a table's classes are ordered.

    >>> in_order(["b", "a", "b"])
    ('a', 'b')
    """
    distinct = set(labels)
    try:
        return tuple(sorted(distinct))
    except TypeError:
        return tuple(sorted(distinct, key=str))


def _pairs_matrix(pairs: Pairs, known: Sequence[Label]) -> npt.NDArray[np.float64]:
    """Return the matrix of named pairs in the order of ``known``, NaN where one is left out."""
    matrix = np.full((len(known), len(known)), np.nan)
    np.fill_diagonal(matrix, 0.0)
    for (predicted, actual), cost in pairs.items():
        matrix[find_class(predicted, known), find_class(actual, known)] = cost
    return matrix


def find_class(label: Label, known: Sequence[Label]) -> int:
    """Return the position of a class, or say that its errors have no cost."""
    where = position(label, known)
    if where is None and _looks_encoded(label, known):
        names = sorted(known, key=str)
        raise InvalidCosts(
            f"class {label!r} has no error costs, which are given for {shortened(names)}; where "
            "scikit-learn numbers the classes in that order before it fits, as BaggingClassifier "
            "and cross_val_predict(method='predict_proba') do, give costs.by_order() instead, "
            "else correct the label."
        )
    if where is None:
        raise InvalidCosts(
            f"class {label!r} has no error costs, which are given for {shortened(list(known))}; "
            f"add it to the costs or correct the label.{did_you_mean(label, known)}"
        )
    return where


def find_answer(answer: Label, known: Sequence[Label]) -> int:
    """Return the position of an answer, or say that it has no cost.

    >>> find_answer("refer", ["ill", "well", "refer"])
    2
    """
    where = position(answer, known)
    if where is None:
        raise InvalidCosts(
            f"the answer {answer!r} has no cost, only {shortened(list(known))} have; add it to "
            f"decisions or errors, or correct it.{did_you_mean(answer, known)}"
        )
    return where


def _looks_encoded(label: Label, known: Sequence[Label]) -> bool:
    """Tell whether a class may be the number of a named one.

    It may as well be a label of the table, so nobody can tell which costs it should have.

    >>> _looks_encoded(1, ["no", "yes"]), _looks_encoded(2, ["no", "yes"])
    (True, False)
    """
    if isinstance(label, bool) or not isinstance(label, int):
        return False
    return 0 <= label < len(known) and all(isinstance(name, str) for name in known)


def error_matrix(errors: ErrorCosts | None, known: Sequence[Label]) -> npt.NDArray[np.float64]:
    """Return M[predicted, actual] for the classes ``known``.

    >>> error_matrix(5, ["a", "b"])
    array([[0., 5.],
           [5., 0.]])
    """
    if isinstance(errors, dict):
        return _pairs_matrix(errors, known)
    if isinstance(errors, tuple):
        return np.array(errors, dtype=np.float64)
    uniform = np.full((len(known), len(known)), 1.0 if errors is None else float(errors))
    np.fill_diagonal(uniform, 0.0)
    return uniform


def alike(label: Label, sample: Label) -> Label:
    """Return ``label`` in the type of ``sample`` where its text allows it.

    >>> alike("2", 0), alike(2, "0"), alike("two", 0)
    (2, '2', 'two')
    """
    if isinstance(sample, bool):
        converted: Label = str(label) == "True"
    elif isinstance(sample, int):
        converted = _as_int(label)
    else:
        converted = str(label) if isinstance(sample, str) else label
    return converted if str(converted) == str(label) else label


def _as_int(label: Label) -> Label:
    try:
        return int(str(label))
    except ValueError:
        return label


def check_frequencies(frequencies: object, classes: Sequence[Any] | None) -> list[float]:
    """Return the share of each class; together they are the whole."""
    if hasattr(frequencies, "items"):  # a mapping, or value counts with their index
        values = [share for _, share in frequencies.items()]
        if classes is not None:
            known = [plain_label(label) for label in classes]
            for label, _ in frequencies.items():
                find_class(plain_label(label), known)
    else:
        values = list(np.ravel(np.asarray(frequencies, dtype=object)))
        if classes is not None and len(values) != len(classes):
            raise InvalidCosts(
                f"there are {len(values)} frequencies for {len(classes)} classes, "
                f"{shortened(list(classes))}; give one for each."
            )
    shares = [check_price(value, "the frequency of a class") for value in values]
    if not math.isclose(sum(shares), 1, abs_tol=1e-6):
        raise InvalidCosts(
            f"the frequencies of the classes must add up to 1, but add up to {sum(shares):g}; "
            "divide counts by their sum."
        )
    return shares

"""Tests as questions with two answers, for learners that cannot ask otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Questions:
    """Questions about the values of tests, those about one test side by side.

    Attributes
    ----------
    test
        What each question is about.
    nominal
        Whether it asks for one value of a nominal test, or how a number compares.
    value
        The value, or the threshold; NaN where the number itself is the answer.

    Examples
    --------
    >>> values = np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 9.0], [2.0, 9.0]])
    >>> questions = Questions.about(values, [0, 1], nominal=[True, False], thresholds=9)
    >>> questions.test, questions.value  # is it 0, 1, 2; is it at most 2, 6
    (array([0, 0, 0, 1, 1]), array([0., 1., 2., 2., 6.]))
    >>> questions.answers(values)[1]
    array([0., 1., 0., 0., 1.])
    """

    test: npt.NDArray[np.intp]
    nominal: npt.NDArray[np.bool_]
    value: Floats

    @classmethod
    def about(
        cls,
        values: Floats,
        tests: Iterable[int],
        *,
        nominal: npt.ArrayLike,
        thresholds: int | None,
    ) -> Questions:
        """Return the questions to put to cases such as these about some of their tests.

        Nominal tests are asked value by value, one value of two being enough; numbers at so many
        thresholds, at the quantiles, or as they are where ``thresholds`` is None. There are none
        about a test with a single value.
        """
        is_nominal = np.asarray(nominal, bool)
        found = [
            (a, value) for a in tests for value in _values(values[:, a], is_nominal[a], thresholds)
        ]
        test = np.array([a for a, _ in found], np.intp)
        return cls(test, is_nominal[test], np.array([value for _, value in found]))

    def answers(self, values: Floats) -> Floats:
        """Return the answers of cases: 1 for yes, 0 for no or unknown; or a number as it is."""
        asked = values[:, self.test]
        yes = np.where(self.nominal, asked == self.value, asked <= self.value)
        return np.where(np.isnan(self.value), asked, yes)

    def spans(self) -> Iterator[tuple[int, int, int]]:
        """Yield each test with its first and its last question."""
        tests, first, count = np.unique(self.test, return_index=True, return_counts=True)
        yield from sorted(
            zip(tests.tolist(), first.tolist(), (first + count - 1).tolist(), strict=True),
            key=lambda span: span[1],
        )


def _values(column: Floats, nominal: bool, thresholds: int | None) -> Floats:
    """Return what is worth asking about a test."""
    known = column[~np.isnan(column)]
    distinct = np.unique(known)
    if distinct.size < 2:
        return distinct[:0]
    if nominal:
        return distinct if distinct.size > 2 else distinct[:1]
    if thresholds is None:
        return np.array([np.nan])
    cuts: Floats = (distinct[:-1] + distinct[1:]) / 2
    if cuts.size > thresholds:
        shares = np.arange(1, thresholds + 1) / (thresholds + 1)
        places = np.searchsorted(distinct, np.quantile(known, shares, method="lower"))
        cuts = cuts[np.unique(places[places < cuts.size])]
    return cuts

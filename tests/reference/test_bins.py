"""The twin of binning, by hand."""

from __future__ import annotations

from reference.bins import bins_of, representatives


def test_few_values_have_a_bin_each():
    assert bins_of([5.0, None, 2.0, 5.0], [1] * 4, 2) == [1, None, 0, 1]


def test_equal_parts_by_hand():
    # Middles at .5, 1.5, ... 5.5 of 6, cut into pieces of 2.
    assert bins_of([1, 2, 4, 7, 8, 9], [1] * 6, 3) == [0, 0, 1, 1, 2, 2]


def test_a_frequent_value_takes_up_no_more_than_a_bin_by_hand():
    # Ten cases, two bins: seven zeros count 5, so that the scale is 8 long, cut at 4.
    # The middle of the zeros is 2.5; those of the others are 5.5, 6.5 and 7.5.
    assert bins_of([0] * 7 + [1, 2, 3], [1] * 10, 2) == [0] * 7 + [1, 1, 1]


def test_weights_count_cases():
    assert bins_of([1, 2, 3], [2, 1, 1], 2) == [0, 1, 1]
    assert bins_of([1, 1, 2, 3], [1] * 4, 2) == [0, 0, 1, 1]


def test_the_largest_number_stands_for_a_bin():
    assert representatives([1, 2, None, 9], [0, 0, None, 1]) == [2, 2, None, 9]

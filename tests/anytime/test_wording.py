from __future__ import annotations

import pytest

from frugaltree.anytime.wording import change, duration, gap, short


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0.0 s"),
        (59.94, "59.9 s"),
        (59.96, "1 min 0 s"),
        (3599.4, "59 min 59 s"),
        (3599.6, "1 h 0 min"),
        (360000, "100 h 0 min"),
    ],
)
def test_durations(seconds, text):
    assert duration(seconds) == text


def test_changes():
    assert [change(9, 10), change(11, 10), change(10, 10), change(5, 0)] == [
        "-10.0 %",
        "+10.0 %",
        "",
        "",
    ]


def test_gaps():
    gaps = [gap(8, 6), gap(8, 9), gap(1, 0.99994), gap(1, 0.99996), gap(1, 1 - 1e-12)]
    assert gaps == ["25.00 %", "0.00 %", "0.01 %", "<0.01 %", "0.00 %"]


def test_short_numbers():
    numbers = [0, 0.5, 999.4, 999.6, 999_400, 999_600, 123_456_789]
    shown = ["0", "0.5", "999", "1 k", "999 k", "1 M", "123 M"]
    assert [short(number) for number in numbers] == shown

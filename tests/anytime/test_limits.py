from __future__ import annotations

from decimal import Decimal
from math import inf

import numpy as np
import pytest

from frugaltree.anytime import seconds_in
from frugaltree.exceptions import FrugaltreeError


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        (None, None),
        (0, 0),
        (2.5, 2.5),
        (np.float32(0.5), 0.5),
        (np.int64(3), 3),
        (inf, None),
        ("60s", 60),
        ("60", 60),
        (" 1e2 ", 100),
        ("250 ms", 0.25),
        ("5min", 300),
        ("5 Minutes", 300),
        ("2h", 7200),
        (".5h", 1800),
        ("1.5 hours", 5400),
        ("1h30m", 5400),
        ("1 d 2 h 3 min 4 s", 93784),
    ],
)
def test_limits_of_time(given, seconds):
    assert seconds_in(given) == (seconds if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    "given", ["", "soon", "-5s", "5s!", "s", "nan", "1:30", -1, np.nan, True, Decimal(5), [5], 5j]
)
def test_a_limit_that_cannot_be_read(given):
    with pytest.raises(FrugaltreeError) as error:
        seconds_in(given)
    assert str(error.value) == (
        "time_limit must be a number of seconds, 0 or more, or text such as '60s', '5min' or "
        f"'2h', but is {given!r}; leave it out for no limit."
    )


def test_a_unit_of_time_that_nobody_knows():
    with pytest.raises(FrugaltreeError) as error:
        seconds_in("5 minz")
    assert str(error.value) == (
        "time_limit '5 minz' has the unit 'minz', which is none of ms, s, min, h and d; write "
        "it like '60s', '5min' or '2h'. Did you mean 'min'?"
    )

"""No kernel reads what nobody has written: what a buffer holds beforehand changes no result.

Kernels allocate nothing, so every buffer of theirs comes from ``np.empty`` in Python.
"""

from __future__ import annotations

import json

import pytest

from support.child import run_python

FIT_IN_FILLED_BUFFERS = """
import ctypes, json, sys
import numpy as np
import polars as pl
from frugaltree import Costs
from support.learners import LEARNERS, seeded

byte = int(sys.argv[1])

def filled(make):
    def made(*args, **kwargs):
        array = make(*args, **kwargs)
        if array.dtype != object:
            ctypes.memset(array.ctypes.data, byte, array.nbytes)
        return array
    return made

np.empty, np.empty_like = filled(np.empty), filled(np.empty_like)

rng = np.random.default_rng(0)
gaps = rng.random((2, 40)) < 0.3
colour = rng.choice(["red", "green", "blue"], 40)
size = rng.integers(0, 4, 40)
number = rng.normal(size=40).round(1)
tables = {
    "no value": pl.DataFrame({"nothing": pl.Series([None] * 40, dtype=pl.String)}),
    "no value among others": pl.DataFrame({
        "nothing": pl.Series([None] * 40, dtype=pl.String),
        "colour": colour, "size": size.astype(str), "number": number,
    }),
    "some values": pl.DataFrame({
        "colour": [None if gap else value for gap, value in zip(gaps[0], colour)],
        "number": [None if gap else value for gap, value in zip(gaps[1], number)],
        "size": size.astype(str),
    }),
}
y = ((colour == "red") ^ (number > 0.2)).astype(int) + (size == 3)
out = {}
for title, X in tables.items():
    for learner in LEARNERS:
        costs = Costs(default_test_cost=2, delayed=X.columns[:1], errors=30)
        fitted = seeded(learner)(costs).fit(X, y)
        out[f"{title}, {learner.__name__}"] = [
            fitted.to_text(), repr(fitted.expected_cost_), fitted.predict_proba(X).tolist(),
            fitted.bill(X).tolist(),
        ]
print(json.dumps(out))
"""


@pytest.mark.slow
def test_no_kernel_reads_what_nobody_has_written():
    zeros = json.loads(run_python(FIT_IN_FILLED_BUFFERS, "0"))
    for byte in (0x55, 0xC0):  # integers far above and far below any index
        assert json.loads(run_python(FIT_IN_FILLED_BUFFERS, str(byte))) == zeros

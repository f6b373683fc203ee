"""Price lists to test with."""

from __future__ import annotations

from hypothesis import strategies as st

NAMES = ["age", "chol", "fbs", "thal"]


prices = st.one_of(st.integers(0, 1000), st.floats(0, 1000))

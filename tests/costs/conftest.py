"""What the tests of costs share."""

from __future__ import annotations

import pytest

from frugaltree.costs import Costs, Group


@pytest.fixture
def heart() -> Costs:
    return Costs(
        tests={"age": 1, "chol": 5.17, "fbs": 3.10, "thal": 1.00},
        groups={"blood": Group(["chol", "fbs"], cost=2.10)},
        delayed=["chol", "fbs"],
        errors={("healthy", "sick"): 1000, ("sick", "healthy"): 200},
    )

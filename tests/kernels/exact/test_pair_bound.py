"""A look two tests ahead: the same optimum as without it, and fewer states on the way there."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frugaltree import Costs, FrugalTreeClassifier, Group
from frugaltree.engines.exact import threads as workers
from support.child import run_python
from support.examples import EXAMPLES, many


class Counting(FrugalTreeClassifier):
    """Tells in ``states_`` how many states were expanded."""

    @property
    def states_(self) -> int:
        """The work done by the end of the search."""
        return self.history_[-1].steps


def table(seed: int) -> tuple[np.ndarray, np.ndarray, Costs, dict[str, Any]]:
    """Return answers, classes, costs and limits; the classes depend on a few of the tests."""
    rng = np.random.default_rng(seed)
    n, n_tests, n_classes = rng.integers(2, 300), rng.integers(2, 7), rng.integers(2, 4)
    domains = rng.integers(2, 5, n_tests)
    X = rng.integers(0, domains, (n, n_tests)).astype(float)
    y = (X[:, :3].sum(axis=1) + (rng.random(n) < 0.2)).astype(int) % n_classes
    if rng.random() < 0.4:
        X[rng.random(X.shape) < 0.05] = np.nan
    prices = rng.integers(0, 60, n_tests).astype(float)
    members = [rng.permutation(n_tests)[:2].tolist() for _ in range(rng.integers(0, 3))]
    groups = {f"{g}": Group({a: prices[a] / 2 for a in pair}) for g, pair in enumerate(members)}
    costs = Costs(prices.tolist(), groups, errors=float(rng.choice([100.0, 1000.0])))
    nominal = [a for a in range(n_tests) if a > 0 or rng.random() < 0.8]
    max_depth = [None, 2, 2, 3][rng.integers(4)]
    pessimism = ["paper", "none", 0.1][rng.integers(3)]
    how = {"categorical_features": nominal, "max_depth": max_depth, "pessimism": pessimism}
    how["min_cases"] = int(rng.integers(1, 4))
    return X, y, costs, how


def fitted(seed: int) -> Counting:
    X, y, costs, how = table(seed)
    return Counting(costs, max_steps=20_000, random_state=0, **how).fit(X, y)


@pytest.mark.filterwarnings("ignore:group:UserWarning")
@pytest.mark.filterwarnings("ignore:all cases are of one class:UserWarning")
@settings(many, max_examples=max(1, EXAMPLES // 5))
@given(st.integers(0, 2**32 - 1))
def test_the_optimum_is_the_same(seed: int) -> None:
    ahead = fitted(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers, "words_for", lambda n_cases, n_classes: 0)
        plain = fitted(seed)
    if ahead.termination_ == plain.termination_ == "optimal":
        assert ahead.expected_cost_ == pytest.approx(plain.expected_cost_, rel=1e-9, abs=1e-9)
    assert ahead.lower_bound_ <= plain.expected_cost_ * (1 + 1e-9)
    assert plain.lower_bound_ <= ahead.expected_cost_ * (1 + 1e-9)


def test_fewer_states_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (250, 9)).astype(float)
    y = X[:, :4].sum(axis=1) % 2
    costs = Costs([10.0] * 9, errors=1000.0)
    for max_depth, share in ((None, 0.8), (3, 0.6)):
        states = []
        for words in (4, 0):
            monkeypatch.setattr(workers, "words_for", lambda *_, words=words: words)
            learner = Counting(costs, pessimism="paper", max_depth=max_depth, random_state=0)
            states.append(
                learner.set_params(categorical_features=list(range(9))).fit(X, y).states_
            )
            assert learner.termination_ == "optimal"
        assert states[0] < share * states[1]


RUN = "import runpy; runpy.run_module('support.two_tests', run_name='__main__')"


def test_it_never_exceeds_the_cheapest_tree_by_enumeration() -> None:
    found = json.loads(run_python(RUN, str(2 * EXAMPLES), "1", NUMBA_DISABLE_JIT="1"))
    assert found["checked"] > EXAMPLES / 4
    assert found["wrong"] == 0


def test_a_bound_a_little_too_large_is_caught() -> None:
    assert json.loads(run_python(RUN, "200", "1.01", NUMBA_DISABLE_JIT="1"))["wrong"] > 0

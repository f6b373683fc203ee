"""The learners of the study: who they are, and that each can be run."""

from __future__ import annotations

import pytest

from frugaltree import _registry
from study.clusters import run_job
from study.learners import FRUGAL, LEARNERS, PAPER, PEERS, TUNED
from study.plan import choose
from study.units import Unit

NEEDS = {"cart": "sklearn", "streed": "pystreed", "lightgbm": "lightgbm"}


@pytest.fixture(params=NEEDS)
def key(request):
    pytest.importorskip(NEEDS[request.param])
    return request.param


def test_peers_come_after_the_paper():
    assert len(PAPER) == 8
    assert PEERS == ("cart", "streed", "lightgbm")
    assert TUNED == ("eg2-tuned", "dtmc-tuned", "act-tuned")
    assert tuple(LEARNERS) == (*_registry.LEARNERS, *PEERS, *TUNED)
    assert set(PAPER) == {*_registry.LEARNERS} - {"id3", FRUGAL}
    experiment = choose([])[-1]
    assert (experiment.name, experiment.fills) == ("peers", ("peers",))
    assert len(experiment.units()) == 4 * 105 * 5 * 10


def test_a_unit_of_a_peer(key):
    (outcome,), failed = run_job([Unit(key, "iris", "1", "1000", 0)])
    assert not failed
    assert outcome.cases == 15
    assert outcome.test_cost > 0
    (same,), _ = run_job([Unit(key, "iris", "1", "1000", 0)])
    assert same._replace(seconds=0) == outcome._replace(seconds=0)

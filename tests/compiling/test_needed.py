"""Which kernels a learner needs, found out with interpreted ones."""

from __future__ import annotations

import importlib
import pickle
import pkgutil

import numba
import pytest

import frugaltree.kernels
from frugaltree import EG2Classifier
from frugaltree.compiling import Needed, record
from frugaltree.compiling.needed import parts_of
from frugaltree.estimators.gains import information_gains
from frugaltree.estimators.rehearsal import CLASSES, TABLE, rehearsal_of
from frugaltree.kernels.jit import Kernel
from support.learners import LEARNERS

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")


def every_kernel() -> set[tuple[str, str]]:
    """Return the module and the name of every kernel of the package."""
    found = set()
    for module in pkgutil.walk_packages(frugaltree.kernels.__path__, "frugaltree.kernels."):
        for one in vars(importlib.import_module(module.name)).values():
            if isinstance(one, Kernel):
                found.add((one.py_func.__module__, one.py_func.__name__))
    return found


@pytest.fixture(scope="module")
def needed() -> list[Needed]:
    """Return what all learners together need."""
    runs = [rehearsal_of(learner)[1] for learner in LEARNERS]
    runs.append(lambda: information_gains(TABLE, CLASSES))
    return [one for run in runs for one in record(run)]


@pytest.fixture(scope="module")
def needed_of_long_tables() -> set[Needed]:
    """Return what all learners together need for long tables."""
    runs = [rehearsal_of(learner, long=True)[1] for learner in LEARNERS]
    return {one for run in runs for one in record(run)}


def test_every_kernel_is_rehearsed_once(needed):
    """Else somebody would wait for one after a warm-up, or for a second form of it."""
    assert {(one.module, one.name) for one in needed} == every_kernel()
    assert len(set(needed)) == len(every_kernel())


def test_long_tables_need_a_second_form_of_few_kernels(needed, needed_of_long_tables):
    """Those that read codes, which are of one byte there."""
    more = needed_of_long_tables - set(needed)
    assert len({one.name for one in more}) == len(more)
    assert all("uint8, 2d" in str(one.arguments) for one in more)
    assert {"grow_by_gain", "grow_by_reduction", "recount", "find_ways"} <= {o.name for o in more}


def test_a_kernel_can_be_handed_to_another_process(needed):
    for one in needed:
        again = pickle.loads(pickle.dumps(one))
        assert again == one
        assert again.kernel is one.kernel


def test_work_counts_each_part_once(needed):
    solve = next(one for one in needed if one.name == "solve")
    parts = list(parts_of(solve.kernel))
    assert len(parts) == len(set(parts)) > 50
    assert solve.work > 10 * min(one.work for one in needed)


def test_recording_ends(needed):
    with pytest.raises(ZeroDivisionError):
        record(lambda: 1 / 0)
    fitted = EG2Classifier().fit(TABLE, CLASSES)
    assert fitted.tree_.n_nodes > 0
    assert record(lambda: None) == []


def test_a_derived_learner_counts_as_what_it_derives_from():
    class Mine(EG2Classifier):
        """Somebody's own."""

    assert rehearsal_of(Mine)[0] == "EG2Classifier"
    assert rehearsal_of(int)[0] == "int"
    assert record(rehearsal_of(int)[1]) == []

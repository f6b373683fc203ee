"""The table of states: what is kept is found again, narrowed only, by however many threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba
import numpy as np
import pytest

from frugaltree.kernels.exact.atomic import OPEN, lock, swap, unlock
from frugaltree.kernels.exact.state_table import LOCK, WORK, States, find, keep
from frugaltree.kernels.jit import OPTIONS
from frugaltree.kernels.sentinels import NONE

STAMP = np.int64(1)


def key(i: int) -> tuple[np.uint64, np.uint64]:
    return np.uint64(i), np.uint64(1000 + i)


def test_what_is_kept_is_found_and_narrowed() -> None:
    states = States.empty(0)
    assert find(states, STAMP, *key(7)) == (0.0, np.inf, NONE)
    assert keep(states, STAMP, *key(7), 1.0, 9.0, 3, 5) == 1
    assert keep(states, STAMP, *key(7), 0.5, 8.0, 4, 5) == 0
    assert keep(states, STAMP, *key(7), 2.0, 8.5, 6, 5) == 0
    assert find(states, STAMP, *key(7)) == (2.0, 8.0, 4)
    assert find(states, STAMP, *key(7 + 64)) == (0.0, np.inf, NONE)
    assert find(states, STAMP + 1, *key(7)) == (0.0, np.inf, NONE)


def test_a_full_table_gives_up_what_took_least_work() -> None:
    states = States.empty(0)
    for i in range(64):
        assert keep(states, STAMP, *key(i), 1.0, 2.0, 0, 10 + i) == 1
    assert keep(states, STAMP, *key(64), 1.0, 2.0, 0, 99) == 0
    assert find(states, STAMP, *key(0)) == (0.0, np.inf, NONE)
    assert find(states, STAMP, *key(64)) == (1.0, 2.0, 0)


def test_a_word_is_swapped() -> None:
    words = np.zeros((2, 2), np.int64)
    lock(words, 1, 0)
    assert swap(words, 1, 0, 5) == 1
    unlock(words, 1, 0)
    assert (words == OPEN).all()


@numba.njit(**OPTIONS)
def keep_many(states: Any, n: int, n_keys: int, thread: int) -> int:
    """Keep and find states whose bounds tell which they are; return how often they did not."""
    wrong = 0
    for i in range(n):
        k = (i * (2 * thread + 1)) % n_keys
        keep(
            states, np.int64(1), np.uint64(k), np.uint64(k + 1000),
            1.0 * k, 2.0 * k + 1.0, np.int64(k), np.int64(1),
        )  # fmt: skip
        k = (k + thread) % n_keys
        lower, upper, action = find(states, np.int64(1), np.uint64(k), np.uint64(k + 1000))
        if upper < np.inf and (lower != 1.0 * k or upper != 2.0 * k + 1.0 or action != k):
            wrong += 1
    return wrong


@pytest.mark.parametrize("n_keys", [8, 64, 200])
def test_threads_do_not_spoil_it(n_keys: int) -> None:
    """With room for 64 states: few that everybody writes to, all there is room for, too many."""
    states, n = States.empty(0), 100_000
    with ThreadPoolExecutor(4) as pool:
        wrong = list(pool.map(lambda i: keep_many(states, n, n_keys, i), range(4)))
    assert wrong == [0] * 4
    assert (states.facts[:, LOCK] == OPEN).all()
    if n_keys <= 64:
        assert states.facts[:, WORK].sum() == 4 * n
        assert (states.facts[:, WORK] > 0).sum() == n_keys

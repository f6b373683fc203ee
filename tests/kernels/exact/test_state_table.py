"""The table of states: what is kept is found again, narrowed only, by however many threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba
import numpy as np
import pytest

from frugaltree.kernels.exact.atomic import OPEN, lock, swap, unlock
from frugaltree.kernels.exact.state_table import LINE, Found, States, find, keep
from frugaltree.kernels.jit import OPTIONS
from frugaltree.kernels.sentinels import NONE

STAMP = np.int64(1)


def found(i: int, lower: float, upper: float, action: int, work: int) -> Found:
    return Found(*key(i), lower, upper, action, work)


def key(i: int) -> tuple[np.uint64, np.uint64]:
    return np.uint64(i), np.uint64(1000 + i)


def test_a_line_is_a_line_of_the_cache() -> None:
    assert LINE.itemsize == 64


def test_what_is_kept_is_found_and_narrowed() -> None:
    lines = States.empty(0).lines
    assert find(lines, STAMP, *key(7)) == (0.0, np.inf, NONE)
    assert keep(lines, STAMP, found(7, 1.0, 9.0, 3, 5)) == 1
    assert keep(lines, STAMP, found(7, 0.5, 8.0, 4, 5)) == 0
    assert keep(lines, STAMP, found(7, 2.0, 8.5, 6, 5)) == 0
    assert find(lines, STAMP, *key(7)) == (2.0, 8.0, 4)
    assert find(lines, STAMP, *key(7 + 64)) == (0.0, np.inf, NONE)
    assert find(lines, STAMP + 1, *key(7)) == (0.0, np.inf, NONE)


def test_a_full_table_gives_up_what_took_least_work() -> None:
    lines = States.empty(0).lines
    for i in range(64):
        assert keep(lines, STAMP, found(i, 1.0, 2.0, 0, 10 + i)) == 1
    assert keep(lines, STAMP, found(64, 1.0, 2.0, 0, 99)) == 0
    assert find(lines, STAMP, *key(0)) == (0.0, np.inf, NONE)
    assert find(lines, STAMP, *key(64)) == (1.0, 2.0, 0)


def test_words_are_lines_again() -> None:
    states = States.empty(0)
    keep(states.lines, STAMP, found(7, 1.0, 9.0, 3, 5))
    keep(states.lines, STAMP + 1, found(8, 1.0, 9.0, 3, 5))
    words = states.words(int(STAMP))
    assert words.tolist() == [[7, 1007, *np.array([1.0, 9.0]).view(np.uint64), 3, 5, 1, OPEN]]
    assert find(States.of_words(words).lines[:1], STAMP, *key(7)) == (1.0, 9.0, 3)


def test_a_lock_is_swapped() -> None:
    lines = States.empty(0).lines
    lock(lines, 1)
    assert swap(lines, 1, 5) == 1
    unlock(lines, 1)
    assert (lines.lock == OPEN).all()


@numba.njit(**OPTIONS)
def keep_many(lines: Any, n: int, n_keys: int, thread: int) -> int:
    """Keep and find states whose bounds tell which they are; return how often they did not."""
    wrong = 0
    for i in range(n):
        k = (i * (2 * thread + 1)) % n_keys
        one = Found(
            key0=np.uint64(k), key1=np.uint64(k + 1000), lower=1.0 * k, upper=2.0 * k + 1.0,
            action=np.int64(k), work=np.int64(1),
        )  # fmt: skip
        keep(lines, np.int64(1), one)
        k = (k + thread) % n_keys
        lower, upper, action = find(lines, np.int64(1), np.uint64(k), np.uint64(k + 1000))
        if upper < np.inf and (lower != 1.0 * k or upper != 2.0 * k + 1.0 or action != k):
            wrong += 1
    return wrong


@pytest.mark.parametrize("n_keys", [8, 64, 200])
def test_threads_do_not_spoil_it(n_keys: int) -> None:
    """With room for 64 states: few that everybody writes to, all there is room for, too many."""
    lines, n = States.empty(0).lines, 100_000
    with ThreadPoolExecutor(4) as pool:
        wrong = list(pool.map(lambda i: keep_many(lines, n, n_keys, i), range(4)))
    assert wrong == [0] * 4
    assert (lines.lock == OPEN).all()
    if n_keys <= 64:
        assert lines.work.sum() == 4 * n
        assert (lines.work > 0).sum() == n_keys

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from frugaltree.datasets import (
    make_multi_and_or,
    make_multi_xor,
    make_multiplexer,
    make_xor,
    make_xor_3d,
)
from frugaltree.exceptions import FrugaltreeError

MAKERS = [make_multiplexer, make_xor, make_multi_xor, make_multi_and_or, make_xor_3d]


def bits(X: pl.DataFrame) -> list[list[int]]:
    return [[int(value) for value in case] for case in X.rows()]


def labels(y: pl.Series) -> list[int]:
    return [int(label) for label in y]


@pytest.mark.parametrize("address_bits", [1, 2, 3, 4])
def test_multiplexer(address_bits: int) -> None:
    X, y = make_multiplexer(300, address_bits, random_state=1)
    assert X.width == address_bits + 2**address_bits
    for case, label in zip(bits(X), labels(y), strict=True):
        address = int("".join(map(str, case[:address_bits])), 2)
        assert label == case[address_bits:][address]


@pytest.mark.parametrize(("n_relevant", "n_irrelevant"), [(1, 0), (2, 3), (5, 5)])
def test_xor(n_relevant: int, n_irrelevant: int) -> None:
    X, y = make_xor(300, n_relevant, n_irrelevant, random_state=1)
    assert X.width == n_relevant + n_irrelevant
    assert labels(y) == [sum(case[:n_relevant]) % 2 for case in bits(X)]


def test_multi_xor() -> None:
    X, y = make_multi_xor(300, random_state=1)
    assert X.width == 11
    for x, label in zip(bits(X), labels(y), strict=True):
        parts = {
            (0, 0): x[2] ^ x[3],
            (0, 1): x[4] ^ x[5],
            (1, 0): x[6] ^ x[7],
            (1, 1): x[8] ^ x[9],
        }
        assert label == parts[x[0], x[1]]


def test_multi_and_or() -> None:
    X, y = make_multi_and_or(300, random_state=1)
    assert X.width == 11
    for x, label in zip(bits(X), labels(y), strict=True):
        parts = {
            (0, 0): x[2] & x[3],
            (0, 1): x[4] | x[5],
            (1, 0): x[6] | x[7],
            (1, 1): x[8] & x[9],
        }
        assert label == parts[x[0], x[1]]


def test_xor_3d() -> None:
    X, y = make_xor_3d(300, n_irrelevant=2, random_state=1)
    points = X.to_numpy()
    assert X.width == 5
    assert (np.abs(points) <= 1).all()
    product = points[:, 0] * points[:, 1] * points[:, 2]
    assert y.to_list() == ["positive" if p > 0 else "negative" for p in product]


def test_sizes_are_those_of_the_study() -> None:
    shapes = [maker(random_state=0)[0].shape for maker in MAKERS]
    assert shapes == [(615, 20), (200, 10), (200, 11), (200, 11), (200, 6)]


@pytest.mark.parametrize("maker", MAKERS)
def test_types_and_names(maker: Callable[..., Any]) -> None:
    X, y = maker(random_state=0)
    assert X.columns == [f"x{i + 1}" for i in range(X.width)]
    kind = pl.Float64() if maker is make_xor_3d else pl.Enum(["0", "1"])
    assert set(X.dtypes) == {kind}
    assert y.name == "class"
    assert y.dtype == pl.Enum(["negative", "positive"] if maker is make_xor_3d else ["0", "1"])


@pytest.mark.parametrize("maker", MAKERS)
def test_frames(maker: Callable[..., Any]) -> None:
    ref, label = maker(random_state=0)
    X, y = maker(random_state=0, frame="pandas")
    assert isinstance(X, pd.DataFrame)
    assert y.tolist() == label.to_list()
    X, y = maker(random_state=0, frame="arrow")
    assert isinstance(X, pa.Table)
    assert X.to_pylist() == ref.to_dicts()
    assert y.to_pylist() == label.to_list()


@pytest.mark.parametrize("maker", MAKERS)
def test_same_seed_same_cases(maker: Callable[..., Any]) -> None:
    assert maker(random_state=3)[0].equals(maker(random_state=3)[0])
    assert not maker(random_state=3)[0].equals(maker(random_state=4)[0])
    old = [maker(random_state=np.random.RandomState(3))[0] for _ in range(2)]
    assert old[0].equals(old[1])


def test_one_generator_draws_on() -> None:
    rng = np.random.default_rng(0)
    first, second = make_xor(random_state=rng)[0], make_xor(random_state=rng)[0]
    assert not first.equals(second)
    assert first.equals(make_xor(random_state=np.random.default_rng(0))[0])


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: make_xor(-1), "n_samples must be a whole number of at least 0, not -1."),
        (
            lambda: make_xor("a"),  # type: ignore[arg-type]
            "n_samples must be a whole number of at least 0, not 'a'.",
        ),
        (
            lambda: make_multi_xor(10.5),  # type: ignore[arg-type]
            "n_samples must be a whole number of at least 0, not 10.5.",
        ),
        (
            lambda: make_xor(n_relevant=0),
            "n_relevant must be a whole number of at least 1, not 0.",
        ),
        (
            lambda: make_multiplexer(address_bits=0),
            "address_bits must be a whole number of at least 1, not 0.",
        ),
        (
            lambda: make_xor_3d(n_irrelevant=-2),
            "n_irrelevant must be a whole number of at least 0, not -2.",
        ),
        (
            lambda: make_xor(random_state="abc"),  # type: ignore[arg-type]
            "random_state must be None, a whole number of at least 0, or a numpy Generator or "
            "RandomState, not 'abc'.",
        ),
        (
            lambda: make_xor_3d(random_state=-1),
            "random_state must be None, a whole number of at least 0, or a numpy Generator or "
            "RandomState, not -1.",
        ),
        (
            lambda: make_multi_xor(frame="arow"),  # type: ignore[arg-type]
            "frame must be 'polars', 'pandas' or 'arrow', not 'arow'. Did you mean 'arrow'?",
        ),
    ],
)
def test_errors_say_what_to_do(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(FrugaltreeError) as error:
        call()
    assert str(error.value) == sentence

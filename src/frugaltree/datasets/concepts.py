"""The study's hard concepts, generated: parities and their kin, which no greedy measure sees."""

from __future__ import annotations

from reprlib import repr as shortened
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from frugaltree.datasets.catalogue import CLASS
from frugaltree.datasets.frames import (
    Column,
    Frame,
    FrameKind,
    check_frame_kind,
    to_column,
    to_frame,
)
from frugaltree.exceptions import FrugaltreeError

if TYPE_CHECKING:
    import polars as pl

Seed = int | np.random.Generator | np.random.RandomState | None
Bits = NDArray[np.int64]

BITS = ("0", "1")
SIGNS = ("negative", "positive")


def generator(random_state: Seed) -> np.random.Generator:
    """Return a numpy Generator for anything that scikit-learn takes as a random state.

    A Generator is used as it is, so that several calls draw from one stream.

    >>> int(generator(0).integers(100)), int(generator(0).integers(100))
    (85, 85)
    """
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**32, size=4, dtype=np.uint32))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise FrugaltreeError(
            "random_state must be None, a whole number of at least 0, or a numpy Generator or "
            f"RandomState, not {shortened(random_state)}."
        ) from None


def make_multiplexer(
    n_samples: int = 615,
    address_bits: int = 4,
    random_state: Seed = None,
    *,
    frame: FrameKind = "polars",
) -> tuple[Frame, Column]:
    """Generate a multiplexer: the address bits say which data bit is the class.

    Parameters
    ----------
    n_samples
        Number of cases; 615 in the study's table.
    address_bits
        Number k of address bits, the first being the most significant; 2^k data bits follow.
    random_state
        Seed, numpy Generator or RandomState; None draws differently each time.
    frame
        ``"polars"``, ``"pandas"`` or ``"arrow"``.

    Returns
    -------
    X, y
        Bits ``x1``, ``x2``, ... as nominal values ``"0"`` and ``"1"``, and the class.

    Examples
    --------
    With one address bit, the class is x2 where x1 is 0, and else x3.

    >>> X, y = make_multiplexer(4, address_bits=1, random_state=1)
    >>> for case, label in zip(X.rows(), y): print(*case, "->", label)
    0 1 1 -> 1
    1 0 0 -> 0
    1 1 0 -> 0
    0 1 0 -> 1
    """
    _check(n_samples=n_samples)
    _check(address_bits=address_bits, least=1)
    bits = _bits(n_samples, address_bits + 2**address_bits, random_state)
    address = bits[:, :address_bits] @ (1 << np.arange(address_bits)[::-1])
    chosen = bits[np.arange(n_samples), address_bits + address]
    return _nominal(bits, chosen, frame)


def make_xor(
    n_samples: int = 200,
    n_relevant: int = 5,
    n_irrelevant: int = 5,
    random_state: Seed = None,
    *,
    frame: FrameKind = "polars",
) -> tuple[Frame, Column]:
    """Generate a parity: the class is the XOR of the first bits, the others say nothing.

    Parameters
    ----------
    n_samples
        Number of cases.
    n_relevant
        Number of bits whose parity is the class.
    n_irrelevant
        Number of bits that follow and do not matter.
    random_state
        Seed, numpy Generator or RandomState; None draws differently each time.
    frame
        ``"polars"``, ``"pandas"`` or ``"arrow"``.

    Returns
    -------
    X, y
        Bits ``x1``, ``x2``, ... as nominal values ``"0"`` and ``"1"``, and the class.

    Examples
    --------
    The class is 1 where exactly one of x1 and x2 is; x3 does not matter.

    >>> X, y = make_xor(4, n_relevant=2, n_irrelevant=1, random_state=1)
    >>> for case, label in zip(X.rows(), y): print(*case, "->", label)
    0 1 1 -> 1
    1 0 0 -> 1
    1 1 0 -> 0
    0 1 0 -> 1
    """
    _check(n_samples=n_samples, n_irrelevant=n_irrelevant)
    _check(n_relevant=n_relevant, least=1)
    bits = _bits(n_samples, n_relevant + n_irrelevant, random_state)
    return _nominal(bits, bits[:, :n_relevant].sum(axis=1) % 2, frame)


def make_multi_xor(
    n_samples: int = 200, random_state: Seed = None, *, frame: FrameKind = "polars"
) -> tuple[Frame, Column]:
    """Generate four XOR concepts of which two bits select one.

    The pair x1 x2, read as a number, selects x3 ⊕ x4, x5 ⊕ x6, x7 ⊕ x8 or x9 ⊕ x10; x11 does
    not matter.

    Parameters
    ----------
    n_samples
        Number of cases.
    random_state
        Seed, numpy Generator or RandomState; None draws differently each time.
    frame
        ``"polars"``, ``"pandas"`` or ``"arrow"``.

    Returns
    -------
    X, y
        Bits ``x1`` to ``x11`` as nominal values ``"0"`` and ``"1"``, and the class.

    Examples
    --------
    >>> X, y = make_multi_xor(200, random_state=0)
    >>> X.shape, y.unique().to_list()
    ((200, 11), ['0', '1'])
    """
    _check(n_samples=n_samples)
    bits = _bits(n_samples, 11, random_state)
    first, second = _selected_pair(bits)
    return _nominal(bits, first ^ second, frame)


def make_multi_and_or(
    n_samples: int = 200, random_state: Seed = None, *, frame: FrameKind = "polars"
) -> tuple[Frame, Column]:
    """Generate two AND and two OR concepts of which two bits select one.

    The pair x1 x2, read as a number, selects x3 ∧ x4, x5 ∨ x6, x7 ∨ x8 or x9 ∧ x10; x11 does
    not matter.

    Parameters
    ----------
    n_samples
        Number of cases.
    random_state
        Seed, numpy Generator or RandomState; None draws differently each time.
    frame
        ``"polars"``, ``"pandas"`` or ``"arrow"``.

    Returns
    -------
    X, y
        Bits ``x1`` to ``x11`` as nominal values ``"0"`` and ``"1"``, and the class.

    Examples
    --------
    >>> X, y = make_multi_and_or(200, random_state=0)
    >>> X.shape, y.unique().to_list()
    ((200, 11), ['0', '1'])
    """
    _check(n_samples=n_samples)
    bits = _bits(n_samples, 11, random_state)
    first, second = _selected_pair(bits)
    conjunction = bits[:, 0] == bits[:, 1]
    return _nominal(bits, np.where(conjunction, first & second, first | second), frame)


def make_xor_3d(
    n_samples: int = 200,
    n_irrelevant: int = 3,
    random_state: Seed = None,
    *,
    frame: FrameKind = "polars",
) -> tuple[Frame, Column]:
    """Generate XOR in space: the class is the sign of x1 · x2 · x3.

    Parameters
    ----------
    n_samples
        Number of cases.
    n_irrelevant
        Number of tests that follow the first three and do not matter.
    random_state
        Seed, numpy Generator or RandomState; None draws differently each time.
    frame
        ``"polars"``, ``"pandas"`` or ``"arrow"``.

    Returns
    -------
    X, y
        Numbers ``x1``, ``x2``, ..., uniform on [-1, 1], and the class, ``"negative"`` or
        ``"positive"``.

    Examples
    --------
    >>> X, y = make_xor_3d(2, n_irrelevant=0, random_state=0)
    >>> for case, label in zip(X.rows(), y): print(*(round(x, 2) for x in case), "->", label)
    0.27 -0.46 -0.92 -> positive
    -0.97 0.63 0.83 -> negative
    """
    _check(n_samples=n_samples, n_irrelevant=n_irrelevant)
    points = generator(random_state).uniform(-1.0, 1.0, size=(n_samples, 3 + n_irrelevant))
    positive = (points[:, :3].prod(axis=1) > 0).astype(np.int64)
    return _framed({f"x{i + 1}": x for i, x in enumerate(points.T)}, positive, SIGNS, frame)


def _selected_pair(bits: Bits) -> tuple[Bits, Bits]:
    start = 2 + 2 * (2 * bits[:, 0] + bits[:, 1])
    rows = np.arange(len(bits))
    return bits[rows, start], bits[rows, start + 1]


def _bits(n_samples: int, n_tests: int, random_state: Seed) -> Bits:
    return generator(random_state).integers(0, 2, size=(n_samples, n_tests), dtype=np.int64)


def _nominal(bits: Bits, label: Bits, frame: FrameKind) -> tuple[Frame, Column]:
    columns = {f"x{i + 1}": _enum(f"x{i + 1}", bit, BITS) for i, bit in enumerate(bits.T)}
    return _framed(columns, label, BITS, frame)


def _enum(name: str, codes: Bits, values: tuple[str, ...]) -> pl.Series:
    import polars as pl

    return pl.Series(name, np.array(values)[codes].tolist(), dtype=pl.Enum(values))


def _framed(
    columns: dict[str, pl.Series] | dict[str, NDArray[np.float64]],
    label: Bits,
    labels: tuple[str, ...],
    frame: FrameKind,
) -> tuple[Frame, Column]:
    import polars as pl

    check_frame_kind(frame)
    return to_frame(pl.DataFrame(columns), frame), to_column(_enum(CLASS, label, labels), frame)


def _check(*, least: int = 0, **numbers: int) -> None:
    for name, number in numbers.items():
        if not isinstance(number, int | np.integer) or number < least:
            raise FrugaltreeError(
                f"{name} must be a whole number of at least {least}, not {shortened(number)}."
            )

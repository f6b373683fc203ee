"""The genetic algorithm of ICET, after GENESIS: strings of bits and the next generation of them.

What is drawn at random (:class:`Draws`) is kept apart from what is done with it, so that a
generation follows from the one before and these draws alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from frugaltree.kernels.ties import TOLERANCE

Floats = npt.NDArray[np.float64]
Strings = npt.NDArray[np.uint8]
"""One string of bits a row."""

Range = tuple[float, float]


def from_gray(bits: Strings) -> npt.NDArray[np.int64]:
    """Return the numbers that Gray codes along the last axis stand for.

    Neighbouring numbers differ in one bit, so that a small step never needs a leap in the code.

    Examples
    --------
    >>> from_gray(np.array([[0, 0], [0, 1], [1, 1], [1, 0]], np.uint8)).tolist()
    [0, 1, 2, 3]
    """
    plain = np.bitwise_xor.accumulate(bits, axis=-1)
    return np.asarray(plain @ (1 << np.arange(bits.shape[-1])[::-1]))


def to_gray(numbers: npt.NDArray[np.int64], n_bits: int) -> Strings:
    """Return numbers in Gray code, along a new last axis.

    Examples
    --------
    >>> to_gray(np.array([0, 1, 2, 3]), 2).tolist()
    [[0, 0], [0, 1], [1, 1], [1, 0]]
    """
    gray = numbers ^ (numbers >> 1)
    return np.asarray(gray[..., None] >> np.arange(n_bits)[::-1] & 1, np.uint8)


@dataclass(frozen=True)
class Scale:
    """Evenly spaced numbers, spelled in so many bits.

    Examples
    --------
    >>> scale = Scale((1.0, 4.0), 2)
    >>> scale.decode(np.array([[0, 0], [1, 0]], np.uint8)).tolist()
    [1.0, 4.0]
    >>> scale.encode(np.array([2.2])).tolist()  # as 2
    [[0, 1]]
    """

    range: Range
    n_bits: int

    @property
    def step(self) -> float:
        """The distance of two neighbours."""
        return (self.range[1] - self.range[0]) / float(2**self.n_bits - 1)

    def decode(self, bits: Strings) -> Floats:
        """Return the numbers that bits along the last axis spell."""
        return np.asarray(self.range[0] + self.step * from_gray(bits))

    def encode(self, values: Floats, limit: float = np.inf) -> Strings:
        """Return the bits of the nearest numbers, none of them above ``limit``."""
        low, high = self.range
        step = self.step or 1.0
        places = np.rint((np.clip(values, low, high) - low) / step)
        last = np.floor((min(high, limit) - low) / step + 1e-9)
        return to_gray(places.clip(0, max(last, 0)).astype(np.int64), self.n_bits)


@dataclass(frozen=True)
class Encoding:
    """How a string spells a bias: the price of each test, then w and cf."""

    n_tests: int
    price: Scale
    w: Scale
    cf: Scale

    @property
    def length(self) -> int:
        """The number of bits in a string."""
        return self.n_tests * self.price.n_bits + self.w.n_bits + self.cf.n_bits

    def decode(self, strings: Strings) -> tuple[Floats, Floats, Floats]:
        """Return prices, one row a string, w and cf."""
        priced, weighed = self.n_tests * self.price.n_bits, self.length - self.cf.n_bits
        shape = len(strings), self.n_tests, self.price.n_bits
        return (
            self.price.decode(strings[:, :priced].reshape(shape)),
            self.w.decode(strings[:, priced:weighed]),
            self.cf.decode(strings[:, weighed:]),
        )

    def encode(self, prices: Floats, w: float, cf: float, limit: float = np.inf) -> Strings:
        """Return the string of the nearest bias, with no price above ``limit``."""
        parts = [
            self.price.encode(prices, limit).ravel(),
            self.w.encode(np.array(w)),
            self.cf.encode(np.array(cf)),
        ]
        return np.concatenate(parts)


class Draws(NamedTuple):
    """What is drawn at random for the next generation."""

    spin: float  # of the wheel that selects, in [0, 1)
    order: npt.NDArray[np.intp]  # in which the selected strings stand
    flips: npt.NDArray[np.bool_]  # bool[string, bit]: mutations
    points: npt.NDArray[np.int64]  # int64[pair, 2]: ends of the stretch that a pair swaps

    @classmethod
    def draw(
        cls,
        rng: np.random.Generator,
        shape: tuple[int, int],
        crossover_rate: float,
        mutation_rate: float,
    ) -> Draws:
        """Draw for a population of this shape."""
        n, length = shape
        n_pairs = int(n * crossover_rate / 2 + 1e-9)
        spin, order = rng.random(), rng.permutation(n)
        flips = rng.random(shape) < mutation_rate
        first = rng.integers(0, length + 1, n_pairs)
        second = rng.integers(0, length, n_pairs)
        second += second >= first  # two different points
        return cls(spin, order, flips, np.sort(np.stack([first, second], axis=1), axis=1))


def expected_copies(costs: Floats, worst: float) -> Floats:
    """Return how many copies each string should have: by how much it is below the worst.

    Examples
    --------
    >>> expected_copies(np.array([1.0, 3.0, 5.0, 7.0]), 5.0).tolist()
    [2.6666666666666665, 1.3333333333333333, 0.0, 0.0]
    >>> expected_copies(np.array([5.0, 5.0]), 5.0).tolist()
    [1.0, 1.0]
    """
    fitness = np.maximum(worst - costs, 0.0)
    total = fitness.sum()
    return fitness * (costs.size / total) if total > 0 else np.ones(costs.size)


def select(costs: Floats, worst: float, spin: float) -> npt.NDArray[np.intp]:
    """Return which strings are copied, by stochastic universal sampling: one spin, even steps.

    Each string gets its expected number of copies, rounded up or down.

    Examples
    --------
    >>> select(np.array([1.0, 3.0, 5.0]), 5.0, 0.5).tolist()  # pointers at 0.5, 1.5, 2.5
    [0, 0, 1]
    """
    edges = np.cumsum(expected_copies(costs, worst))
    edges[-1] = np.inf  # rounding must leave no pointer outside
    return np.asarray(np.searchsorted(edges, spin + np.arange(costs.size), side="right"))


def lowest(costs: Floats) -> int:
    """Return the place of the lowest cost, the first of equal ones, rounding aside.

    Examples
    --------
    >>> lowest(np.array([3.0, 1.0 + 1e-12, 1.0]))
    1
    """
    return int((costs <= costs.min() * (1.0 + TOLERANCE)).argmax())


def next_generation(
    strings: Strings, costs: Floats, worst: float, drawn: Draws, *, elitism: bool = True
) -> Strings:
    """Return the next generation: select, shuffle, mutate, cross over, keep the best.

    Parameters
    ----------
    strings, costs
        The generation and the cost of each string.
    worst
        The highest cost in sight, from which fitness is measured.
    drawn
        What was drawn for it.
    elitism
        Put the best string in the last place, unless it is there anyway.
    """
    new = strings[select(costs, worst, drawn.spin)][drawn.order]
    new ^= drawn.flips
    n_pairs = len(drawn.points)
    moms, dads = new[0 : 2 * n_pairs : 2], new[1 : 2 * n_pairs : 2]
    bit = np.arange(strings.shape[1])
    swap = (drawn.points[:, :1] <= bit) & (bit < drawn.points[:, 1:])
    change = (moms ^ dads) & swap
    moms ^= change
    dads ^= change
    best = strings[lowest(costs)]
    if elitism and not (new == best).all(axis=1).any():
        new[-1] = best
    return new

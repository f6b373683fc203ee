"""Drawing test costs for a table that has none, as the study did (its section 4.1)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from numbers import Real
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from frugaltree.datasets.concepts import Seed, generator
from frugaltree.exceptions import InvalidCosts, InvalidTable

if TYPE_CHECKING:
    from frugaltree.costs import Costs

Floats = NDArray[np.float64]


def assign_costs(
    X: Any,
    y: Any,
    random_state: Seed = None,
    *,
    cost_range: tuple[float, float] = (1, 100),
    group_share: float = 0.2,
    delayed_share: float = 0.0,
    discount: float = 0.8,
    informative: bool = True,
    sigma: float = 0.2,
    errors: Any = None,
) -> Costs:
    """Draw test costs for a table, more informative tests tending to cost more.

    The defaults are those of the study, which drew four such price lists for each table. Its
    five parameters are named with their letters below.

    Parameters
    ----------
    X
        The tests: a data frame, or an array, whose tests are then priced by position, as are
        those of a data frame with column names that are not text.
    y
        The class of each case.
    random_state
        Seed, numpy Generator or RandomState; None draws differently each time.
    cost_range
        cr, the least and the greatest full price.
    group_share
        g: the number of groups is this share of the number of tests, rounded down. A test falls
        into any one group, or none, with equal probability.
    delayed_share
        d: this share of the tests, rounded down, is delayed.
    discount
        φ: what the members of a group share, as a fraction of the cheapest member's full price.
    informative
        ρ: True draws a full price from a normal distribution around the test's information gain
        over the whole table, scaled to `cost_range` and cut off at its ends; False draws it
        uniformly.
    sigma
        Standard deviation of that normal distribution, as a fraction of the width of
        `cost_range`. Not given in the study; fitted to price lists that survive.
    errors
        What a wrong answer costs, as `Costs` takes it.

    Returns
    -------
    Costs
        The full price of a test is its own price plus that of its group; the parameters are in
        ``source``. Groups with a single member are dropped: they would change nothing.

    See Also
    --------
    load_costs : Costs set by experts, where there are some.

    Examples
    --------
    >>> from frugaltree.datasets import assign_costs, load
    >>> X, y = load("car", return_X_y=True)
    >>> costs = assign_costs(X, y, random_state=0, informative=False)
    >>> list(costs.tests) == X.columns
    True
    >>> costs == assign_costs(X, y, random_state=0, informative=False)
    True
    """
    from frugaltree.costs import Costs, Group

    _check(cost_range, sigma, group_share, delayed_share, discount)
    names = _names(X)
    rng = generator(random_state)
    if informative:
        from frugaltree.estimators.gains import information_gains

        full = draw_prices(information_gains(X, y), rng, cost_range, sigma)
    else:
        full = rng.uniform(*cost_range, size=len(names))
    own, groups = _share(full, _members(len(names), group_share, rng), discount)
    delayed = rng.choice(len(names), size=_share_of(len(names), delayed_share), replace=False)
    return Costs(
        tests=dict(zip(names, own.tolist(), strict=True)),
        groups={
            f"group{i + 1}": Group([names[test] for test in members], cost=shared)
            for i, (members, shared) in enumerate(groups)
        },
        delayed=[names[test] for test in np.sort(delayed)],
        errors=errors,
        source=(
            f"assign_costs(random_state={_described(random_state)}, cost_range={cost_range}, "
            f"group_share={group_share}, delayed_share={delayed_share}, discount={discount}, "
            f"informative={informative}, sigma={sigma})"
        ),
    )


def draw_prices(
    gains: Floats, rng: np.random.Generator, cost_range: tuple[float, float], sigma: float
) -> Floats:
    """Draw a price for each information gain, from a normal distribution cut off at the range.

    >>> draw_prices(np.array([0.0, 0.25, 0.5]), np.random.default_rng(0), (1, 101), 0.0)
    array([  1.,  51., 101.])
    """
    from scipy.stats import truncnorm

    low, high = cost_range
    most = gains.max(initial=0.0)
    mean = low + (high - low) * (gains / most if most > 0 else np.zeros_like(gains))
    scale = sigma * (high - low)
    chance = rng.random(len(gains))
    if scale == 0:
        return mean
    left, right = (low - mean) / scale, (high - mean) / scale
    drawn: Floats = truncnorm.ppf(chance, left, right, loc=mean, scale=scale)
    # The quantile of a far tail may round to just outside.
    return np.clip(drawn, low, high)


def _members(n_tests: int, group_share: float, rng: np.random.Generator) -> list[NDArray[np.intp]]:
    """Return the tests of each group that has at least two."""
    n_groups = _share_of(n_tests, group_share)
    group = rng.integers(0, n_groups + 1, size=n_tests)
    found = [np.flatnonzero(group == g + 1) for g in range(n_groups)]
    return [members for members in found if len(members) > 1]


def _share(
    full: Floats, groups: list[NDArray[np.intp]], discount: float
) -> tuple[Floats, list[tuple[NDArray[np.intp], float]]]:
    """Take what a group's members share out of their own prices."""
    own, priced = full.copy(), []
    for members in groups:
        shared = discount * float(full[members].min())
        own[members] -= shared
        priced.append((members, shared))
    return own, priced


def _share_of(n_tests: int, share: float) -> int:
    # 0.29 * 100 is 28.999999999999996, and means 29.
    return int(share * n_tests + 1e-9)


def _names(X: Any) -> list[str] | list[int]:
    """Return the tests by name, or by position where a name is missing or not text."""
    from frugaltree.table import checked_frame

    frame = checked_frame(X)
    if frame is not None and all(isinstance(name, str) for name in frame.columns):
        return frame.columns
    shape = np.shape(X)
    if len(shape) != 2:
        raise InvalidTable(
            f"X must be a data frame or a two-dimensional array, but has {len(shape)} "
            f"{'dimension' if len(shape) == 1 else 'dimensions'}; give it a row for each case and "
            "a column for each test."
        )
    return list(range(shape[1]))


def _described(random_state: Seed) -> str:
    if random_state is None or isinstance(random_state, int | np.integer):
        return str(random_state)
    return type(random_state).__name__


def _check(
    cost_range: tuple[float, float],
    sigma: float,
    group_share: float,
    delayed_share: float,
    discount: float,
) -> None:
    if not _is_range(cost_range):
        raise InvalidCosts(
            f"cost_range must be two finite prices, the least first, not {shortened(cost_range)}."
        )
    if not _is_number(sigma):
        raise InvalidCosts(
            f"sigma must be a finite number that is not negative, not {shortened(sigma)}."
        )
    shares = {"group_share": group_share, "delayed_share": delayed_share, "discount": discount}
    for name, share in shares.items():
        if not _is_number(share, most=1.0):
            raise InvalidCosts(f"{name} must be between 0 and 1, not {shortened(share)}.")


def _is_range(prices: Any) -> bool:
    """Tell two finite prices, the least first."""
    if not isinstance(prices, Sequence | np.ndarray) or len(prices) != 2:
        return False
    return all(_is_number(price) for price in prices) and bool(prices[0] <= prices[1])


def _is_number(value: object, most: float = sys.float_info.max) -> bool:
    """Tell a number that is neither negative nor greater than the most."""
    return isinstance(value, Real) and 0.0 <= float(value) <= most

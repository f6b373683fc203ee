"""The prices that a path keeps up to date are those worked out anew from what it has paid."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from frugaltree.kernels.cost.ask_rules import AskRules
from frugaltree.kernels.cost.path_state import (
    PathState,
    mark_path,
    return_to,
    start_path,
    take_on_path,
)
from frugaltree.kernels.cost.prices import Prices, context_price, take
from frugaltree.kernels.criteria import CSID3, EG2, GAIN, IDX, price_factor
from frugaltree.kernels.sampling.plan import Plan


@st.composite
def price_lists(draw):
    """Draw prices in up to three groups, with discounts that may exceed them."""
    n_tests, n_groups = draw(st.integers(1, 6)), draw(st.integers(0, 3))
    amounts = st.sampled_from([0.0, 0.1, 1.0, 2.5, 7.0])

    def array(elements, shape, dtype):
        size = int(np.prod(shape))
        values = draw(st.lists(elements, min_size=size, max_size=size))
        return np.array(values, dtype).reshape(shape)

    member = array(st.integers(0, 1), (n_tests, n_groups), np.uint8)
    return Prices(
        full=array(amounts, (n_tests,), float),
        discount=array(amounts, (n_tests, n_groups), float) * member,
        member=member,
        delayed=np.zeros(n_tests, np.uint8),
        usable=np.ones(n_tests, np.uint8),
        charge_missing=False,
        rules=AskRules.none(n_tests),
    )


def make_plan(criterion, w, context):
    rest = dict.fromkeys(Plan._fields, 0)
    return Plan(**{**rest, "criterion": criterion, "w": w, "context": context, "budget": 10.0})


def check_prices(prices, plan, path, taken):
    """Hold a path against one that is worked out from the tests taken, in any order."""
    paid, opened = np.zeros_like(path.paid), np.zeros_like(path.opened)
    for a in taken:
        take(prices, a, paid, opened)
    assert path.paid.tolist() == paid.tolist()
    assert path.opened.tolist() == opened.tolist()
    for a in range(paid.size):
        price = context_price(prices, a, paid, opened)
        shown = price if plan.context else (0.0 if paid[a] else prices.full[a])
        test = path.tests[a]
        assert test.price == price
        assert test.shown == shown
        assert test.factor == price_factor(plan.criterion, shown, plan.w)


@given(
    price_lists(),
    st.sampled_from([GAIN, EG2, IDX, CSID3]),
    st.booleans(),
    st.lists(st.one_of(st.integers(0, 5), st.just("back")), max_size=30),
)
def test_prices_on_walks_down_and_back(prices, criterion, context, walk):
    plan, path = make_plan(criterion, 0.5, context), PathState.empty(prices)
    start_path(prices, plan, path)
    check_prices(prices, plan, path, [])
    taken, marks = [], []
    for step in walk:
        if step == "back":
            if marks:
                mark, taken = marks.pop()
                return_to(path, mark)
                assert path.now.left == mark.left
                assert path.now.ordered == mark.ordered
        else:
            a = step % prices.full.size
            marks.append((mark_path(path), taken))
            path.now.left -= path.tests[a].price
            path.now.ordered = 1
            take_on_path(prices, plan, path, a)
            taken = [*taken, a]
        check_prices(prices, plan, path, taken)
    start_path(prices, plan, path)
    check_prices(prices, plan, path, [])

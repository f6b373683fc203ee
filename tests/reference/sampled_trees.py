"""The slow and obvious twins: LSID3 and ACT, figure by figure."""

from __future__ import annotations

from typing import NamedTuple

from reference.basics import (
    SLACK,
    START,
    TOLERANCE,
    Node,
    Problem,
    beats,
    count,
    is_leaf,
    leaf,
    price,
    weigh,
)
from reference.c45_trees import Settings, prune_errors
from reference.expected_cost import At, Estimator, sweep
from reference.plain_trees import (
    Offer,
    Split,
    asking,
    better,
    misclassification,
    paying,
    saving_of,
)
from reference.sampling_basics import (
    Candidate,
    ChooseAttribute,
    Options,
    Place,
    Task,
    act_task,
    candidates,
    lsid3_task,
    mix,
    or_endless,
    places_below,
    root,
    spin,
    split_points,
    uniform,
)


def stops(task: Task, place: Place) -> bool:
    """Tell whether a node asks nothing, whatever the chooser thinks."""
    pure = sum(c > 0 for c in count(task.problem, place.cases)) < 2
    small = weigh(place.cases) < 2 * task.options.min_cases - SLACK
    return pure or small or place.depth <= 0


def grow(task: Task, place: Place, choose: ChooseAttribute) -> Node:
    """Grow until every leaf stops or has no candidate."""
    counts = count(task.problem, place.cases)
    node = leaf(counts, task.label(counts)) | {"aside": count(task.problem, place.aside)}
    split = None if stops(task, place) else choose(task, place)
    if split is None:
        return node
    children = [
        None if below is None else grow(task, below, choose)
        for below in places_below(task, place, split)
    ]
    return node | asking(split, children)


def eg2_choose_attribute(task: Task, place: Place) -> Split | None:
    """EG2: the largest ICF, then the lowest price, then the first test. ID3: gain for ICF."""
    best: Candidate | None = None
    for a in candidates(task, place):
        if best is None or better(Offer(a.worth, a.cost), Offer(best.worth, best.cost)):
            best = a
    return None if best is None else best.split


def seg2_choose_attribute(task: Task, place: Place) -> Split | None:
    """Figure 4, SEG2: a test at random, in proportion to its ICF. SID3: gain for ICF."""
    A = candidates(task, place)
    if not A:
        return None
    p = [a.worth for a in A]
    return A[spin(p, uniform(place.key))].split


id3_choose_attribute = eg2_choose_attribute


sid3_choose_attribute = seg2_choose_attribute


def sample(task: Task, place: Place, choose: ChooseAttribute) -> Node:
    """Grow a tree that looks ahead, within the limits set for it."""
    depth = min(place.depth, or_endless(task.options.lookahead_depth))

    def choose_if_it_pays(task: Task, place: Place) -> Split | None:
        split = choose(task, place)
        if split is None or not task.options.lookahead_reduction:
            return split
        return split if pays_at_once(task, place, split) else None

    return grow(task, place._replace(depth=depth), choose_if_it_pays)


def pays_at_once(task: Task, place: Place, split: Split) -> bool:
    """Tell whether answering in the branches is cheaper than here, the test included."""
    problem = task.problem
    charge = price(problem, split.test, place.state)
    saving = saving_of(problem, place.cases, split, charge, "min").reduction
    here = misclassification(count(problem, place.cases), problem.errors, "min")
    return saving > TOLERANCE * here


def sample_place(place: Place, below: Place, a: int, b: int, j: int) -> Place:
    """Return the place where sample ``j`` of branch ``b`` of test ``a`` has its root."""
    return below._replace(key=mix(mix(mix(place.key, 1000003 + a), b + 1), j + 1))


def is_less(total: float, best: float) -> bool:
    """Tell whether a total is lower by more than rounding.

    Figure 6, where each branch is a part of the whole: 0.4 + min(4.7, 5.1) + min(8.9, 4.9).

    >>> branches = [4.7, 5.1], [8.9, 4.9]
    >>> round(0.4 + sum(new if is_less(new, best) else best for best, new in branches), 9)
    10.0
    """
    return total < best * (1 - TOLERANCE)


class Bid(NamedTuple):
    """What asking a test comes to in all, and how promising it looks by itself."""

    total: float
    worth: float
    split: Split


def lowest(bids: list[Bid]) -> Split | None:
    """Return the split of the lowest total; of equal ones the most promising, then the first."""
    best: Bid | None = None
    for bid in bids:
        if best is None or is_less(bid.total, best.total) or is_tied_but_better(bid, best):
            best = bid
    return None if best is None else best.split


def is_tied_but_better(bid: Bid, best: Bid) -> bool:
    """Tell whether a bid is as low as the best but for rounding, and more promising."""
    return bid.total <= best.total * (1 + TOLERANCE) and beats(bid.worth, best.worth)


def best_bid(bids: list[Bid]) -> Bid:
    """Return the first bid that none after it undercuts."""
    best = bids[0]
    for bid in bids[1:]:
        if is_less(bid.total, best.total):
            best = bid
    return best


def n_leaves(node: Node) -> int:
    """Return the size of a tree: its leaves, those without a case left out."""
    if is_leaf(node):
        return 1
    return sum(n_leaves(child) for child in node["children"] if child is not None)


def lsid3_choose_attribute(task: Task, place: Place) -> Split | None:
    """Figure 3: the test under which the smallest trees were found."""
    if task.options.r == 0:
        return id3_choose_attribute(task, place)
    return lowest(lsid3_bids(task, place))


def lsid3_bids(task: Task, place: Place) -> list[Bid]:
    """Return the total of each candidate; a numeric one is tried once at each of r cuts."""
    r = task.options.r
    bids = []
    for a in candidates(task, place):
        if task.problem.kinds[a.test] == "nominal":
            total = lsid3_total(task, place, a.split, range(r))
            bids.append(Bid(total, a.gain, a.split))
        else:
            cuts = enumerate(split_points(task, place, a.test))
            totals = [(lsid3_total(task, place, cut, range(j, j + 1)), cut) for j, cut in cuts]
            bids.append(best_bid([Bid(total, a.gain, cut) for total, cut in totals]))
    return bids


def lsid3_total(task: Task, place: Place, split: Split, numbers: range) -> int:
    """Return the sum over the branches of the smallest SID3 tree among those samples."""
    total_a = 0
    for b, E_i in enumerate(places_below(task, place, split)):
        if E_i is not None:
            roots = [sample_place(place, E_i, split.test, b, j) for j in numbers]
            total_a += min(n_leaves(sample(task, at, sid3_choose_attribute)) for at in roots)
    return total_a


def lsid3(problem: Problem, options: Options) -> Node:
    """Grow LSID3's tree and prune it by expected errors.

    >>> tree = lsid3(PARITY, Options(r=1, prune=False))
    >>> n_leaves(tree), n_leaves(lsid3(PARITY, Options(r=0, prune=False)))
    (4, 8)
    """
    task = lsid3_task(problem, options)
    place = root(task)
    tree = finished(grow(task, place, lsid3_choose_attribute), task)
    if options.prune:
        settings = Settings(cf=options.cf, form=options.form, whole=True)
        tree = prune_errors(problem, tree, place.cases, settings)[0]
    return tree


def lsid3_totals(problem: Problem, options: Options) -> dict[int, tuple[float, float | None]]:
    """Return the total of each candidate at the root, and the threshold it would have.

    Below one of the relevant tests only the other one has a gain, so that any seed will do.

    >>> lsid3_totals(PARITY, Options(r=1))
    {0: (8, None), 1: (4, None), 2: (4, None)}
    """
    task = lsid3_task(problem, options)
    return totals_of(lsid3_bids(task, root(task)))


def totals_of(bids: list[Bid]) -> dict[int, tuple[float, float | None]]:
    return {bid.split.test: (bid.total, bid.split.threshold) for bid in bids}


def act_choose_attribute(task: Task, place: Place) -> Split | None:
    """Figure 5: the test under which the cheapest trees were found."""
    if task.options.r == 0:
        return eg2_choose_attribute(task, place)
    return lowest(act_bids(task, place))


def act_bids(task: Task, place: Place) -> list[Bid]:
    """Return the total of each candidate; a numeric one is tried once at each of r cuts."""
    bids = []
    for a in candidates(task, place):
        if task.problem.kinds[a.test] == "nominal":
            total = act_total(task, place, a.split, task.options.r)
            bids.append(Bid(total, a.worth, a.split))
        else:
            cuts = split_points(task, place, a.test)
            totals = [(act_total(task, place, cut, 1), cut) for cut in cuts]
            bids.append(best_bid([Bid(total, a.worth, cut) for total, cut in totals]))
    return bids


def act_total(task: Task, place: Place, split: Split, r: int) -> float:
    """Return the price of a test and, per case, the least total found in each branch."""
    a, estimator = split.test, task.estimator
    below = places_below(task, place, split)
    best = [
        None if E_i is None else cheapest_sample(task, place, E_i, a, b, r)
        for b, E_i in enumerate(below)
    ]
    if is_order(task, place.ordered or a in task.problem.delayed):
        return order_total(task, place, split, [None if t is None else t[1] for t in best])
    share = paying(task.problem, split) / weigh(place.cases)
    total_a = price(estimator.problem, a, place.state) * share
    for E_i, found in zip(below, best, strict=True):
        if E_i is not None and found is not None:
            min_i = found[0]
            total_a += weigh(E_i.cases) / weigh(place.cases) * min_i
    return total_a


def is_order(task: Task, ordered: bool) -> bool:
    """Tell whether all tests of a subtree are charged at once; under a budget nothing is."""
    return ordered and not task.has_budget


def cheapest_sample(
    task: Task, place: Place, E_i: Place, a: int, b: int, r: int
) -> tuple[float, Node]:
    """Return the least total in a branch, EG2's or one of r - 1 of SEG2, and its tree."""
    T = sample(task, sample_place(place, E_i, a, b, 0), eg2_choose_attribute)
    best = total_cost(task, T, E_i), T
    for j in range(1, r):
        T = sample(task, sample_place(place, E_i, a, b, j), seg2_choose_attribute)
        total = total_cost(task, T, E_i)
        if is_less(total, best[0]):
            best = total, T
    return best


def total_cost(task: Task, T: Node, place: Place) -> float:
    """Prune a sampled tree, in place, and return what it costs per case."""
    estimator, at = task.estimator, At(place.state, place.cases)
    above = (T, at) if is_order(task, place.ordered) else None
    if task.options.prune_samples:
        while sweep(T, at, estimator, above):
            pass
    if above is None:
        return sum(estimator.parts(T, at))
    return total_as_order(estimator, T, at)


def total_as_order(estimator: Estimator, node: Node, at: At) -> float:
    """Return the price of all tests of a tree, asked for at once, and of its errors per case."""
    return estimator.order_of(node, at) + estimator.parts(node, at, ordered=True)[1]


def order_total(task: Task, place: Place, split: Split, children: list[Node | None]) -> float:
    """Return what a test costs with trees beneath that are ordered along with it.

    Put together, the trees may share tests, or one test may be in the way of all; so they are
    pruned once more. The test itself stays.
    """
    counts = count(task.problem, place.cases)
    node = leaf(counts, task.label(counts)) | asking(split, children)
    estimator, at = task.estimator, At(place.state, place.cases)
    changed = task.options.prune_samples
    while changed:
        changes = [
            sweep(child, at.below(task.problem, node, b), estimator, (node, at))
            for b, child in enumerate(children)
            if child is not None
        ]
        changed = any(changes)
    return total_as_order(estimator, node, at)


def act(problem: Problem, options: Options) -> Node:
    """Grow ACT's tree and prune it by expected cost.

    >>> tree = act(PARITY, Options(r=1, form="training"))
    >>> tree["test"], act(PARITY, Options(r=0, form="training"))["test"]
    (1, 0)
    """
    task = act_task(problem, options)
    place = root(task)
    tree = grow(task, place, act_choose_attribute)
    while options.prune and sweep(tree, At(START, place.cases), task.estimator, None):
        pass
    return finished(tree, task)


def act_totals(problem: Problem, options: Options) -> dict[int, tuple[float, float | None]]:
    """Return the total of each candidate at the root, and the threshold it would have.

    A parity tree costs 10 + 10 per case, and 1 more if the irrelevant test comes first.

    >>> act_totals(PARITY, Options(r=1, form="training"))
    {0: (21.0, None), 1: (20.0, None), 2: (20.0, None)}
    """
    task = act_task(problem, options)
    return totals_of(act_bids(task, root(task)))


def eg2_plain(problem: Problem, options: Options) -> Node:
    """Grow EG2's tree until the leaves are pure, by plain gain, and prune nothing.

    >>> n_leaves(eg2_plain(PARITY, Options()))
    8
    """
    task = act_task(problem, options)
    return finished(grow(task, root(task), eg2_choose_attribute), task)


def finished(node: Node, task: Task) -> Node:
    """Return the tree with the cases set aside counted in, and the answers of them all."""
    counts = [c + more for c, more in zip(node["counts"], node["aside"], strict=True)]
    children = [None if child is None else finished(child, task) for child in node["children"]]
    done = node | {"counts": counts, "label": task.label(counts), "children": children}
    del done["aside"]
    return done


PARITY = Problem(
    rows=[[i // 4, i // 2 % 2, i % 2] for i in range(8)],
    classes=[i // 2 % 2 ^ i % 2 for i in range(8)],
    weights=[1.0] * 8,
    kinds=["nominal"] * 3,
    domains=[2] * 3,
    n_classes=2,
    full=[1.0, 10.0, 10.0],
    groups=[],
    delayed=set(),
    usable={0, 1, 2},
    errors=[[0.0, 1000.0], [1000.0, 0.0]],
)
"""A cheap test that says nothing, and two whose parity is the class."""

"""What a page about a model says, as plain values; its picture and its consultation read them."""

from __future__ import annotations

import math
from typing import Any

from sklearn.utils.validation import check_is_fitted

from frugaltree import __version__
from frugaltree.costs import Costs
from frugaltree.plots import sensitivity_numbers, spending_numbers
from frugaltree.report.baselines import hold_against
from frugaltree.report.errors import measured
from frugaltree.rivals import (
    THIS,
    Rival,
    better_at,
    errors_if_stopped,
    expected_costs,
    expected_errors,
)
from frugaltree.show import cases, money, percent, search_in_words
from frugaltree.tree import Tree


def content_of(
    estimator: Any,
    X: Any = None,
    y: Any = None,
    title: str | None = None,
    folds: int | None = None,
) -> dict[str, Any]:
    """Return everything that a page says about a model.

    Parameters
    ----------
    estimator
        A fitted learner.
    X, y
        Cases that the model has not seen, to count its errors; None leaves that out.
    title
        The heading of the page.
    folds
        Where X and y are the training cases: in how many folds to learn anew, to count errors.
    """
    check_is_fitted(estimator)
    if X is not None and folds is not None and not hasattr(estimator, "rivals_"):
        hold_against(estimator, X, y)
    costs = estimator.costs or Costs()
    unit = costs.unit
    found = {
        "title": title or heading(estimator),
        "version": __version__,
        "unit": unit,
        "model": model_of(estimator.tree_, costs),
        "headline": headline(estimator, unit),
        "about": about(estimator, costs),
        "worth": worth(estimator, costs),
        "sensitivity": sensitivity_numbers(estimator)._asdict(),
        "history": history(estimator),
        "tuning": tuning(estimator),
        "rivals": rivals(estimator, unit),
        "tests": measured(estimator, X, y, folds) if X is not None else None,
    }
    finite: dict[str, Any] = _finite(found)
    return finite


def heading(estimator: Any) -> str:
    """Return what the model decides, as a question."""
    labels = [str(label) for label in estimator.classes_.tolist()]
    more = [f"one of {len(labels) - 4} more"] if len(labels) > 4 else []
    return f"{' or '.join(labels[:4] + more)}?"


def model_of(tree: Tree, costs: Costs) -> dict[str, Any]:
    """Return the tree, its prices and its error costs, as the page's program takes them."""
    names = [column.name for column in tree.columns]
    prices, errors = costs.resolve(names, list(tree.classes))
    plain = tree.to_dict()
    charges = tree.charges(prices)
    return {
        "columns": [
            {
                "name": column.name,
                "kind": column.kind,
                "values": [column.describe(code) for code in range(len(column.categories))],
            }
            for column in tree.columns
        ],
        "classes": [str(label) for label in tree.classes],
        "fractional": tree.fractional,
        "test": plain["test"],
        "threshold": plain["threshold"],
        "children": plain["children"],
        "counts": plain["counts"],
        "labels": plain["labels"],
        "branches": [
            [tree.condition(node, answers) for answers, _ in tree.branches(node)]
            for node in range(tree.n_nodes)
        ],
        "charge": charges.charge.tolist(),
        "bill": charges.bill.tolist(),
        "prices": {
            "full": prices.full.tolist(),
            "discount": prices.discount.tolist(),
            "member": prices.member.tolist(),
            "delayed": prices.delayed.tolist(),
        },
        "errors": errors.tolist(),
    }


def headline(estimator: Any, unit: str | None) -> list[dict[str, str]]:
    """Return the figures at the top of the page, each with what it is."""
    figures = [
        ("expected cost per case", money(estimator.expected_cost_, unit)),
        ("of that for tests", money(estimator.expected_test_cost_, unit)),
        ("of that for errors", money(estimator.expected_error_cost_, unit)),
    ]
    if getattr(estimator, "cv_cost_", None) is not None:
        spread = money(estimator.cv_cost_error_)
        figures.append(("on cases held out", f"{money(estimator.cv_cost_, unit)} ± {spread}"))
    if hasattr(estimator, "gap_"):
        figures.append(("gap to the best possible", f"{100 * estimator.gap_:.1f} %"))
    tree = estimator.tree_
    figures.append(("leaves, longest path", f"{tree.n_leaves:,}, {tree.depth} tests"))
    figures.append(("learned from", cases(float(tree.weights[0]))))
    return [{"what": what, "figure": figure} for what, figure in figures]


def about(estimator: Any, costs: Costs) -> list[str]:
    """Return what the figures mean and do not mean, a sentence each."""
    lines = [
        "The expected cost is an estimate for new cases: tests as the training cases paid them, "
        "errors by a cautious estimate that counts more of them than were seen."
    ]
    proven = search_in_words(estimator)
    if proven is not None:
        lines.append(proven)
    if getattr(estimator, "cv_cost_", None) is not None:
        lines.append(
            "The cost on cases held out was measured while the learner chose how strictly to "
            "judge splits, and is the more honest forecast of the two."
        )
    said = [
        f"{word}: {text}"
        for word, text in (("Prices", costs.source), ("as of", costs.date))
        if text
    ]
    return [*lines, ". ".join(said) + "."] if said else lines


def rivals(estimator: Any, unit: str | None) -> list[dict[str, Any]] | None:
    """Return what other ways of answering cost, None where the tree was held against none."""
    found = getattr(estimator, "rivals_", None)
    if not found:
        return None
    return [
        {
            "name": one.name,
            "tests": money(one.tests, unit),
            "errors": money(one.errors, unit),
            "total": money(one.total, unit),
            "expected": "" if one.expected is None else money(one.expected, unit),
            "this": one.name == THIS,
        }
        for one in found
    ]


def worth(estimator: Any, costs: Costs) -> list[dict[str, Any]]:
    """Return at which prices of each test the tree is the better choice.

    The rivals are the same tree that stops wherever the test would be asked, and those that it
    was held against. All are measured by the paper's estimate; other prices stay as they are.
    """
    tree, classes = estimator.tree_, estimator.classes_.tolist()
    names = [column.name for column in tree.columns]
    prices, errors = costs.resolve(names, classes)
    cf, charge = costs.cf(names, classes), tree.charges(prices).charge
    ahead = _ahead(tree, charge, errors, cf)
    mine = Rival(THIS, 0.0, 0.0, *expected_costs(estimator), dict(estimator.test_usage_))
    others = [one for one in getattr(estimator, "rivals_", []) if one.name != THIS]
    heard = [a for a, name in enumerate(names) if any(one.asked.get(name) for one in others)]
    numbers, rows = spending_numbers(estimator), []
    pays = {
        name: {"asked": percent(share), "paid": money(paid, costs.unit)}
        for name, paid, share in zip(numbers.tests, numbers.paid, numbers.share, strict=True)
    }
    order = [names.index(name) for name in numbers.tests]
    for test in dict.fromkeys([*order, *heard]):
        price, rivals = float(prices.full[test]), others
        if test in order:
            rivals = [*others, _stopped(tree, test, mine, ahead, errors, cf)]
        between = better_at(mine, rivals, names[test], price)
        rows.append(
            {
                "test": names[test],
                "price": money(price, costs.unit),
                **pays.get(names[test], {"asked": percent(0.0), "paid": money(0.0, costs.unit)}),
                "between": prices_in_words(between, costs.unit),
                "here": between is not None and between[0] <= price <= between[1],
            }
        )
    return rows


def prices_in_words(between: tuple[float, float] | None, unit: str | None) -> str:
    """Return a range of prices as people say it.

    >>> prices_in_words((0.0, 12.5), "CAD"), prices_in_words((3.0, math.inf), None)
    ('up to CAD 12.50', 'from 3.00 on')
    """
    if between is None:
        return "none"
    low, high = between
    if low <= 0.0:
        return "any" if math.isinf(high) else f"up to {money(high, unit)}"
    if math.isinf(high):
        return f"from {money(low, unit)} on"
    return f"{money(low)} to {money(high, unit)}"


def _stopped(
    tree: Tree, test: int, mine: Rival, ahead: list[float], errors: Any, cf: float
) -> Rival:
    """Return the same tree, but that it answers wherever it would ask a test."""
    whole, tops = float(tree.weights[0]), _tops(tree, test)
    more = sum(errors_if_stopped(tree, node, errors, cf) - ahead[node] for node in tops)
    name = tree.columns[test].name
    total = float(mine.expected or 0.0) + more / whole
    return Rival("stopping before it", 0.0, 0.0, 0.0, total, {**mine.asked, name: 0.0})


def _ahead(tree: Tree, charge: Any, errors: Any, cf: float) -> list[float]:
    """Return what the cases of each node cost from there on, tests and errors, all of them."""
    ahead = [0.0] * tree.n_nodes
    for node in range(tree.n_nodes - 1, -1, -1):
        if tree.is_leaf(node):
            ahead[node] = expected_errors(tree, node, int(tree.labels[node]), errors, cf)
        else:
            below = sum(ahead[child] for _, child in tree.branches(node))
            ahead[node] = below + float(charge[node] * tree.weights[node])
    return ahead


def _tops(tree: Tree, test: int) -> list[int]:
    """Return the nodes where a test is asked for the first time on their path."""
    tops, last = [], -1
    ends = _ends(tree)
    for node, asked in enumerate(tree.nodes.test.tolist()):
        if asked == test and node > last:
            tops.append(node)
            last = ends[node]
    return tops


def _ends(tree: Tree) -> list[int]:
    """Return the last node of each subtree, nodes being in preorder."""
    ends = list(range(tree.n_nodes))
    for node in range(tree.n_nodes - 1, 0, -1):
        parent = int(tree.nodes.parent[node])
        ends[parent] = max(ends[parent], ends[node])
    return ends


def history(estimator: Any) -> dict[str, Any] | None:
    """Return how the search went, None where there was none."""
    moments = getattr(estimator, "history_", None)
    if not moments:
        return None
    bounds = [moment.bound for moment in moments if hasattr(moment, "bound")]
    return {
        "seconds": [float(moment.seconds) for moment in moments],
        "costs": [float(moment.cost) for moment in moments],
        "bounds": [float(bound) for bound in bounds] or None,
    }


def tuning(estimator: Any) -> list[dict[str, Any]] | None:
    """Return the settings that were tried on cases held out, None if none were."""
    tried = getattr(estimator, "tuning_", None)
    if not tried:
        return None
    chosen = getattr(estimator, "pessimism_", None)
    return [
        {
            "name": one.name,
            "cost": f"{one.cost:.2f}",
            "saving": f"{one.saving:+.2f} ± {one.saving_error:.2f}",
            "chosen": one.name == chosen,
        }
        for one in tried
    ]


def _finite(value: Any) -> Any:
    """Return plain values without infinities, which JSON cannot hold."""
    if isinstance(value, dict):
        return {key: _finite(element) for key, element in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(element) for element in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value

"""What a page about a model says, as plain values; its picture and its consultation read them."""

from __future__ import annotations

import math
from typing import Any

from sklearn.utils.validation import check_is_fitted

from frugaltree import __version__
from frugaltree.costs import Costs
from frugaltree.kernels.price import Prices
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
from frugaltree.show import View, cases, charges_of, money, percent, search_in_words
from frugaltree.tree import Tree

MOST_NAMED, LONGEST_HEADING = 4, 60
"""A heading names the classes if they are few and their names short."""

REFERENCE = "reference"


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
    tests = measured(estimator, X, y, folds) if X is not None else None
    found = {
        "title": title or heading(estimator),
        "classes": all_classes(estimator),
        "version": __version__,
        "unit": unit,
        "model": model_of(estimator.tree_, costs),
        "headline": headline(estimator, unit, tests),
        "about": about(estimator, costs, tests),
        "worth": worth(estimator, costs),
        "discounted": bool(costs.groups),
        "sensitivity": sensitivity_numbers(estimator)._asdict(),
        "history": history(estimator),
        "search": search(estimator),
        "tuning": tuning(estimator),
        "rivals": rivals(estimator, unit),
        "tests": tests,
    }
    finite: dict[str, Any] = _finite(found)
    return finite


def heading(estimator: Any) -> str:
    """Return what the model decides, as a question."""
    labels = [str(label) for label in estimator.classes_.tolist()]
    question = f"{' or '.join(labels)}?"
    short = len(labels) <= MOST_NAMED and len(question) <= LONGEST_HEADING
    return question if short else f"Which of {len(labels)} classes?"


def all_classes(estimator: Any) -> str | None:
    """Return the names of the classes, None where the heading has them."""
    labels = [str(label) for label in estimator.classes_.tolist()]
    return None if heading(estimator).startswith(" or ".join(labels)) else " · ".join(labels)


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
        "conditions": [
            [tree.condition(node, answers) for answers, _ in tree.branches(node)]
            for node in range(tree.n_nodes)
        ],
        "gaps": [tree.has_gap(node) for node in range(tree.n_nodes)],
        "says": says(tree, prices, costs.unit),
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


def says(tree: Tree, prices: Prices, unit: str | None) -> list[dict[str, str] | None]:
    """Return what each question costs, in short below its name and in a line; None for answers."""
    view = View(tree, charges_of(tree, prices), unit, None)
    return [
        None if tree.is_leaf(node) else {"box": view.in_box(node), "line": view.question(node)}
        for node in range(tree.n_nodes)
    ]


def headline(
    estimator: Any, unit: str | None, tests: dict[str, Any] | None
) -> list[dict[str, str]]:
    """Return the figures at the top of the page, each with what it is, the most honest first."""
    figures = []
    if tests is not None:
        folds, n = tests["folds"], tests["cases"]
        where = f", cross-validated in {folds} folds" if folds else f" on {n} other cases"
        figures.append((f"honest forecast: cost per case{where}", tests["total"]))
    if getattr(estimator, "cv_cost_", None) is not None:
        spread = money(estimator.cv_cost_error_)
        figures.append(
            ("cost per case held out in training", f"{money(estimator.cv_cost_, unit)} ± {spread}")
        )
    paid, wrong = money(estimator.expected_test_cost_), money(estimator.expected_error_cost_)
    tree = estimator.tree_
    asked = f"{tree.depth} {'test' if tree.depth == 1 else 'tests'} at most"
    figures += [
        (
            f"expected cost per case, {paid} for tests and {wrong} for errors",
            money(estimator.expected_cost_, unit),
        ),
        (asked, f"{tree.n_leaves:,} {'leaf' if tree.n_leaves == 1 else 'leaves'}"),
        ("learned from", cases(float(tree.weights[0]))),
    ]
    return [{"what": what, "figure": figure} for what, figure in figures]


def about(estimator: Any, costs: Costs, tests: dict[str, Any] | None) -> list[str]:
    """Return what the figures mean and do not mean, a sentence each."""
    lines = [
        "The expected cost is an estimate for new cases: tests as the training cases paid them, "
        "errors by a cautious estimate that counts more of them than were seen."
    ]
    if getattr(estimator, "cv_cost_", None) is not None:
        lines.append(
            "The cost on cases held out was measured while the learner chose how strictly to "
            "judge splits, and is the more honest forecast of the two."
        )
    if tests is not None:
        which = "cross-validated cost" if tests["folds"] else "cost on other cases"
        lines.append(
            f"The {which} is the most honest forecast: no tree has seen its cases before."
        )
    said = [
        f"{word}: {text}"
        for word, text in (("Prices", costs.source), ("as of", costs.date))
        if text
    ]
    return [*lines, ". ".join(said) + "."] if said else lines


def search(estimator: Any) -> str | None:
    """Return what a search has proven, in words; how far off a bound is says little of a tree."""
    said = search_in_words(estimator)
    if said is None or " (gap " not in said:
        return said
    return f"{said.split(' (gap ')[0]}; whether a cheaper one exists is not proven."


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


def tuning(estimator: Any) -> dict[str, Any] | None:
    """Return the settings that were tried on cases held out, None if none were."""
    tried = getattr(estimator, "tuning_", None)
    if not tried:
        return None
    cost = ["cost", "cost per case held out", "money"]
    if not hasattr(tried[0], "saving"):
        chosen = estimator.w_, estimator.cf_
        return {
            "title": "Which settings were tried",
            "columns": [["name", "setting", ""], cost],
            "rows": [
                {
                    "name": _marked(f"w {one.w:g}, cf {one.cf:g}", (one.w, one.cf) == chosen),
                    "cost": f"{money(one.cost)} ± {money(one.error)}",
                    "this": (one.w, one.cf) == chosen,
                }
                for one in tried
            ],
            "caption": "w is how much prices are heeded, cf how much the errors seen are trusted: "
            "the lower, the more errors are expected. ± is a standard error.",
        }
    rows = [
        {
            "name": _marked(setting_in_words(one.name), one.name == estimator.pessimism_),
            "cost": money(one.cost),
            "saving": f"{one.saving:+,.2f} ± {one.saving_error:,.2f}" if place else REFERENCE,
            "this": one.name == estimator.pessimism_,
        }
        for place, one in enumerate(tried)
    ]
    return {
        "title": "How strictly splits were judged",
        "columns": [["name", "setting", ""], cost, ["saving", "saves per case", "money"]],
        "rows": rows,
        "caption": "A search that looks hard also finds splits that are good by chance only. Each "
        "setting charges for splits in another way, in costs of an error, and its trees were "
        "tried on cases held out. The first is left only for one that saves more than the "
        "standard error (±) of the saving.",
    }


def setting_in_words(name: str) -> str:
    """Return what a setting of FrugalTree does.

    >>> setting_in_words("split 2")
    'every split is charged 2 errors'
    """
    kind, _, amount = name.rpartition(" ")
    return {
        "paper": "no charge, as in the paper",
        "leaf": "no test at all, one answer for everybody",
    }.get(name) or {
        "split": f"every split is charged {amount} errors",
        "log cut": f"a split of numbers is charged {amount} × log(number of cuts) errors",
    }.get(kind, name)


def _marked(name: str, chosen: bool) -> str:
    return f"{name} (chosen)" if chosen else name


def _finite(value: Any) -> Any:
    """Return plain values without infinities, which JSON cannot hold."""
    if isinstance(value, dict):
        return {key: _finite(element) for key, element in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(element) for element in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value

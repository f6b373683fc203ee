"""What a page about a model says, as plain values; its picture and its consultation read them."""

from __future__ import annotations

import math
from typing import Any

from sklearn.utils.validation import check_is_fitted

from frugaltree import __version__
from frugaltree.costs import Costs
from frugaltree.kernels.cost.prices import Prices
from frugaltree.plots import sensitivity_numbers
from frugaltree.report.baselines import hold_against
from frugaltree.report.errors import measured
from frugaltree.report.tuning import tuning
from frugaltree.report.worth import worth
from frugaltree.rivals import THIS
from frugaltree.tree.text import View, cases, charges_of, money, search_in_words
from frugaltree.tree.tree import Tree

MOST_NAMED, LONGEST_HEADING = 4, 60
"""A heading names the classes if they are few and their names short."""


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


def history(estimator: Any) -> dict[str, Any] | None:
    """Return how the search went, None where there was none."""
    moments = getattr(estimator, "history_", None)
    if not moments:
        return None
    bounds = [moment.bound for moment in moments if moment.bound is not None]
    return {
        "seconds": [float(moment.seconds) for moment in moments],
        "costs": [float(moment.cost) for moment in moments],
        "bounds": [float(bound) for bound in bounds] or None,
    }


def _finite(value: Any) -> Any:
    """Return plain values without infinities, which JSON cannot hold."""
    if isinstance(value, dict):
        return {key: _finite(element) for key, element in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(element) for element in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value

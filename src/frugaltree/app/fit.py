"""``frugaltree fit``: from a table and a price list to a model file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import Any

from rich.console import Console
from rich.markup import escape

from frugaltree._registry import find_learner
from frugaltree.app.compare import INTERRUPTED, beside
from frugaltree.app.notes import notes
from frugaltree.app.tables import classes_of, digest_of, kinds, read_cases
from frugaltree.estimators import load_class
from frugaltree.exceptions import FrugaltreeError, InvalidCosts

MOST_LINES = 40
"""A tree of more lines is shown to SHOWN_DEPTH."""

SHOWN_DEPTH = 3


def run(
    data: Path,
    target: str,
    costs: Path | None,
    *,
    learner: str,
    options: dict[str, Any],
    nominal: Sequence[str],
    numeric: Sequence[str],
    out: Path | None,
    as_json: bool,
) -> int:
    """Read, learn, save and sum up; return the exit code."""
    told = Console(stderr=True)
    out = Path(f"{data.stem}.model.json") if out is None else out
    _check_place(out)
    with notes(told), told.status("Loading"):
        import frugaltree
        from frugaltree.costs import Costs
        from frugaltree.report.baselines import hold_against
        from frugaltree.tree.text import cases

        X, y = read_cases(data, target, nominal=nominal, numeric=numeric)
        classes_of(data, target, y)
        costs = beside(data, target) if costs is None else costs
        listed = Costs.from_toml(costs)
    estimator = make(learner, listed, options, quiet=as_json)
    _say(told, f"{cases(len(X))}, {y.n_unique()} classes, columns: {kinds(X)}")
    with notes(told):
        try:
            estimator.fit(X, y)
        except InvalidCosts as error:
            raise InvalidCosts(f"{costs} does not fit {data}: {error}") from None
    digest = digest_of(data)
    frugaltree.save_model(estimator, out, data_digest=digest)
    try:
        with told.status("Comparing"):
            hold_against(estimator, X, y)
            frugaltree.save_model(estimator, out, data_digest=digest)
    except KeyboardInterrupt:
        _say(told, f"Stopped while comparing with other learners; the model is saved in {out}.")
        return INTERRUPTED
    sum_up(estimator, out, as_json=as_json, gaps=bool(sum(X.null_count().row(0))))
    return INTERRUPTED if estimator.termination_ == "interrupted" else 0


def make(name: str, costs: Any, options: dict[str, Any], *, quiet: bool) -> Any:
    """Return an untrained learner; an option that it does not have is refused.

    >>> make("eg2", None, {"random_state": 3, "time_limit": None}, quiet=True)
    EG2Classifier(random_state=3)
    """
    estimator = load_class(find_learner(name))(costs)
    known = estimator.get_params(deep=False)
    given = {option: value for option, value in options.items() if value is not None}
    for option in given:
        if option not in known and option not in ("random_state", "n_jobs"):
            words = {"time_limit": "--time", "memory_limit": "--memory"}
            raise FrugaltreeError(
                f"{name} does not take {words.get(option, '--' + option.replace('_', '-'))}; "
                "leave it out, or use --learner frugal."
            )
    if not quiet:
        given["verbose"] = 1
    return estimator.set_params(**{k: v for k, v in given.items() if k in known})


def _check_place(out: Path) -> None:
    """Refuse, before any work is done, a place that could not be written to in the end."""
    from frugaltree.files import check_place

    check_place(out, "the model")


def _say(told: Console, line: str) -> None:
    told.print(escape(line), highlight=False, soft_wrap=True)


def sum_up(tree: Any, out: Path, *, as_json: bool, gaps: bool = False) -> None:
    """Say what was learned, what it costs, and what doing without it would.

    ``gaps`` tells whether values were missing in the table.
    """
    from frugaltree.app.summary import shown

    if as_json:
        rivals = [one.as_data() for one in tree.rivals_]
        print(json.dumps({"model": str(out), **facts(tree), "strategies": rivals}))
        return
    console = Console()
    text = tree.to_text()
    if text.count("\n") >= MOST_LINES:
        text = tree.to_text(max_depth=SHOWN_DEPTH)
    console.print()
    console.print(escape(text), highlight=False, soft_wrap=True)
    console.print()
    console.print(shown(tree.rivals_))
    console.print(
        "Costs per case on these cases; [italic]expected[/] of new ones, by C4.5's cautious "
        "estimate of errors.",
        style="dim",
    )
    for line in closing(tree, out, gaps=gaps):
        _say(console, line)


def facts(tree: Any) -> dict[str, Any]:
    """Return what is known of a fitted tree, as plain values."""
    names = (
        "expected_cost_", "expected_test_cost_", "expected_error_cost_", "objective_",
        "lower_bound_", "gap_", "cv_cost_", "cv_cost_error_", "termination_",
    )  # fmt: skip
    known = {name.rstrip("_"): getattr(tree, name, None) for name in names}
    return {
        "learner": type(tree).__name__,
        "leaves": tree.tree_.n_leaves,
        "depth": tree.tree_.depth,
        **{k: v if v is None or isinstance(v, str) else float(v) for k, v in known.items()},
    }


def closing(tree: Any, out: Path, *, gaps: bool = False) -> list[str]:
    """Return the last lines of a fit: what to expect, how good that is, where the model is."""
    from frugaltree.tree.text import money, search_in_words

    unit = tree.costs.unit
    lines = ["", *expectation(tree, unit)]
    if getattr(tree, "cv_cost_", None) is not None:
        lines.append(
            f"On cases held out: {money(tree.cv_cost_, unit)} ± {tree.cv_cost_error_:.2f}."
        )
    proven = search_in_words(tree)
    if proven is not None:
        lines.append(proven)
    if gaps:
        lines.append(without_a_value(tree))
    lines.append(f"The model is in {out}. Next: frugaltree consult {quote(str(out))}")
    return lines


def expectation(tree: Any, unit: str | None) -> list[str]:
    """Return what new cases are expected to cost, by the estimate that other learners have too.

    A search may go by another one, for it chooses how cautious to be; then that is told as well.
    """
    from frugaltree.rivals import expected_costs
    from frugaltree.tree.text import money

    tests, errors = expected_costs(tree)
    lines = [
        f"Expected of new cases, each: {money(tests + errors, unit)} = {money(tests, unit)} for "
        f"tests + {money(errors, unit)} for errors."
    ]
    own = money(tree.expected_cost_, unit)
    if hasattr(tree, "gap_") and own != money(tests + errors, unit):
        lines.append(f"By the estimate that the search has chosen: {own}.")
    return lines


def without_a_value(tree: Any) -> str:
    """Return what becomes of a case that lacks the value of a test."""
    if tree.tree_.fractional:
        return "A case without the value of a test goes down every branch."
    return "A case without the value of a test goes where most training cases went."

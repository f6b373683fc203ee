"""``frugaltree fit``: from a table and a price list to a model file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from frugaltree._registry import find_learner
from frugaltree.app.amounts import take_amounts
from frugaltree.app.compare import INTERRUPTED, beside
from frugaltree.app.notes import notes
from frugaltree.app.parquet import named_after
from frugaltree.app.program import propose
from frugaltree.app.tables import digest_of, kinds
from frugaltree.app.training import read_training
from frugaltree.estimators import load_class
from frugaltree.exceptions import FrugaltreeError, InvalidCosts

if TYPE_CHECKING:
    from frugaltree.protocols import Estimator
    from frugaltree.strategies import Strategy

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
    drop: Sequence[str],
    sheet: str | None = None,
    out: Path | None,
    as_json: bool,
    amount: str | None = None,
    ask_amount: bool = False,
) -> int:
    """Read, learn, save and sum up; return the exit code."""
    console = Console(stderr=True)
    out = Path(f"{named_after(data).stem}.model.json") if out is None else out
    _check_place(out)
    with notes(console) as unasked, console.status("Loading"):
        import frugaltree
        from frugaltree.costs import Costs
        from frugaltree.costs.leave_out import leave_out
        from frugaltree.report import compare_with_baselines
        from frugaltree.tree.text import cases

        table = read_training(
            data, target, nominal=nominal, numeric=numeric, drop=drop, sheet=sheet
        )
        table, amounts = take_amounts(data, table, amount, ask=ask_amount)
        gone = [*drop, *([amount] if amount is not None and not ask_amount else [])]
        costs = beside(named_after(data), target, gone, sheet) if costs is None else costs
        listed = leave_out(Costs.from_toml(costs), gone)
        unasked.update(listed.never_ask)
    estimator = make_learner(learner, listed, options, quiet=as_json)
    said = (
        f"{cases(table.n_cases)}, {table.n_classes} classes, columns: {kinds(table.rows, unasked)}"
    )
    _say(console, said)
    with notes(console, unasked):
        try:
            estimator.fit(table.X, table.y, error_costs=amounts)
        except InvalidCosts as error:
            raise InvalidCosts(f"{costs} does not fit {data}: {error}") from None
        except KeyboardInterrupt:
            _say(console, "Stopped before there was a tree; nothing is written.")
            return INTERRUPTED
    digest, file = digest_of(data), data.name
    frugaltree.save_model(estimator, out, data_digest=digest, data_file=file)
    try:
        with console.status("Comparing"):
            strategies = compare_with_baselines(estimator, table.rows, table.classes, amounts)
            frugaltree.save_model(
                estimator, out, data_digest=digest, data_file=file, strategies=strategies
            )
    except KeyboardInterrupt:
        _say(console, f"Stopped while comparing with other learners; the model is saved in {out}.")
        return INTERRUPTED
    gaps = bool(sum(table.rows.null_count().row(0)))
    shown = len(table.rows) if table.is_long else None
    sum_up(estimator, strategies, out, as_json=as_json, gaps=gaps, shown=shown)
    return INTERRUPTED if estimator.termination_ == "interrupted" else 0


def make_learner(name: str, costs: Any, options: dict[str, Any], *, quiet: bool) -> Any:
    """Return an untrained learner; an option that it does not have is refused.

    >>> make_learner("eg2", None, {"random_state": 3, "time_limit": None}, quiet=True)
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
    if "max_bins" in given:
        given["max_bins"] = bins_given(given["max_bins"])
    if not quiet:
        given["verbose"] = 1
    return estimator.set_params(**{k: v for k, v in given.items() if k in known})


def bins_given(text: str) -> str | int | None:
    """Return ``--max-bins`` as the parameter that it stands for.

    >>> bins_given("auto"), bins_given("none"), bins_given("64")
    ('auto', None, 64)
    """
    word = text.strip().lower()
    if word in ("auto", "none"):
        return "auto" if word == "auto" else None
    if not word.isdecimal() or int(word) < 2:
        raise FrugaltreeError(
            f"--max-bins is {text!r}, but must be auto, none or a whole number from 2 on; numbers "
            "in a single bin cannot be told apart."
        )
    return int(word)


def _check_place(out: Path) -> None:
    """Refuse, before any work is done, a place that could not be written to in the end."""
    from frugaltree.files import check_place

    check_place(out, "the model")


def _say(console: Console, line: str) -> None:
    console.print(escape(line), highlight=False, soft_wrap=True)


def sum_up(
    estimator: Estimator,
    strategies: Sequence[Strategy],
    out: Path,
    *,
    as_json: bool,
    gaps: bool = False,
    shown: int | None = None,
) -> None:
    """Say what was learned, what it costs, and what other strategies would cost.

    ``gaps`` tells whether values were missing in the table, ``shown`` how many cases of a long one
    the strategies were tried on.
    """
    from frugaltree.app.summary import strategy_table

    if as_json:
        costs = [one.as_data() for one in strategies]
        print(json.dumps({"model": str(out), **describe_fit(estimator), "strategies": costs}))
        return
    console = Console()
    text = estimator.to_text()
    if text.count("\n") >= MOST_LINES:
        text = estimator.to_text(max_depth=SHOWN_DEPTH)
    console.print()
    console.print(escape(text), highlight=False, soft_wrap=True)
    console.print()
    console.print(strategy_table(strategies))
    console.print(
        f"Costs per case on {'these' if shown is None else f'{shown:,} of these'} cases, where "
        "large trees look cheaper than they are; "
        "[italic]expected[/] of new ones, by C4.5's cautious estimate of errors.",
        style="dim",
        highlight=False,
    )
    for line in closing_lines(estimator, out, gaps=gaps):
        _say(console, line)


def describe_fit(estimator: Estimator) -> dict[str, Any]:
    """Return what is known of a fitted tree, as plain values; null where a learner has none."""
    from frugaltree.report.forecast import forecast_of
    from frugaltree.report.search import outcome_of

    search, told = outcome_of(estimator), forecast_of(estimator)
    return {
        "learner": type(estimator).__name__,
        "leaves": estimator.tree_.n_leaves,
        "depth": estimator.tree_.depth,
        "expected_cost": float(estimator.expected_cost_),
        "expected_test_cost": float(estimator.expected_test_cost_),
        "expected_error_cost": float(estimator.expected_error_cost_),
        "objective": None if search is None else float(search.objective),
        "lower_bound": None if search is None else float(search.lower_bound),
        "gap": None if search is None else float(search.gap),
        "cv_cost": None if told is None else told.cost,
        "cv_cost_error": None if told is None else told.error,
        "forecast": None if told is None else asdict(told),
        "termination": estimator.termination_,
    }


def closing_lines(estimator: Estimator, out: Path, *, gaps: bool = False) -> list[str]:
    """Return the last lines of a fit: what to expect, how good that is, where the model is."""
    from frugaltree.report.search import outcome_of, say_outcome
    from frugaltree.tree.text import say_bare_leaf

    search, bare = outcome_of(estimator), say_bare_leaf(estimator.tree_)
    lines = ["", *([bare] if bare else []), say_cost(estimator)]
    if search is not None and not bare:
        lines.append(say_outcome(search))
    if gaps:
        lines.append(say_missing_rule(estimator))
    lines.append(f"The model is in {out}. Next: {propose('consult', out)}")
    return lines


def say_cost(estimator: Estimator) -> str:
    """Return what a new case will cost: by cases kept aside, else by an estimate."""
    from frugaltree.report.forecast import forecast_of, say_forecast
    from frugaltree.strategies import expected_costs
    from frugaltree.tree.text import money

    unit = None if estimator.costs is None else estimator.costs.unit
    told = forecast_of(estimator)
    if told is not None:
        return say_forecast(told, unit)
    tests, errors = expected_costs(estimator)
    return (
        f"A new case is estimated to cost {money(tests + errors, unit)}, {money(tests, unit)} for "
        f"tests and {money(errors, unit)} for errors; no cases were kept aside to check that."
    )


def say_missing_rule(estimator: Estimator) -> str:
    """Return what becomes of a case that lacks the value of a test."""
    if estimator.tree_.fractional:
        return "A case without the value of a test goes down every branch."
    return (
        "A case without the value of a test is not charged for it. It goes the way of the "
        "training cases without one; where there were none, it ends or goes on, whichever costs "
        "less."
    )

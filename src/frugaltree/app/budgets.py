"""Repertoires on the command line: ``fit --budgets``, and ``--budget`` for a case."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from frugaltree.app.compare import INTERRUPTED, beside
from frugaltree.app.notes import notes
from frugaltree.app.parquet import named_after
from frugaltree.app.program import propose
from frugaltree.app.tables import digest_of, kinds
from frugaltree.app.training import read_training
from frugaltree.exceptions import FrugaltreeError, InvalidCosts

if TYPE_CHECKING:
    from frugaltree.protocols import Estimator

FALLBACK = "act"
"""What learns the trees unless a learner is named: the default of ``fit`` is for one tree."""


def load_within(model: Path, budget: float | None) -> Estimator:
    """Return the learner of a model file; of a repertoire the one for a budget."""
    from frugaltree.estimators.repertoire import Repertoire
    from frugaltree.persist import load_model

    found = load_model(model)
    if isinstance(found, Repertoire):
        return found.for_budget(budget)
    if budget is not None:
        raise FrugaltreeError(
            f"--budget is for a repertoire, but {model} has one tree; leave it out, or learn with "
            "fit --budgets."
        )
    learner: Estimator = found
    return learner


def budgets_given(text: str) -> str | list[float]:
    """Return ``--budgets`` as the parameter that it stands for.

    >>> budgets_given("auto"), budgets_given("5,10, 20")
    ('auto', [5.0, 10.0, 20.0])
    >>> budgets_given("5,ten")
    Traceback (most recent call last):
    frugaltree.exceptions.FrugaltreeError: --budgets has 'ten', which is no number; write such as
    5,10,20.
    """
    from frugaltree.estimators.budget_checks import check_budgets

    if text.strip().lower() == "auto":
        return "auto"
    found = []
    for word in text.split(","):
        try:
            found.append(float(word))
        except ValueError:
            raise FrugaltreeError(
                f"--budgets has {word.strip()!r}, which is no number; write such as 5,10,20."
            ) from None
    return check_budgets(found)


def run_fit(
    data: Path,
    target: str,
    costs: Path | None,
    budgets: str,
    options: dict[str, Any],
    reading: dict[str, Any],
    *,
    out: Path | None,
    as_json: bool,
) -> int:
    """Read, learn a tree for each budget, save and sum up; return the exit code."""
    from frugaltree.files import check_place

    console = Console(stderr=True)
    out = Path(f"{named_after(data).stem}.model.json") if out is None else out
    check_place(out, "the model")
    wanted = budgets_given(budgets)
    with notes(console) as unasked, console.status("Loading"):
        import frugaltree
        from frugaltree.app.fit import make_learner
        from frugaltree.costs import Costs
        from frugaltree.costs.leave_out import leave_out
        from frugaltree.tree.text import cases

        base = _base(options, make_learner)
        frugaltree.Repertoire(estimator=base)._base()  # refuses it before anything is read
        table = read_training(data, target, **reading)
        drop = reading["drop"]
        costs = (
            beside(named_after(data), target, drop, reading["sheet"]) if costs is None else costs
        )
        listed = leave_out(Costs.from_toml(costs), drop)
        unasked.update(listed.never_ask)
    repertoire = frugaltree.Repertoire(
        listed,
        budgets=wanted,
        estimator=base,
        random_state=options["random_state"],
        n_jobs=options["n_jobs"],
    )
    _say(
        console,
        f"{cases(table.n_cases)}, {table.n_classes} classes, columns: "
        f"{kinds(table.rows, unasked)}",
    )
    with notes(console, unasked), console.status("Learning"):
        try:
            repertoire.fit(table.X, table.y)
        except InvalidCosts as error:
            raise InvalidCosts(f"{costs} does not fit {data}: {error}") from None
        except KeyboardInterrupt:
            _say(console, "Stopped before there was a tree for each budget; nothing is written.")
            return INTERRUPTED
    frugaltree.save_model(repertoire, out, data_digest=digest_of(data))
    if as_json:
        about = [asdict(one) for one in repertoire.choices_]
        print(json.dumps({"budgets": about, "settings": repertoire.settings_, "out": str(out)}))
        return 0
    Console().print(f"\n{escape(repertoire.overview())}\n", highlight=False, soft_wrap=True)
    _say(console, f"The model is in {out}. Next: {propose('consult', out, '--budget', 'AMOUNT')}")
    return 0


def _base(options: dict[str, Any], make: Callable[..., Any]) -> Any:
    """Return what learns one tree."""
    named = options["learner"] not in ("frugal", FALLBACK)
    of_one = {k: v for k, v in options.items() if k not in ("learner", "n_jobs", "random_state")}
    base = make(options["learner"] if named else FALLBACK, None, of_one, quiet=True)
    return base if named else base.set_params(n_samples=1)


def _say(console: Console, line: str) -> None:
    console.print(escape(line), highlight=False, soft_wrap=True)

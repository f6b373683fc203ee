"""``--amount``: a column of the table with what an error in a case is about."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frugaltree.exceptions import FrugaltreeError, InvalidTable, did_you_mean

if TYPE_CHECKING:
    import polars as pl

    from frugaltree.app.training import Training
    from frugaltree.protocols import Estimator


def take_amounts(
    data: Path, table: Training, amount: str | None, *, ask: bool
) -> tuple[Training, Any]:
    """Return a table without its column of amounts, unless it is a test, and the amounts."""
    if amount is None:
        return table, None
    if table.is_long:
        raise FrugaltreeError(
            f"{data} is too long to be held as a whole, which --amount needs; give fewer rows, or "
            "leave --amount out."
        )
    check_has_amounts(data, amount, table.rows.columns)
    found = amounts_of(data, amount, table.rows[amount])
    if ask:
        return table, found
    rows = table.rows.drop(amount)
    if not rows.columns:
        raise InvalidTable(
            f"{data} has no column beside the target and {amount!r}, the amount; add one to ask, "
            "or let the amount be asked with --ask-amount."
        )
    return table._replace(X=rows, rows=rows), found


def check_has_amounts(data: Path, amount: str, columns: Sequence[str]) -> None:
    """Refuse a column of amounts that is not there."""
    if amount not in columns:
        raise InvalidTable(
            f"--amount names {amount!r}, but {data} has no such column beside the target; correct "
            f"the name.{did_you_mean(amount, columns)}"
        )


def amounts_of(data: Path, amount: str, column: pl.Series) -> Any:
    """Return amounts as numbers; what is none is refused."""
    if not column.dtype.is_numeric():
        raise InvalidTable(
            f"--amount names {amount!r}, but in {data} that column is no number; name one that "
            "is, or let --numeric say so."
        )
    if column.null_count():
        case = int(column.is_null().arg_max() or 0) + 1
        raise InvalidTable(
            f"{data} has no {amount!r} for case {case}, and --amount needs one for each; fill it "
            "in, or leave the case out."
        )
    return column.cast(float).to_numpy()


def check_amount(model: Path, estimator: Estimator, amount: str | None) -> None:
    """Refuse to count errors by the price list alone where a model was learned with amounts."""
    if amount is None and estimator.tree_.mean_errors is not None:
        raise FrugaltreeError(
            f"{model} was learned with costs of each case, so that the price list alone does not "
            "say what an error costs; name the column of the amounts with --amount."
        )

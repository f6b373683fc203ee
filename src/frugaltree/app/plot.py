"""``frugaltree plot``: pictures of a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from frugaltree.app.pictures import check_picture, save
from frugaltree.exceptions import FrugaltreeError, did_you_mean

WHAT = ("tree", "spending", "sensitivity", "anytime", "budgets")


def run(
    console: Console, model: Path, what: str, depth: int | None, out: Path | None, *, as_json: bool
) -> None:
    """Draw and save a picture, or print its numbers."""
    if what not in WHAT:
        raise FrugaltreeError(
            f"there is no picture {what!r}; choose among {', '.join(WHAT)}."
            f"{did_you_mean(what, WHAT)}"
        )
    if as_json:
        print(json.dumps(numbers(model, what, depth), default=lambda some: some._asdict()))
        return
    out = model.with_suffix(f".{what}.svg") if out is None else out
    check_picture(out)
    with console.status("Drawing"):
        from frugaltree import plots
        from frugaltree.persist import read_model

        saved = read_model(model)
        estimator = saved.estimator
        if what == "tree":
            depth = plots.fitting_depth(estimator.tree_) if depth is None else depth
            axes = plots.tree(estimator, max_depth=depth)
        elif what == "sensitivity":
            axes = plots.sensitivity(estimator, strategies=saved.strategies)
        else:
            axes = getattr(plots, what)(estimator)
        figure = axes.get_figure(root=True)
        assert figure is not None
        save(figure, out)
    console.print(
        f"The picture is in [bold]{escape(str(out))}[/].", highlight=False, soft_wrap=True
    )
    if what == "tree" and depth is not None and depth < estimator.tree_.depth:
        console.print(
            f"It is drawn {_tests(depth)} deep of {estimator.tree_.depth}; --depth draws more.",
            highlight=False,
        )


def _tests(depth: int) -> str:
    return "1 test" if depth == 1 else f"{depth} tests"


def numbers(model: Path, what: str, depth: int | None) -> dict[str, Any]:
    """Return the numbers behind a picture."""
    from frugaltree import plots
    from frugaltree.persist import read_model

    saved = read_model(model)
    more: dict[str, Any] = {"max_depth": depth} if what == "tree" else {}
    if what == "sensitivity":
        more = {"strategies": saved.strategies}
    found: Any = getattr(plots, f"{what}_numbers")(saved.estimator, **more)
    named: dict[str, Any] = found._asdict()
    return named

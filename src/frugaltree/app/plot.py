"""``frugaltree plot``: pictures of a model."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.markup import escape

from frugaltree.app.pictures import check_picture, save
from frugaltree.exceptions import FrugaltreeError, did_you_mean

WHAT = ("tree", "spending", "sensitivity", "anytime")


def run(told: Console, model: Path, what: str, depth: int | None, out: Path | None) -> None:
    """Draw and save a picture."""
    if what not in WHAT:
        raise FrugaltreeError(
            f"there is no picture {what!r}; choose among {', '.join(WHAT)}."
            f"{did_you_mean(what, WHAT)}"
        )
    out = model.with_suffix(f".{what}.svg") if out is None else out
    check_picture(out)
    with told.status("Drawing"):
        from frugaltree import plots
        from frugaltree.persist import load_model

        estimator = load_model(model)
        if what == "tree":
            axes = plots.tree(estimator, max_depth=depth)
        else:
            axes = getattr(plots, what)(estimator)
        figure = axes.get_figure(root=True)
        assert figure is not None
        save(figure, out)
    told.print(f"The picture is in [bold]{escape(str(out))}[/].", highlight=False, soft_wrap=True)

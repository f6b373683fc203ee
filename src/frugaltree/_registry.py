"""The table of learners: one line each, from which everything else takes their names.

The package's public names, model files and their schema, the command line, ``compare`` and the
tests read :data:`LEARNERS`. To add a learner, write its file in ``estimators/`` and add a line
here. Nothing heavy is imported: ``import frugaltree`` reads this module.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Sees = Literal["nothing", "prices", "all"]


class Entry(NamedTuple):
    """A learner of the package: a line of the table.

    Attributes
    ----------
    key
        Its name on the command line, as in ``fit --learner c4.5``.
    title
        Its name in tables and texts.
    class_name
        The estimator's class.
    sees
        What the search looks at beside the cases: nothing, the prices of tests, or all costs,
        those of errors too.
    draws
        Whether it draws random numbers, so that ``random_state`` matters.
    anytime
        Whether it works in rounds, can be stopped after each, and keeps a ``history_``.
    """

    key: str
    title: str
    class_name: str
    sees: Sees
    draws: bool = False
    anytime: bool = False

    @property
    def module(self) -> str:
        """The module of ``frugaltree.estimators`` that has the class: its key without dots."""
        return self.key.replace(".", "")


_TABLE = (
    Entry("id3", "ID3", "ID3Classifier", "nothing"),
    Entry("c4.5", "C4.5", "C45Classifier", "nothing"),
    Entry("lsid3", "LSID3", "LSID3Classifier", "nothing", draws=True, anytime=True),
    Entry("idx", "IDX", "IDXClassifier", "prices"),
    Entry("csid3", "CSID3", "CSID3Classifier", "prices"),
    Entry("eg2", "EG2", "EG2Classifier", "prices"),
    Entry("dtmc", "DTMC", "DTMCClassifier", "all"),
    Entry("icet", "ICET", "ICETClassifier", "all", draws=True, anytime=True),
    Entry("act", "ACT", "ACTClassifier", "all", draws=True, anytime=True),
    Entry("frugal", "FrugalTree", "FrugalTreeClassifier", "all", draws=True, anytime=True),
)

LEARNERS: dict[str, Entry] = {learner.key: learner for learner in _TABLE}
"""Every learner by its key, in the order of the paper's tables; the package's own comes last."""

BY_CLASS: dict[str, Entry] = {learner.class_name: learner for learner in _TABLE}
"""Every learner by the name of its class."""


def find_learner(key: str) -> Entry:
    """Return the learner with this key.

    >>> find_learner("act").class_name
    'ACTClassifier'
    >>> find_learner("atc")
    Traceback (most recent call last):
    frugaltree.exceptions.FrugaltreeError: there is no learner 'atc'; choose among frugal, act,
    icet, dtmc, eg2, csid3, idx, lsid3, c4.5, id3. Did you mean 'act'?
    """
    from frugaltree.exceptions import FrugaltreeError, did_you_mean

    if key not in LEARNERS:
        raise FrugaltreeError(
            f"there is no learner {key!r}; choose among {', '.join(reversed(LEARNERS))}."
            f"{did_you_mean(key, LEARNERS)}"
        )
    return LEARNERS[key]

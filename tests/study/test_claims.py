"""The paper's claims, judged by outcomes made up for the purpose."""

from __future__ import annotations

import polars as pl
import pytest

from study.claims import judge
from study.learners import parse
from study.plan import plan_experiments
from study.results import SCHEMA
from study.units import ANY, Unit

RIGHT = {"act": 90, "lsid3": 88, "icet": 87, "c4.5": 80, "csid3": 70, "eg2": 60, "idx": 50}


OWN = ("frugal", "anytime")
"""What our own learner is run on."""


def invented(right, names=("main", "curves", "turney", "nonuniform", "random")):
    """Outcomes of the small study: each learner has its own share of right answers."""
    rows = {}
    for experiment in plan_experiments():
        if experiment.name not in names:
            continue
        for problem in experiment.quick().problems:
            for learner in experiment.learners:
                for level in experiment.levels:
                    for fold in experiment.quick().folds:
                        unit = Unit.of(learner, problem, level, fold)
                        key = (*unit[:2], problem.prices, unit.errors, fold)
                        good = right(parse(learner)[0], unit.errors)
                        confusion = f"[[0,0,{good}],[1,0,{100 - good}]]"
                        seconds = {"act": 0.1, "frugal": 0.05}.get(parse(learner)[0], 0.2)
                        rows[key] = (*key, 0.0, confusion, 100, 3, seconds)
    return pl.DataFrame(list(rows.values()), schema=SCHEMA, orient="row")


def share(learner, level):
    """DTMC, and ACT at the lowest level, as the paper tells it."""
    if level == "100":
        return {"dtmc": 99, "act": 40, "icet": 42}[learner]
    return RIGHT.get(learner, 45)


def test_nothing_is_known_without_outcomes():
    claims = judge(pl.DataFrame(schema=SCHEMA))
    assert claims
    assert all(claim.holds is None for claim in claims)


@pytest.fixture(scope="module")
def claims():
    return judge(invented(share), quick=True)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("ACT has the lowest mean cost of the 8 at mc = 500", True),
        ("DTMC has the lowest mean cost of the 8 at mc = 100", True),
        ("ICET is second at mc = 500", False),
        ("LSID3 is second at mc = 5000", True),
        ("ACT takes less time to train than ICET, on average", True),
        ("ACT is significantly cheaper than ICET at mc = 500 (Wilcoxon)", True),
        ("ACT is significantly cheaper than ICET at mc = 100 (Wilcoxon)", False),
        ("ACT is one of the 2 least accurate at mc = 100", True),
        ("ACT is the most accurate at mc = 10000", True),
        ("ACT is below ICET on xor-5", True),
        ("ACT is the cheapest of Table 3 at FP:FN = 1:8, gamma = 500", True),
    ],
)
def test_claims_by_invented_outcomes(claims, text, holds):
    (claim,) = [claim for claim in claims if claim.text == text]
    assert claim.holds is holds
    assert str(claim).startswith("yes" if holds else "NO")


def test_every_claim_can_fail():
    worst = judge(invented(lambda learner, level: 30 if learner == "act" else 60), quick=True)
    about_act = [claim for claim in worst if claim.text.startswith("ACT")]
    others = [c for c in about_act if "time" not in c.text and "least accurate" not in c.text]
    assert others
    assert not any(claim.holds for claim in others)


def test_who_is_blind_to_errors_has_one_outcome_for_all():
    assert set(invented(share).filter(pl.col("learner") == "c4.5")["errors"]) == {ANY}


# ------------------------------------------------------------------------------ our own


def ours(right):
    """Return the claims about our own learner, given its share of right answers."""
    outcomes = pl.concat([invented(share), invented(lambda *_: right, OWN)])
    return [c for c in judge(outcomes, quick=True) if c.text.startswith("FrugalTree")]


def test_a_better_learner_holds_every_claim():
    claims = ours(100)
    # Costs at five levels, Wilcoxon's test at four, time, two others on four data sets.
    assert len(claims) == 5 + 4 + 1 + 8
    assert all(claim.holds for claim in claims)


def test_a_worse_learner_holds_none_but_that_of_time():
    held = [claim.text for claim in ours(10) if claim.holds]
    assert held == ["FrugalTree takes no longer to train than ICET on any data set, on average"]


def test_problems_not_done_yet_are_told():
    own = invented(lambda *_: 100, OWN).filter(pl.col("data") != "iris")
    claims = judge(pl.concat([invented(share), own]), quick=True)
    text = "FrugalTree costs at most what each of the 8 costs at mc = 500"
    (claim,) = [claim for claim in claims if claim.text == text]
    assert claim.figures.endswith("; on 25 of 26 problems")


def test_our_own_learner_changes_nothing_the_paper_claims(claims):
    outcomes = pl.concat([invented(share), invented(lambda *_: 100, OWN)])
    both = judge(outcomes, quick=True)
    about_the_paper = [claim for claim in claims if claim.holds is not None]
    assert both[: len(about_the_paper)] == about_the_paper

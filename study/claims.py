"""What the paper claims of its study, and we of our own learner, held against our results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import polars as pl

from study.learners import FRUGAL, PAPER, get_title
from study.plan import GENERATIONS, SAMPLES, SECONDS, plan_experiments
from study.problems import GAMMAS, LEVELS, RATIOS, list_nonuniform_levels
from study.published import (
    TABLE_2,
    TURNEY_BASIC,
    TURNEY_REIMPLEMENTED,
)
from study.scores import compute_scores
from study.statistics import wilcoxon
from study.tables.cells import join_words
from study.tables.complete import CompleteScores

TOLERANCE = 3.0
"""Points within which our unseeded ICET is taken for Turney's."""

FIRST_SECONDS = 0.1
"""Seconds from which on our own learner is to be below the others."""

LEAST_ACCURATE = 2
"""ACT is to be among so many least accurate learners where errors are cheap."""


@dataclass(frozen=True)
class Claim:
    """A claim, whether it holds (None: not known yet), and the figures that tell."""

    text: str
    holds: bool | None
    figures: str = ""

    def __str__(self) -> str:
        verdict = {True: "yes", False: "NO ", None: "?  "}[self.holds]
        return f"{verdict} {self.text}" + (f": {self.figures}" if self.figures else "")


def judge(outcomes: pl.DataFrame, *, quick: bool = False) -> list[Claim]:
    """Return every claim with its verdict by these outcomes."""

    @cache
    def complete(name: str, joined: bool) -> CompleteScores:
        experiment = next(e for e in plan_experiments() if e.name == name)
        experiment = experiment.quick() if quick else experiment
        found = compute_scores(experiment, outcomes)
        learners = experiment.shown if joined else experiment.learners
        return CompleteScores.of(replace(experiment, learners=learners, also_shown=()), found)

    claims: list[Claim] = []
    for name, joined, judges in (
        ("main", False, (_judge_costs, _judge_time, _judge_pairs, _judge_accuracy)),
        ("curves", False, (_judge_curves,)),
        ("nonuniform", False, (_judge_nonuniform,)),
        ("turney", False, (_judge_turney,)),
        ("main", True, (_judge_frugal,)),
        ("curves", True, (_judge_anytime,)),
    ):
        here = complete(name, joined)
        for each in judges:
            if here.problems and set(here.learners) == set(here.experiment.learners):
                claims += each(here)
            else:
                who = f"we say of {get_title(FRUGAL)} in" if joined else "the paper says of"
                text = f"what {who} {', '.join(here.experiment.fills)}"
                claims.append(Claim(text, None, _describe_missing(here)))
    return claims


def _describe_missing(complete: CompleteScores) -> str:
    """Say what is missing before claims can be judged, and how to run it."""
    wanted = complete.experiment
    absent = [get_title(name) for name in wanted.learners if name not in complete.learners]
    what = f"complete on no problem: {join_words(absent)}" if absent else "none in common"
    return (
        f"not every learner has been through a problem ({what}); `python -m study run "
        f"{wanted.fills[0]}` runs what is missing"
    )


def _rank(
    complete: CompleteScores, level: str, column: str = "percent"
) -> list[tuple[str, float]]:
    """Return the learners with their means over problems, lowest first."""
    means = {name: float(complete.means(name, level, column).mean()) for name in complete.learners}
    return sorted(means.items(), key=lambda item: item[1])


def _format_ranking(ranked: list[tuple[str, float]], most: int = 3) -> str:
    return ", ".join(f"{get_title(name)} {mean:.1f}" for name, mean in ranked[:most])


def _judge_costs(complete: CompleteScores) -> Iterator[Claim]:
    firsts = {"100": "dtmc", **dict.fromkeys(LEVELS[1:], "act")}
    seconds = {"500": "icet", "1000": "icet", "5000": "lsid3", "10000": "lsid3"}
    for level, learner in firsts.items():
        ranked = _rank(complete, level)
        text = f"{get_title(learner)} has the lowest mean cost of the {len(PAPER)} at mc = {level}"
        yield Claim(text, ranked[0][0] == learner, _format_ranking(ranked))
    for level, learner in seconds.items():
        ranked = _rank(complete, level)
        text = f"{get_title(learner)} is second at mc = {level}"
        yield Claim(text, ranked[1][0] == learner, _format_ranking(ranked))


def _judge_time(complete: CompleteScores) -> Iterator[Claim]:
    means = {
        name: float(np.mean([complete.means(name, level, "seconds").mean() for level in LEVELS]))
        for name in ("act", "icet")
    }
    figures = ", ".join(f"{get_title(name)} {mean:.3f} s" for name, mean in means.items())
    text = "ACT takes less time to train than ICET, on average"
    yield Claim(text, means["act"] < means["icet"], figures)


def _judge_pairs(complete: CompleteScores) -> Iterator[Claim]:
    for level in LEVELS:
        for other, printed in TABLE_2[level].items():
            if printed.winner is None:
                continue
            loser = other if printed.winner == "act" else "act"
            verdict = wilcoxon(complete.means(printed.winner, level), complete.means(loser, level))
            text = (
                f"{get_title(printed.winner)} is significantly cheaper than {get_title(loser)} at "
                f"mc = {level} (Wilcoxon)"
            )
            yield Claim(text, verdict.winner() == -1, f"p = {verdict.p:.2g}")


def _judge_accuracy(complete: CompleteScores) -> Iterator[Claim]:
    cheap, dear = LEVELS[0], LEVELS[-1]
    ranked = _rank(complete, cheap, "accuracy")
    names = [name for name, _ in ranked]
    text = f"ACT is one of the {LEAST_ACCURATE} least accurate at mc = {cheap}"
    yield Claim(text, "act" in names[:LEAST_ACCURATE], _format_ranking(ranked))
    ranked = _rank(complete, dear, "accuracy")[::-1]
    yield Claim(
        f"ACT is the most accurate at mc = {dear}", ranked[0][0] == "act", _format_ranking(ranked)
    )


def _judge_curves(complete: CompleteScores) -> Iterator[Claim]:
    """At each of ICET's times, ACT as it is with no more time costs less."""
    level = complete.experiment.levels[0]
    act = [f"act(n_samples={r})" for r in SAMPLES]
    icet = [f"icet(generations={g})" for g in GENERATIONS]
    data = np.array([problem.data for problem in complete.problems])
    for name in complete.data_sets:
        here = data == name
        costs = {n: float(complete.means(n, level)[here].mean()) for n in act + icet}
        times = {n: float(complete.means(n, level, "seconds")[here].mean()) for n in act + icet}
        pairs = []
        for other in icet:
            ready = [n for n in act if times[n] <= times[other]]
            if ready:
                pairs.append((costs[max(ready, key=times.__getitem__)], costs[other]))
        below = sum(ours < theirs for ours, theirs in pairs)
        last = f"at the end {costs[act[-1]]:.1f} and {costs[icet[-1]]:.1f}"
        figures = f"{below} of {len(pairs)} of ICET's times, {last}"
        yield Claim(f"ACT is below ICET on {name}", bool(pairs) and below == len(pairs), figures)


def _judge_nonuniform(complete: CompleteScores) -> Iterator[Claim]:
    for gamma in GAMMAS:
        levels = list_nonuniform_levels(gamma)
        for level, (false_positive, false_negative) in zip(levels, RATIOS, strict=True):
            ranked = _rank(complete, level)
            text = (
                f"ACT is the cheapest of Table 3 at FP:FN = {false_positive}:{false_negative}, "
                f"gamma = {gamma}"
            )
            yield Claim(text, ranked[0][0] == "act", _format_ranking(ranked))


def _judge_turney(complete: CompleteScores) -> Iterator[Claim]:
    means = {
        name: float(np.mean([complete.means(name, level) for level in complete.experiment.levels]))
        for name in complete.learners
    }
    ours = means["icet(seeded=False)"]
    text = (
        f"unseeded ICET costs by Turney's protocol what he printed, {TURNEY_BASIC:g} % of the "
        f"standard cost (reimplemented: {TURNEY_REIMPLEMENTED:g})"
    )
    near = min(abs(ours - TURNEY_BASIC), abs(ours - TURNEY_REIMPLEMENTED)) <= TOLERANCE
    yield Claim(text, near, ", ".join(f"{name} {mean:.1f}" for name, mean in means.items()))


# ------------------------------------------------------------------------------ our own


def _judge_frugal(complete: CompleteScores) -> Iterator[Claim]:
    """Hold our own learner, with no more time than ICET takes, against the eight."""
    ours, planned = get_title(FRUGAL), len(complete.experiment.problems)
    here = len(complete.problems)
    on = "" if here == planned else f"; on {here} of {planned} problems"
    for level in LEVELS:
        ranked = _rank(complete, level)
        place = [name for name, _ in ranked].index(FRUGAL)
        text = f"{ours} costs at most what each of the {len(PAPER)} costs at mc = {level}"
        lowest = ranked[place][1] <= ranked[0][1]
        yield Claim(text, lowest, f"{_format_ranking(ranked, max(3, place + 1))}{on}")
    for level in LEVELS[1:]:
        verdict = wilcoxon(complete.data_means(FRUGAL, level), complete.data_means("act", level))
        text = (
            f"{ours} is significantly cheaper than ACT at mc = {level} (Wilcoxon over data sets)"
        )
        yield Claim(text, verdict.winner() == -1, f"p = {verdict.p:.2g}{on}")
    yield _judge_total_time(complete)


def _judge_total_time(complete: CompleteScores) -> Claim:
    means = {
        name: np.mean([complete.data_means(name, level, "seconds") for level in LEVELS], axis=0)
        for name in (FRUGAL, "icet")
    }
    longer = [
        f"{data} {ours:.3f} : {theirs:.3f} s"
        for data, ours, theirs in zip(
            complete.data_sets, means[FRUGAL], means["icet"], strict=True
        )
        if ours > theirs
    ]
    text = f"{get_title(FRUGAL)} takes no longer to train than ICET on any data set, on average"
    averages = ", ".join(f"{get_title(name)} {mean.mean():.3f} s" for name, mean in means.items())
    return Claim(text, not longer, "; ".join([averages, *longer]))


def _judge_anytime(complete: CompleteScores) -> Iterator[Claim]:
    """From a tenth of a second on, at each time of ACT and ICET, ours as it is costs no more."""
    level = complete.experiment.levels[0]
    groups = {
        FRUGAL: [f"{FRUGAL}(time_limit={seconds})" for seconds in SECONDS],
        "act": [f"act(n_samples={r})" for r in SAMPLES],
        "icet": [f"icet(generations={g})" for g in GENERATIONS],
    }
    data = np.array([problem.data for problem in complete.problems])
    for name in complete.data_sets:
        here = data == name
        curves = {
            key: [
                (
                    float(complete.means(one, level, "seconds")[here].mean()),
                    float(complete.means(one, level)[here].mean()),
                )
                for one in group
            ]
            for key, group in groups.items()
        }
        for other in ("act", "icet"):
            yield _compare_curves(name, other, curves[FRUGAL], curves[other])


Curve = list[tuple[float, float]]
"""Seconds and costs, in the order in which more is asked of a learner."""


def _compare_curves(data: str, other: str, ours: Curve, theirs: Curve) -> Claim:
    """Compare two curves at the first moment and at each later one where the other changes."""
    moments = sorted(
        {FIRST_SECONDS, *(seconds for seconds, _ in theirs if seconds > FIRST_SECONDS)}
    )
    pairs = [(find_cost_at(ours, t), find_cost_at(theirs, t)) for t in moments]
    held = [(a, b) for a, b in pairs if b is not None]
    below = sum(a is not None and a <= b for a, b in held)
    pair = f"{get_title(FRUGAL)} is at or below {get_title(other)}"
    text = f"{pair} on {data} from {FIRST_SECONDS:g} s on"
    last = f"at the end {ours[-1][1]:.1f} and {theirs[-1][1]:.1f}"
    return Claim(text, below == len(held), f"{below} of {len(held)} moments, {last}")


def find_cost_at(curve: Curve, seconds: float) -> float | None:
    """Return the cost of the last point that is ready by then, None if there is none.

    >>> find_cost_at([(0.03, 9.0), (0.2, 7.0)], 0.1), find_cost_at([(0.03, 9.0)], 0.01)
    (9.0, None)
    """
    ready = [cost for when, cost in curve if when <= seconds]
    return ready[-1] if ready else None

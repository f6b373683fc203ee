"""What each table and figure of the study needs: learners, problems, levels, folds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from frugaltree.exceptions import FrugaltreeError, did_you_mean
from frugaltree.experiments.learners import NINTH, PAPER, PEERS
from frugaltree.experiments.problems import (
    GAMMAS,
    LEVELS,
    N_FOLDS,
    TURNEY_LEVELS,
    Problem,
    curve_problems,
    main_problems,
    nonuniform_levels,
    random_problems,
    turney_problems,
)
from frugaltree.experiments.units import Unit

CURVE_LEVEL = "5000"
SAMPLES = (1, 2, 4, 8, 16, 32, 64)
GENERATIONS = (2, 4, 8, 16, 32, 64, 128)
"""What Figure 13 gives ACT and ICET, one after the other."""

SECONDS = (0.03, 0.1, 0.3, 1, 3)
"""Time limits under which our own learner joins it."""

PROVEN = f"{NINTH}(pessimism=paper)"
"""Our own search under the paper's estimate: nothing is tuned."""

MULTIWAY = f"{NINTH}(splits=values)"
"""Our own learner with a branch for each value, as all others have."""

ABLATION_PRICES, ABLATION_LEVELS = "1", ("500", "5000")
"""The one price list, and the levels, at which search and tuning are told apart."""

QUICK_FOLDS = 2
LARGE = ("krk", "nursery", "thyroid")
"""Tables that a quick run leaves out."""

FEW = ("bupa", "heart", "hepatitis")
"""Tables that a quick run takes where each fit is many."""


@dataclass(frozen=True)
class Experiment:
    """A grid of units, and the tables and figures that it fills.

    Attributes
    ----------
    name, fills
        What it is called, and what it is for.
    learners, problems, levels, folds
        The grid.
    guests
        Learners that another experiment runs on the same problems, shown beside these.
    few
        Tables that a quick run takes; all but the large ones if not given.
    """

    name: str
    fills: tuple[str, ...]
    learners: tuple[str, ...]
    problems: tuple[Problem, ...]
    levels: tuple[str, ...]
    folds: tuple[int, ...] = tuple(range(N_FOLDS))
    guests: tuple[str, ...] = ()
    few: tuple[str, ...] = ()

    @property
    def shown(self) -> tuple[str, ...]:
        """All learners that tables show, guests last."""
        return self.learners + self.guests

    def units(self) -> list[Unit]:
        """Return all units, each once, table by table."""
        return list(
            dict.fromkeys(
                Unit.of(learner, problem, level, fold)
                for problem in sorted(self.problems)
                for learner in self.learners
                for fold in self.folds
                for level in self.levels
            )
        )

    def quick(self) -> Experiment:
        """Return a small part: one price list beside the experts', two folds, no large table."""
        few = tuple(
            problem
            for problem in self.problems
            if problem.prices in ("1", "random-1", "expert", "turney")
            and (problem.data in self.few if self.few else problem.data not in LARGE)
        )
        return replace(self, problems=few, folds=tuple(range(QUICK_FOLDS)))


def experiments() -> list[Experiment]:
    """Return the study in the order in which it is run."""
    nonuniform = tuple(name for gamma in GAMMAS for name in nonuniform_levels(gamma))
    curves = tuple(f"act(n_samples={r})" for r in SAMPLES)
    curves += tuple(f"icet(generations={g})" for g in GENERATIONS)
    limited = tuple(f"{NINTH}(time_limit={seconds})" for seconds in SECONDS)
    main, drawn = tuple(main_problems()), tuple(curve_problems())
    aware = ("dtmc", "icet", "act")
    paired = tuple(name for key in ("eg2", "dtmc", "act") for name in (key, f"{key}-tuned"))
    tables = ("table-1", "table-2", "figure-10", "figure-11", "figure-12")
    nonuniform_tables = ("table-3", "table-4", "figure-15")
    return [
        Experiment("main", tables, PAPER, main, LEVELS, guests=(NINTH,)),
        Experiment(
            "curves", ("figure-13",), ("eg2", "dtmc", *curves), drawn, (CURVE_LEVEL,),
            guests=limited,
        ),
        Experiment(
            "turney", ("turney",), ("icet(seeded=False)", "icet"), tuple(turney_problems()),
            TURNEY_LEVELS,
        ),
        Experiment(
            "nonuniform", nonuniform_tables, ("c4.5", "eg2", *aware), main, nonuniform,
            guests=(NINTH,),
        ),
        Experiment(
            "frugal", tables + nonuniform_tables, (NINTH,), main,
            tuple(dict.fromkeys(LEVELS + nonuniform)),
        ),
        Experiment("anytime", ("figure-13",), limited, drawn, (CURVE_LEVEL,)),
        Experiment(
            "ablation", ("ablation",), (*paired, PROVEN, MULTIWAY, NINTH),
            tuple(problem for problem in main if problem.prices == ABLATION_PRICES),
            ABLATION_LEVELS, few=FEW,
        ),
        Experiment("random", ("figure-14",), aware, tuple(random_problems()), LEVELS),
        Experiment(
            "peers", ("peers",), ("act", *PEERS), main, LEVELS, guests=(NINTH,), few=FEW
        ),
    ]  # fmt: skip


def chosen(names: Iterable[str]) -> list[Experiment]:
    """Return the experiments that fill some tables and figures, or have these names.

    >>> [experiment.name for experiment in chosen(["table-4", "figure-14"])]
    ['nonuniform', 'frugal', 'random']
    """
    wanted, known = set(names), experiments()
    options = dict.fromkeys(name for e in known for name in (e.name, *e.fills))
    for name in wanted:
        if name not in options:
            raise FrugaltreeError(
                f"the study has no {name!r} that can be run; choose among {', '.join(options)}."
                f"{did_you_mean(name, options)}"
            )
    return [e for e in known if not wanted or wanted & {e.name, *e.fills}]

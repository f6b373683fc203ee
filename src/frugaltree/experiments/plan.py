"""What each table and figure of the paper needs: learners, problems, levels, folds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from frugaltree.exceptions import FrugaltreeError, did_you_mean
from frugaltree.experiments.learners import PAPER, PEERS
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

QUICK_FOLDS = 2


@dataclass(frozen=True)
class Experiment:
    """A grid of units, and the tables and figures that it fills."""

    name: str
    fills: tuple[str, ...]
    learners: tuple[str, ...]
    problems: tuple[Problem, ...]
    levels: tuple[str, ...]
    folds: tuple[int, ...] = tuple(range(N_FOLDS))

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
        """Return a small part: one price list beside the experts', two folds."""
        few = tuple(p for p in self.problems if p.prices in ("1", "random-1", "expert", "turney"))
        return replace(self, problems=few, folds=tuple(range(QUICK_FOLDS)))


def experiments() -> list[Experiment]:
    """Return the study in the order in which it is run."""
    nonuniform = tuple(name for gamma in GAMMAS for name in nonuniform_levels(gamma))
    curves = tuple(f"act(n_samples={r})" for r in SAMPLES)
    curves += tuple(f"icet(generations={g})" for g in GENERATIONS)
    main = tuple(main_problems())
    aware = ("dtmc", "icet", "act")
    return [
        Experiment(
            "main",
            ("table-1", "table-2", "figure-10", "figure-11", "figure-12"),
            PAPER,
            main,
            LEVELS,
        ),
        Experiment(
            "curves", ("figure-13",), ("eg2", "dtmc", *curves), tuple(curve_problems()),
            (CURVE_LEVEL,),
        ),
        Experiment(
            "turney", ("turney",), ("icet(seeded=False)", "icet"), tuple(turney_problems()),
            TURNEY_LEVELS,
        ),
        Experiment(
            "nonuniform", ("table-3", "table-4", "figure-15"), ("c4.5", "eg2", *aware), main,
            nonuniform,
        ),
        Experiment("random", ("figure-14",), aware, tuple(random_problems()), LEVELS),
        Experiment("peers", ("peers",), ("act", *PEERS), main, LEVELS),
    ]  # fmt: skip


def chosen(names: Iterable[str]) -> list[Experiment]:
    """Return the experiments that fill some tables and figures, or have these names.

    >>> [experiment.name for experiment in chosen(["table-4", "figure-14"])]
    ['nonuniform', 'random']
    """
    wanted, known = set(names), experiments()
    options = [name for e in known for name in (e.name, *e.fills)]
    for name in wanted:
        if name not in options:
            raise FrugaltreeError(
                f"the paper has no {name!r} that can be run; choose among {', '.join(options)}."
                f"{did_you_mean(name, options)}"
            )
    return [e for e in known if not wanted or wanted & {e.name, *e.fills}]

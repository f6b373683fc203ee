"""What each table and figure of the study needs: learners, problems, levels, folds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from frugaltree.exceptions import FrugaltreeError, did_you_mean
from study.learners import FRUGAL, PAPER, PEERS, make
from study.problems import (
    GAMMAS,
    LEVELS,
    N_FOLDS,
    TURNEY_LEVELS,
    Problem,
    list_curve_problems,
    list_main_problems,
    list_nonuniform_levels,
    list_random_problems,
    list_turney_problems,
)
from study.units import Unit

CURVE_LEVEL = "5000"
SAMPLES = (1, 2, 4, 8, 16, 32, 64)
GENERATIONS = (2, 4, 8, 16, 32, 64, 128)
"""What Figure 13 gives ACT and ICET, one after the other."""

SECONDS = (0.03, 0.1, 0.3, 1, 3)
"""Time limits under which our own learner joins it."""

PROVEN = f"{FRUGAL}(pessimism=paper)"
"""Our own search under the paper's estimate: nothing is tuned."""

MULTIWAY = f"{FRUGAL}(splits=values)"
"""Our own learner with a branch for each value, as all others have."""

ABLATION_PRICES, ABLATION_LEVELS = "1", ("500", "5000")
"""The one price list, and the levels, at which search and tuning are told apart."""

QUICK_FOLDS = 2
LARGE = ("krk", "nursery", "thyroid")
"""Tables that a quick run leaves out."""

QUICK_DATA = ("bupa", "heart", "hepatitis")
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
    also_shown
        Learners that another experiment runs on the same problems, shown beside these.
    quick_data
        Tables that a quick run takes; all but the large ones if not given.
    shown_elsewhere
        Whether other experiments have its learners under ``also_shown``.
    """

    name: str
    fills: tuple[str, ...]
    learners: tuple[str, ...]
    problems: tuple[Problem, ...]
    levels: tuple[str, ...]
    folds: tuple[int, ...] = tuple(range(N_FOLDS))
    also_shown: tuple[str, ...] = ()
    quick_data: tuple[str, ...] = ()
    shown_elsewhere: bool = False

    @property
    def shown(self) -> tuple[str, ...]:
        """All learners that tables show, those of other experiments last."""
        return self.learners + self.also_shown

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

    def show_beside(self, learners: Iterable[str]) -> Experiment:
        """Return the same with further learners shown, run by whatever other experiment."""
        more = tuple(name for name in learners if name not in self.shown)
        return replace(self, also_shown=self.also_shown + more)

    def quick(self) -> Experiment:
        """Return a small part: one price list beside the experts', two folds, no large table."""
        quick_data = tuple(
            problem
            for problem in self.problems
            if problem.prices in ("1", "random-1", "expert", "turney")
            and (problem.data in self.quick_data if self.quick_data else problem.data not in LARGE)
        )
        return replace(self, problems=quick_data, folds=tuple(range(QUICK_FOLDS)))


def plan_experiments() -> list[Experiment]:
    """Return the study in the order in which it is run."""
    nonuniform = tuple(name for gamma in GAMMAS for name in list_nonuniform_levels(gamma))
    curves = tuple(f"act(n_samples={r})" for r in SAMPLES)
    curves += tuple(f"icet(generations={g})" for g in GENERATIONS)
    limited = tuple(f"{FRUGAL}(time_limit={seconds})" for seconds in SECONDS)
    main, drawn = tuple(list_main_problems()), tuple(list_curve_problems())
    aware = ("dtmc", "icet", "act")
    paired = tuple(name for key in ("eg2", "dtmc", "act") for name in (key, f"{key}-tuned"))
    tables = ("table-1", "table-2", "figure-10", "figure-11", "figure-12")
    nonuniform_tables = ("table-3", "table-4", "figure-15")
    return [
        Experiment("main", tables, PAPER, main, LEVELS, also_shown=(FRUGAL,)),
        Experiment(
            "curves", ("figure-13",), ("eg2", "dtmc", *curves), drawn, (CURVE_LEVEL,),
            also_shown=limited,
        ),
        Experiment(
            "turney", ("turney",), ("icet(seeded=False)", "icet"), tuple(list_turney_problems()),
            TURNEY_LEVELS,
        ),
        Experiment(
            "nonuniform", nonuniform_tables, ("c4.5", "eg2", *aware), main, nonuniform,
            also_shown=(FRUGAL,),
        ),
        Experiment(
            "frugal", tables + nonuniform_tables, (FRUGAL,), main,
            tuple(dict.fromkeys(LEVELS + nonuniform)), shown_elsewhere=True,
        ),
        Experiment(
            "anytime", ("figure-13",), limited, drawn, (CURVE_LEVEL,), shown_elsewhere=True
        ),
        Experiment(
            "ablation", ("ablation",), (*paired, PROVEN, MULTIWAY, FRUGAL),
            tuple(problem for problem in main if problem.prices == ABLATION_PRICES),
            ABLATION_LEVELS, quick_data=QUICK_DATA,
        ),
        Experiment("random", ("figure-14",), aware, tuple(list_random_problems()), LEVELS),
        Experiment(
            "peers", ("peers",), ("act", *PEERS), main, LEVELS, also_shown=(FRUGAL,),
            quick_data=QUICK_DATA,
        ),
    ]  # fmt: skip


def choose(names: Iterable[str]) -> list[Experiment]:
    """Return the experiments that fill some tables and figures, or have these names.

    >>> [experiment.name for experiment in choose(["table-4", "figure-14"])]
    ['nonuniform', 'frugal', 'random']
    """
    wanted, known = set(names), plan_experiments()
    options = dict.fromkeys(name for e in known for name in (e.name, *e.fills))
    for name in wanted:
        if name not in options:
            raise FrugaltreeError(
                f"the study has no {name!r} that can be run; choose among {', '.join(options)}."
                f"{did_you_mean(name, options)}"
            )
    return [e for e in known if not wanted or wanted & {e.name, *e.fills}]


def restrict(
    planned: Sequence[Experiment],
    problems: Sequence[Problem] = (),
    learners: Sequence[str] = (),
) -> list[Experiment]:
    """Return the part of some experiments that has these problems and these learners only.

    A learner that none of them has, such as one of your own, joins them where their own tables
    show it; if the whole study is given, it joins the main experiment.

    >>> heart = Problem("heart", "expert")
    >>> [(e.name, e.learners) for e in restrict(plan_experiments(), [heart], ["act"])]
    [('main', ('act',)), ('nonuniform', ('act',)), ('peers', ('act',))]
    >>> [(e.name, e.learners) for e in restrict(plan_experiments(), [heart], ["act(n_samples=3)"])]
    [('main', ('act(n_samples=3)',))]
    """
    for name in learners:
        make(name, None, 0)  # a name that means nothing is an error now
    found = []
    for one in planned:
        extra = [name for name in learners if not any(name in e.learners for e in planned)]
        if one.shown_elsewhere or (len(planned) == len(plan_experiments()) and one.name != "main"):
            extra = []
        here = tuple(name for name in learners if name in one.learners or name in extra)
        part = replace(
            one,
            learners=here if learners else one.learners,
            problems=tuple(p for p in one.problems if p in problems) if problems else one.problems,
        )
        if part.learners and part.problems:
            found.append(part)
    if not found:
        wanted = ", ".join(learners), ", ".join(problem.name for problem in problems)
        raise FrugaltreeError(
            f"no experiment among {', '.join(one.name for one in planned)} has "
            f"{' and '.join(filter(None, wanted))}; name other tables, problems or learners."
        )
    return found

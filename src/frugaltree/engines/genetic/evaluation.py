"""Trials of a bias: the tree that EG2 grows under it, and what that costs on other cases.

Complete cases that count once are what the kernel is made for. Missing values and weights take
the way of the stand-alone learners, tree by tree.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from frugaltree.engines.estimate import ERROR_FORMS
from frugaltree.engines.greedy import grow, most_branches, prune_by_errors, trim
from frugaltree.engines.problem import Problem
from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.criteria import EG2
from frugaltree.kernels.data.cases import Cases
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.fast_eg2.layout import CaseLayout, TrialBuffers, TrialShape
from frugaltree.kernels.fast_eg2.trial import Biases, run_trials
from frugaltree.kernels.greedy.choose import Rules
from frugaltree.kernels.greedy.split import CLOSE
from frugaltree.kernels.random import uniform
from frugaltree.kernels.sentinels import FULL, NONE
from frugaltree.tree.routing import own_ways
from frugaltree.tree.tree import Tree, largest_classes

Floats = npt.NDArray[np.float64]
Flag = npt.NDArray[np.int64]


@dataclass(frozen=True)
class TrialSettings:
    """What holds for every trial.

    Attributes
    ----------
    n_grown
        How many cases a tree is grown on; what it costs is measured on the others.
    min_cases
        At least two branches of a split must have this many cases.
    limit
        A test with a higher price is not available.
    form
        Form of the expected error.
    """

    n_grown: int
    min_cases: float
    limit: float
    form: str


class Trials(ABC):
    """Runs trials on the cases of a problem."""

    @abstractmethod
    def run(self, biases: Biases, flag: Flag) -> Floats:
        """Return each trial's mean cost of tests and errors, nan for those that ``flag`` cut."""

    @abstractmethod
    def grow_tree(self, prices: Floats, w: float, cf: float) -> Nodes:
        """Return the tree of a bias on all cases, in preorder."""

    @staticmethod
    def of(problem: Problem, settings: TrialSettings) -> Trials:
        """Return what runs trials on this problem fastest."""
        if problem.cases.unit:
            return CompleteTrials.of(problem, settings)
        return IncompleteTrials(problem, settings)


@dataclass(frozen=True)
class CompleteTrials(Trials):
    """Trials on complete cases that count once: a kernel call for any number."""

    cases: Cases
    prices: Prices
    errors: Floats
    layout: CaseLayout

    @classmethod
    def of(cls, problem: Problem, settings: TrialSettings) -> CompleteTrials:
        """Lay out the cases."""
        layout = _lay_out(problem.cases, settings)
        return cls(problem.cases, problem.prices, problem.errors, layout)

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Arrays from another process may be read-only, for which kernels would compile anew.
        for name, value in state.items():
            parts = (value,) if isinstance(value, np.ndarray) else tuple(value)
            own = [np.require(p, None, "W") if isinstance(p, np.ndarray) else p for p in parts]
            object.__setattr__(self, name, own[0] if parts[0] is value else type(value)(*own))

    def run(self, biases: Biases, flag: Flag) -> Floats:
        """Run all trials in one kernel call."""
        costs = np.full(biases.w.size, np.nan)
        self._run(self.layout, biases, costs, flag)
        return costs

    def grow_tree(self, prices: Floats, w: float, cf: float) -> Nodes:
        """Grow on all cases, with none held out."""
        bias = Biases(prices[None], np.array([w]), np.array([cf]), np.zeros(1, np.uint64))
        layout = self.layout._replace(n_grown=self.cases.classes.size)
        return self._run(layout, bias, np.empty(1), np.zeros(1, np.int64))

    def _run(self, layout: CaseLayout, biases: Biases, costs: Floats, flag: Flag) -> Nodes:
        """Fill ``costs`` and return the last tree; where room does not suffice, take more."""
        done, scale = 0, 1
        k = most_branches(self.cases)
        while True:
            shape = TrialShape(
                n_nodes=scale * (2 * layout.n_grown + 64) + k,
                n_slots=scale * (4 * layout.n_grown + 64) + k,
                widest=k,
                n_classes=self.cases.n_classes,
                n_groups=self.prices.member.shape[1],
            )
            work = TrialBuffers.empty(layout, shape, costs[done:], flag)
            left = Biases(*(array[done:] for array in biases))
            with np.errstate(over="ignore"):  # keys are mixed by overflowing
                n_done, status = run_trials(
                    self.cases, layout, self.prices, self.errors, left, work
                )
            if status != FULL:
                return trim(work.tree, work.size[0].n_nodes, work.size[0].n_slots)
            done += n_done
            scale *= 2


def _lay_out(cases: Cases, settings: TrialSettings) -> CaseLayout:
    """Return the cases as the kernel wants them."""
    shift = max(1, int(cases.n_classes - 1).bit_length())
    numeric = np.flatnonzero(cases.nominal == 0)
    list_of = np.full(cases.nominal.size, NONE, np.int64)
    list_of[numeric] = np.arange(numeric.size)
    dense = np.zeros(cases.nominal.size, np.uint8)
    for a in numeric:
        values = cases.values[cases.start[a] : cases.start[a] + cases.domain[a]]
        dense[a] = not (values[:-1] < values[1:] - CLOSE).all()
    return CaseLayout(
        cells=(cases.codes.astype(np.int32) << shift | cases.classes).astype(np.uint32),
        codes=np.ascontiguousarray(cases.codes.T, np.uint32),
        order=np.argsort(cases.codes[numeric], axis=1, kind="stable").astype(np.uint32),
        list_of=list_of,
        dense=dense,
        shift=shift,
        n_grown=settings.n_grown,
        min_cases=float(settings.min_cases),
        need=np.uint32(np.ceil(settings.min_cases - 1e-9)),
        limit=float(settings.limit),
        form=ERROR_FORMS[settings.form],
    )


@dataclass(frozen=True)
class IncompleteTrials(Trials):
    """Trials on any cases: missing values go down all branches in part, weights count."""

    problem: Problem
    settings: TrialSettings

    def run(self, biases: Biases, flag: Flag) -> Floats:
        """Run the trials one by one."""
        costs = np.full(biases.w.size, np.nan)
        for trial, (prices, w, cf, key) in enumerate(zip(*biases, strict=True)):
            if flag[0]:
                break
            grown = draw_mask(key, self.problem.cases.classes.size, self.settings.n_grown)
            nodes = self._grow(take_cases(self.problem.cases, grown), prices, w, cf)
            costs[trial] = self._held_out_cost(nodes, np.flatnonzero(~grown))
        return costs

    def grow_tree(self, prices: Floats, w: float, cf: float) -> Nodes:
        """Grow on all cases."""
        return self._grow(self.problem.cases, prices, w, cf)

    def _grow(self, cases: Cases, prices: Floats, w: float, cf: float) -> Nodes:
        """Return EG2's tree under made-up prices."""
        true = self.problem.prices
        usable = (true.usable == 1) & (prices <= self.settings.limit)
        made_up = true._replace(full=np.array(prices), usable=usable.astype(np.uint8))
        problem = replace(self.problem, cases=cases, prices=made_up)
        rules = Rules(
            criterion=EG2,
            w=float(w),
            min_cases=float(self.settings.min_cases),
            c45=True,
            context=False,
            smooth=False,
        )
        return prune_by_errors(problem, grow(problem, rules), float(cf), self.settings.form)

    def _held_out_cost(self, nodes: Nodes, rows: npt.NDArray[np.intp]) -> float:
        """Return the mean cost of tests and errors over some of the cases."""
        problem, cases = self.problem, self.problem.cases
        labels = largest_classes(nodes.counts)
        classes = tuple(problem.classes.tolist())
        tree = Tree(
            problem.table.columns, classes, nodes, labels, own_ways(nodes), fractional=True
        )
        values = problem.table.rows(rows)
        ends = tree.find(values)
        answers, bills = labels[ends], tree.charges(problem.prices).bill[ends]
        unknown = np.flatnonzero(np.isnan(values).any(axis=1))
        if unknown.size:
            shares, bills[unknown], _ = tree.answers(values[unknown], problem.prices)
            answers[unknown] = largest_classes(shares)
        costs = bills + problem.errors[answers, cases.classes[rows]]
        return float(np.average(costs, weights=cases.weights[rows]))


def draw_mask(key: np.uint64, n: int, n_drawn: int) -> npt.NDArray[np.bool_]:
    """Tell which of ``n`` cases a trial is grown on, as the kernel draws them.

    Examples
    --------
    >>> draw_mask(np.uint64(7), 6, 3).sum()
    np.int64(3)
    """
    with np.errstate(over="ignore"):
        chances = uniform(key ^ np.arange(n, dtype=np.uint64))
    chosen, left = np.zeros(n, np.bool_), n_drawn
    for i, chance in enumerate(chances.tolist()):
        if chance * (n - i) < left:
            chosen[i] = True
            left -= 1
    return chosen


def take_cases(cases: Cases, chosen: npt.NDArray[np.bool_]) -> Cases:
    """Return some of the cases, as if there were no others: C4.5 cuts only at values it has."""
    codes, domain = np.ascontiguousarray(cases.codes[:, chosen]), cases.domain.copy()
    start, kept = np.zeros_like(cases.start), np.empty(0, np.int64)
    for a in np.flatnonzero(cases.nominal == 0):
        known = codes[a] != cases.missing
        ranks, codes[a, known] = np.unique(codes[a, known], return_inverse=True)
        start[a], domain[a] = kept.size, ranks.size
        kept = np.concatenate([kept, cases.start[a] + ranks])
    return cases._replace(
        codes=codes,
        domain=domain,
        start=start,
        values=cases.values[kept],
        floors=cases.floors[kept],
        classes=cases.classes[chosen],
        weights=cases.weights[chosen],
    )

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
from frugaltree.engines.greedy import grow, ordered, pruned, trimmed, widest
from frugaltree.engines.problem import Problem
from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.criteria import EG2
from frugaltree.kernels.data.cases import Cases
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.fast_eg2.layout import Bed, Ground
from frugaltree.kernels.fast_eg2.trial import Biases, run_trials
from frugaltree.kernels.greedy.choose import Rules
from frugaltree.kernels.greedy.split import CLOSE
from frugaltree.kernels.random import uniform
from frugaltree.kernels.sentinels import FULL, MISSING, NONE
from frugaltree.tree.tree import Tree, largest_classes

Floats = npt.NDArray[np.float64]
Flag = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Terms:
    """What holds for every trial.

    Attributes
    ----------
    n_grown
        How many cases a tree is grown on; it is judged on the others.
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
    def costs(self, biases: Biases, flag: Flag) -> Floats:
        """Return each trial's mean cost of tests and errors, nan for those that ``flag`` cut."""

    @abstractmethod
    def tree(self, prices: Floats, w: float, cf: float) -> Nodes:
        """Return the tree of a bias on all cases, in preorder."""

    @staticmethod
    def of(problem: Problem, terms: Terms) -> Trials:
        """Return what runs trials on this problem fastest."""
        if problem.cases.unit:
            return CompleteTrials.of(problem, terms)
        return IncompleteTrials(problem, terms)


@dataclass(frozen=True)
class CompleteTrials(Trials):
    """Trials on complete cases that count once: a kernel call for any number."""

    cases: Cases
    prices: Prices
    errors: Floats
    ground: Ground

    @classmethod
    def of(cls, problem: Problem, terms: Terms) -> CompleteTrials:
        """Lay out the cases."""
        ground = _lay_out(problem.cases, terms)
        return cls(problem.cases, problem.prices, problem.errors, ground)

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Arrays from another process may be read-only, for which kernels would compile anew.
        for name, value in state.items():
            parts = (value,) if isinstance(value, np.ndarray) else tuple(value)
            own = [np.require(p, None, "W") if isinstance(p, np.ndarray) else p for p in parts]
            object.__setattr__(self, name, own[0] if parts[0] is value else type(value)(*own))

    def costs(self, biases: Biases, flag: Flag) -> Floats:
        """Run all trials in one kernel call."""
        costs = np.full(biases.w.size, np.nan)
        self._run(self.ground, biases, costs, flag)
        return costs

    def tree(self, prices: Floats, w: float, cf: float) -> Nodes:
        """Grow on all cases, with none left to judge by."""
        bias = Biases(prices[None], np.array([w]), np.array([cf]), np.zeros(1, np.uint64))
        ground = self.ground._replace(n_grown=self.cases.classes.size)
        return self._run(ground, bias, np.empty(1), np.zeros(1, np.int64))

    def _run(self, ground: Ground, biases: Biases, costs: Floats, flag: Flag) -> Nodes:
        """Fill ``costs`` and return the last tree; where room does not suffice, take more."""
        k, n_classes = widest(self.cases), self.cases.n_classes
        done, scale = 0, 1
        while True:
            n_nodes = scale * (2 * ground.n_grown + 64) + k
            n_slots = scale * (4 * ground.n_grown + 64) + k
            n_groups = self.prices.member.shape[1]
            nodes, out = (Nodes.empty(n_nodes, n_slots, n_classes) for _ in range(2))
            with np.errstate(over="ignore"):  # keys are mixed by overflowing
                count, *found = run_trials(
                    self.cases,
                    ground,
                    self.prices,
                    self.errors,
                    Biases(*(array[done:] for array in biases)),
                    nodes,
                    out,
                    Bed.empty(ground, n_classes, k, n_groups, n_nodes, n_slots),
                    costs[done:],
                    flag,
                )
            if found[0] != FULL:
                return trimmed(out, *found)
            done += count
            scale *= 2


def _lay_out(cases: Cases, terms: Terms) -> Ground:
    """Return the cases as the kernel wants them."""
    shift = max(1, int(cases.n_classes - 1).bit_length())
    numeric = np.flatnonzero(cases.nominal == 0)
    list_of = np.full(cases.nominal.size, NONE, np.int64)
    list_of[numeric] = np.arange(numeric.size)
    dense = np.zeros(cases.nominal.size, np.uint8)
    for a in numeric:
        values = cases.values[cases.start[a] : cases.start[a] + cases.domain[a]]
        dense[a] = not (values[:-1] < values[1:] - CLOSE).all()
    return Ground(
        (cases.codes << shift | cases.classes).astype(np.uint32),
        np.ascontiguousarray(cases.codes.T, np.uint32),
        np.argsort(cases.codes[numeric], axis=1, kind="stable").astype(np.uint32),
        list_of,
        dense,
        shift,
        terms.n_grown,
        float(terms.min_cases),
        np.uint32(np.ceil(terms.min_cases - 1e-9)),
        float(terms.limit),
        ERROR_FORMS[terms.form],
    )


@dataclass(frozen=True)
class IncompleteTrials(Trials):
    """Trials on any cases: missing values go down all branches in part, weights count."""

    problem: Problem
    terms: Terms

    def costs(self, biases: Biases, flag: Flag) -> Floats:
        """Run the trials one by one."""
        costs = np.full(biases.w.size, np.nan)
        for trial, (prices, w, cf, key) in enumerate(zip(*biases, strict=True)):
            if flag[0]:
                break
            grown = drawn(key, self.problem.cases.classes.size, self.terms.n_grown)
            nodes = self._grow(part_of(self.problem.cases, grown), prices, w, cf)
            costs[trial] = self._judge(nodes, np.flatnonzero(~grown))
        return costs

    def tree(self, prices: Floats, w: float, cf: float) -> Nodes:
        """Grow on all cases."""
        return self._grow(self.problem.cases, prices, w, cf)

    def _grow(self, cases: Cases, prices: Floats, w: float, cf: float) -> Nodes:
        """Return EG2's tree under made-up prices."""
        true = self.problem.prices
        usable = (true.usable == 1) & (prices <= self.terms.limit)
        made_up = true._replace(full=np.array(prices), usable=usable.astype(np.uint8))
        problem = replace(self.problem, cases=cases, prices=made_up)
        rules = Rules(EG2, float(w), float(self.terms.min_cases), True, False, False)
        nodes = pruned(problem, grow(problem, rules), float(cf), self.terms.form)
        return ordered(nodes, cases)

    def _judge(self, nodes: Nodes, rows: npt.NDArray[np.intp]) -> float:
        """Return the mean cost of tests and errors over some of the cases."""
        problem, cases = self.problem, self.problem.cases
        labels = largest_classes(nodes.counts)
        classes = tuple(problem.classes.tolist())
        tree = Tree(problem.table.columns, classes, nodes, labels, fractional=True)
        values = problem.table.rows(rows)
        ends = tree.find(values)
        answers, bills = labels[ends], tree.charges(problem.prices).bill[ends]
        unknown = np.flatnonzero(np.isnan(values).any(axis=1))
        if unknown.size:
            shares, bills[unknown], _ = tree.answers(values[unknown], problem.prices)
            answers[unknown] = largest_classes(shares)
        costs = bills + problem.errors[answers, cases.classes[rows]]
        return float(np.average(costs, weights=cases.weights[rows]))


def drawn(key: np.uint64, n: int, n_drawn: int) -> npt.NDArray[np.bool_]:
    """Tell which of ``n`` cases a trial is grown on, as the kernel draws them.

    Examples
    --------
    >>> drawn(np.uint64(7), 6, 3).sum()
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


def part_of(cases: Cases, chosen: npt.NDArray[np.bool_]) -> Cases:
    """Return some of the cases, as if there were no others: C4.5 cuts only at values it has."""
    codes, domain = np.ascontiguousarray(cases.codes[:, chosen]), cases.domain.copy()
    start, values = np.zeros_like(cases.start), np.empty(0)
    for a in np.flatnonzero(cases.nominal == 0):
        known = codes[a] != MISSING
        ranks, codes[a, known] = np.unique(codes[a, known], return_inverse=True)
        start[a], domain[a] = values.size, ranks.size
        values = np.concatenate([values, cases.values[cases.start[a] + ranks]])
    return cases._replace(
        codes=codes,
        domain=domain,
        start=start,
        values=values,
        classes=cases.classes[chosen],
        weights=cases.weights[chosen],
    )

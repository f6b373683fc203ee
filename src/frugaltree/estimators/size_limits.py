"""Limits of tests and leaves: what they go with, and the sentence where they do not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from frugaltree.anytime.stop import Stop
from frugaltree.costs import Costs
from frugaltree.costs.counting import counting_tests
from frugaltree.engines.exact.few_leaves import FewLeaves
from frugaltree.engines.exact.large import LargeSession
from frugaltree.engines.exact.objective import Pessimism
from frugaltree.engines.exact.session import Session
from frugaltree.engines.incumbent import Incumbent
from frugaltree.engines.problem import Problem, TestsLimit
from frugaltree.exceptions import FrugaltreeError
from frugaltree.kernels.exact.objective import Objective


def limit_tests(
    problem: Problem, costs: Costs | None, max_tests: int | None, max_test_cost: float | None
) -> Problem:
    """Return the problem with a limit of the tests that a case is charged for; None is none."""
    costs = costs or Costs()
    if problem.has_conditions and max_tests is not None:
        raise FrugaltreeError(
            f"max_tests is {max_tests}, but price_if makes prices depend on other tests; leave "
            "one of the two out."
        )
    if max_tests is None:
        return problem
    if max_test_cost is not None:
        raise FrugaltreeError(
            f"max_tests is {max_tests} and max_test_cost is {max_test_cost:g}, but one limit is "
            "kept at a time; leave one of the two out."
        )
    if problem.prices.delayed[problem.prices.usable == 1].any():
        raise FrugaltreeError(
            f"max_tests is {max_tests}, but some tests are delayed, so that a case is charged for "
            "all below them at once; leave max_tests or delayed out."
        )
    first = [test for test in costs.first if test not in costs.known]
    if len(first) > max_tests:
        raise FrugaltreeError(
            f"first asks {len(first)} tests, but max_tests is {max_tests}; raise max_tests, or "
            "drop tests of first."
        )
    counted = counting_tests(costs).prices(problem.table.names)
    return replace(problem, tests_limit=TestsLimit(counted, float(max_tests)))


def limit_leaves(
    session: Session | LargeSession,
    objective: Callable[[Problem, Pessimism], Objective],
    stop: Stop,
    max_leaves: int,
) -> FewLeaves:
    """Return the search for a tree of so many leaves at most; ``objective`` makes one."""
    said = f"max_leaves is {max_leaves}, but"
    if session.problem.has_conditions:
        raise FrugaltreeError(
            f"{said} price_if makes prices depend on other tests; leave one of the two out."
        )
    if isinstance(session, LargeSession):
        raise FrugaltreeError(
            f"{said} a table of so many cases is searched on samples, which counts no leaves; "
            "pass sample_rows=None, or fewer cases."
        )
    if session.limits.path is not None or session.is_kept or session.limits.cluster is not None:
        what = "with a checkpoint" if session.limits.path is not None else "with warm_start"
        what = "on a Dask cluster" if session.limits.cluster is not None else what
        raise FrugaltreeError(f"{said} such a search is not done {what}; leave one of them out.")
    problem = session.problem
    if problem.directions is not None:
        raise FrugaltreeError(
            f"{said} with monotone tests leaves are not counted; leave one of them out, or bound "
            "max_depth."
        )
    error = problem.penalties.mean * problem.case_weight

    def charged(pick: int, charge: float) -> Objective:
        setting = session.settings[pick]
        errors = charge / error if error > 0.0 else 0.0
        return objective(problem, replace(setting, split=setting.split + errors))

    incumbent = Incumbent(stop, weight=problem.weight, finish=session.tests.translate)
    return FewLeaves(session, charged, max_leaves, incumbent)

"""The sampling learners against their slow twins: the same draws, totals and trees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frugaltree import LSID3Classifier
from frugaltree.engines.problem import weighed
from frugaltree.engines.sampling.finish import completed, pruned
from frugaltree.engines.sampling.frontier import CostedTests
from frugaltree.engines.sampling.plan import make_plan
from frugaltree.engines.sampling.search import SamplingSearch
from frugaltree.kernels import criteria
from reference import sampled_trees, sampling_basics
from support import bridge
from support.examples import many
from support.house_rules import KINDS, ruled
from support.problems import problems

PLAIN = {"missing": True, "whole_weights": True, "max_cases": 12, "max_tests": 4}


def lookahead(problem, options, count_leaves=False):
    coded = bridge.problem_of(problem, fractional=False).in_whole_numbers()
    aside = None
    if options.aside:
        aside = np.isin(np.arange(len(problem.rows)), list(options.aside))
    plan = make_plan(
        coded,
        criterion=criteria.GAIN if count_leaves else criteria.EG2,
        count_leaves=count_leaves,
        w=options.w,
        cf=options.cf,
        expected_error=options.form,
        penalty=options.penalty,
        prices=options.prices,
        prune_samples=options.prune_samples,
        split_points=options.split_points,
        lookahead_stop="reduction" if options.lookahead_reduction else options.lookahead_depth,
        max_depth=options.max_depth,
        min_cases=options.min_cases,
        min_leaf=float(options.min_leaf),
        max_test_cost=options.max_test_cost,
        validation=aside is not None,
    )
    return coded, SamplingSearch(coded, plan, held_out=aside)


def grown(search, options):
    *_, (tree, share) = search.grow(options.r, search.root(options.seed))
    assert share == 1
    return tree


def check_totals(problem, options, count_leaves=False):
    if options.r == 0:
        return
    coded, search = lookahead(problem, options, count_leaves)
    root = search.root(options.seed)
    got = CostedTests.merged(
        [search.evaluate(root, options.r, range(a, a + 1)) for a in search.tests]
    )
    ref = (sampled_trees.lsid3_totals if count_leaves else sampled_trees.act_totals)(
        problem, options
    )
    found = np.flatnonzero(np.isfinite(got.total)).tolist()
    m = 1.0 if count_leaves else float(search.table.weights[search._held_out == 0].sum())
    if not found:  # the twin weighs tests of nodes that no test could improve
        return
    assert found == sorted(ref)
    for a in found:
        total, threshold = ref[a]
        assert got.total[a] / m == pytest.approx(total, rel=1e-9, abs=1e-9), a
        if threshold is not None:
            start = coded.cases.start[a]
            below, above = coded.cases.values[start + np.array([got.below[a], got.above[a]])]
            assert below <= threshold < above


def check_tree(problem, options):
    coded, search = lookahead(problem, options)
    nodes = completed(search, pruned(search, grown(search, options))[0])
    labels = coded.answers(nodes)
    nodes = weighed(nodes, 1 / coded.case_weight)
    got = bridge.as_dict(nodes, labels, coded.table)
    bridge.assert_same(got, sampled_trees.act(problem, options))


options_of = st.builds(
    sampling_basics.Options,
    r=st.sampled_from([1, 2, 3, 5, 0]),
    seed=st.integers(0, 2**64 - 1),
    w=st.sampled_from([1.0, 0.0, 0.5, 1.3]),
    cf=st.sampled_from([0.25, 0.1, 0.4]),
)


@many
@given(problems(**PLAIN), options_of)
def test_act(problem, options):
    check_totals(problem, options)
    check_tree(problem, options)


@many
@given(problems(**PLAIN, delays=True), options_of)
def test_act_with_delays(problem, options):
    check_totals(problem, options)
    check_tree(problem, options)


ALTERNATIVES = [
    {"prices": "static"},
    {"form": "exact"},
    {"form": "training"},
    {"penalty": "multinomial"},
    {"prune_samples": False},
    {"split_points": "quantile"},
    {"lookahead_depth": 1},
    {"lookahead_reduction": True},
    {"max_depth": 2},
    {"min_cases": 2},
    {"min_leaf": 2},
    {"min_leaf": 3, "split_points": "quantile"},
]


@many
@given(problems(**PLAIN, delays=True), options_of)
@pytest.mark.parametrize("other", ALTERNATIVES, ids=str)
def test_act_otherwise(other, problem, options):
    options = replace(options, **other)
    check_totals(problem, options)
    check_tree(problem, options)


FRACTIONS = {**PLAIN, "whole_weights": False, "fractional_weights": True}


@many
@given(problems(**FRACTIONS, delays=True), options_of)
@pytest.mark.parametrize("other", [*ALTERNATIVES[:5], *ALTERNATIVES[6:10]], ids=str)
def test_act_with_fractions_of_cases(other, problem, options):
    options = replace(options, **{"min_cases": 0} | other)
    check_totals(problem, options)
    check_tree(problem, options)


@many
@given(problems(**PLAIN, delays=True), options_of, st.sampled_from([0.0, 0.3, 0.6, 1.0]))
def test_act_within_a_budget(problem, options, share):
    options = replace(options, max_test_cost=share * sum(problem.full))
    check_totals(problem, options)
    check_tree(problem, options)


@many
@given(ruled(problems(**PLAIN), KINDS), options_of, st.sampled_from([None, 0.4, 1.0]))
def test_act_under_rules(problem, options, share):
    options = replace(options, max_test_cost=share and share * sum(problem.full))
    check_totals(problem, options)
    check_tree(problem, options)


@many
@given(problems(**PLAIN), options_of, st.integers(2, 4))
def test_act_with_cases_set_aside(problem, options, every):
    aside = frozenset(range(1, len(problem.rows), every))
    options = replace(options, aside=aside)
    check_totals(problem, options)
    check_tree(problem, options)


@many
@given(problems(**PLAIN), options_of)
def test_lsid3_totals(problem, options):
    check_totals(problem, options, count_leaves=True)


@many
@given(problems(**PLAIN), options_of)
def test_lsid3(problem, options):
    coded, _ = lookahead(problem, options, count_leaves=True)
    learner = LSID3Classifier(n_samples=options.r, cf=options.cf)
    search = lookahead(problem, options, count_leaves=True)[1]
    nodes, _ = learner._cut_back(coded, search, grown(search, options))
    largest = nodes.counts.max(axis=1, keepdims=True)
    got = bridge.as_dict(nodes, (nodes.counts >= largest).argmax(axis=1), coded.table)
    bridge.assert_same(got, sampled_trees.lsid3(problem, options))

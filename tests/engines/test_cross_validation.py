from __future__ import annotations

import numpy as np
import pytest

from frugaltree import Costs, EG2Classifier, Group
from frugaltree.engines.cross_validation import (
    FOLDS,
    Trial,
    best_trial,
    case_costs,
    folds_of_merged,
    mark_chosen,
    part_of,
    shuffled_splits,
    stratified_folds,
    sure_trial,
)

RNG = np.random.default_rng(0)
X = RNG.integers(0, 4, (90, 3)).astype(float)
y = (X[:, 0] + X[:, 1] > 3).astype(int) + (X[:, 2] > 2)
COSTS = Costs([4, 3, 2], groups={"blood": Group([0, 1], cost=2)}, errors=60)


def test_every_class_is_spread_evenly() -> None:
    classes = np.repeat([0, 1, 2], [23, 10, 4]).astype(np.int32)
    folds = stratified_folds(classes, 3)
    for label in range(3):
        counts = np.bincount(folds[classes == label], minlength=FOLDS)
        assert counts.max() - counts.min() <= 1
    assert np.bincount(folds).max() - np.bincount(folds).min() <= 1
    assert stratified_folds(classes, 3).tolist() == folds.tolist()
    assert stratified_folds(classes, 4).tolist() != folds.tolist()


def test_merged_cases_are_dealt_as_if_they_stood_alone() -> None:
    classes, weights = np.array([0, 1, 0], np.int32), np.array([7, 5, 2])
    folds = folds_of_merged(classes, weights, np.random.default_rng(1))
    alone = np.repeat(np.arange(3), weights)
    dealt = stratified_folds(classes[alone], np.random.default_rng(1))
    for fold in range(FOLDS):
        assert folds[fold].tolist() == np.bincount(alone[dealt == fold], minlength=3).tolist()


def test_shuffled_splits_are_those_of_scikit_learn() -> None:
    from sklearn.model_selection import StratifiedKFold

    theirs = StratifiedKFold(4, shuffle=True, random_state=7).split(X, y)
    for (train, test), (ref_train, ref_test) in zip(shuffled_splits(y, 4, 7), theirs, strict=True):
        assert train.tolist() == ref_train.tolist()
        assert test.tolist() == ref_test.tolist()


def test_the_cost_of_a_case_is_its_bill_and_its_error() -> None:
    learner = EG2Classifier(COSTS).fit(X, y)
    problem = learner._read(X, y, None)
    nodes = learner.tree_.layout[0]
    costs = case_costs(problem, nodes, X, problem.cases.classes)
    labels = problem.answers(nodes)[learner.tree_.find(X)]
    assert costs.tolist() == pytest.approx(learner.bill(X) + 60.0 * (labels != y))


def test_a_part_of_the_cases() -> None:
    problem = EG2Classifier(COSTS)._read(X, y, np.arange(90) % 2 + 1)
    where = np.array([3, 4, 80])
    part = part_of(problem, where)
    assert part.cases.weights.tolist() == [2, 1, 1]
    assert part.table.rows(np.arange(3)).tolist() == X[where].tolist()
    assert part.cases.classes.tolist() == y[where].tolist()


def test_the_cheapest_is_taken() -> None:
    first, same, dear = (Trial(f"costs {cost}", {}, cost, 1.0) for cost in (5, 5, 9))
    assert best_trial([first, same, dear], all_held_out=True) == 0
    assert best_trial([dear, first], all_held_out=True) == 1
    assert best_trial([], all_held_out=True) == 0


def test_before_all_cases_were_held_out_a_saving_must_exceed_its_standard_error() -> None:
    first = Trial("first", {}, 10.0, 1.0, 0.0, 0.0)
    unsure = Trial("unsure", {}, 5.0, 1.0, 5.0, 5.0)
    sure = Trial("sure", {}, 9.0, 1.0, 1.0, 0.9)
    assert best_trial([first, unsure], all_held_out=False) == sure_trial([first, unsure]) == 0
    assert best_trial([first, unsure, sure], all_held_out=False) == 2
    assert best_trial([], all_held_out=False) == 0


def test_the_settings_in_force_are_marked() -> None:
    trials = [Trial(f"w {w:g}", {"w": w}, 10.0 - w, 1.0) for w in (0.0, 1.0)]
    marked = mark_chosen(trials, {"w": 1.0})
    assert [one.chosen for one in marked] == [False, True]
    assert [one.w for one in marked] == [0.0, 1.0]
    assert marked[0].cf is None

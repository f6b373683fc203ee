"""Probabilities: against the slow twin, what holds of them always, and who tells them."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frugaltree import C45Classifier, Costs, EG2Classifier, ID3Classifier, load_model, save_model
from frugaltree.consult.consultation import Consultation
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.sentinels import NONE
from frugaltree.tree.shrinkage import (
    STRENGTHS,
    choose_strength,
    keep_largest,
    left_out_losses,
    shrink_shares,
    split_evidence,
)
from reference import shrinkage as ref
from support.examples import many
from support.learners import LEARNERS, seeded

counts = st.integers(0, 12) | st.sampled_from([0, 0, 0, 40])


@st.composite
def trees(draw):
    """Return a random tree as the twin has it: counts of a node are the sums of its children."""
    n_classes = draw(st.integers(1, 4))
    fraction = draw(st.sampled_from([1.0, 0.25]))

    def node(depth):
        if depth == 0 or draw(st.booleans()):
            found = [draw(counts) * fraction for _ in range(n_classes)]
            if not sum(found):
                found[draw(st.integers(0, n_classes - 1))] = 1.0
            return ref.leaf(*found)
        children = [node(depth - 1) for _ in range(draw(st.integers(2, 3)))]
        sums = [sum(each) for each in zip(*(c["counts"] for c in children), strict=True)]
        return {"counts": sums, "children": children}

    return node(draw(st.integers(0, 4)))


def in_arrays(root):
    """Return a tree of the twin as nodes, and the path to each of them."""
    paths, parents, stack = [], [], [([root], NONE)]
    while stack:
        path, parent = stack.pop()
        number = len(paths)
        paths.append(path)
        parents.append(parent)
        stack += [([*path, child], number) for child in reversed(path[-1]["children"])]
    nodes = Nodes.empty(len(paths), 1, len(root["counts"]))
    nodes.parent[:] = parents
    nodes.test[:] = [0 if path[-1]["children"] else NONE for path in paths]
    nodes.counts[:] = [path[-1]["counts"] for path in paths]
    return nodes, paths


@many
@given(trees(), st.sampled_from([0.0, 0.3, *STRENGTHS]))
def test_shares_against_the_slow_twin(root, strength):
    nodes, paths = in_arrays(root)
    got = shrink_shares(nodes, strength)
    np.testing.assert_allclose(got, [ref.shrunk(path, strength) for path in paths], atol=1e-12)
    evidence = [ref.evidence(path[-1]) if path[-1]["children"] else 0.0 for path in paths]
    np.testing.assert_allclose(split_evidence(nodes), evidence, atol=1e-9)


@many
@given(trees(), st.sampled_from([0.0, 0.3, *STRENGTHS]))
def test_losses_against_the_slow_twin(root, strength):
    nodes, _ = in_arrays(root)
    assert left_out_losses(nodes, [strength])[0] == pytest.approx(
        ref.left_out_loss(root, strength)
    )


@many
@given(trees())
def test_the_strength_against_the_slow_twin(root):
    nodes, _ = in_arrays(root)
    got, expected = choose_strength(nodes), ref.chosen(root, STRENGTHS)
    assert ref.left_out_loss(root, got) == pytest.approx(ref.left_out_loss(root, expected))


@many
@given(trees(), st.floats(0.0, 1e6))
def test_what_holds_of_all_shares(root, strength):
    nodes, _ = in_arrays(root)
    got = shrink_shares(nodes, strength)
    assert got.min() >= 0.0
    np.testing.assert_allclose(got.sum(axis=1), 1.0)
    raw = nodes.counts / nodes.counts.sum(axis=1, keepdims=True)
    np.testing.assert_array_equal(shrink_shares(nodes, 0.0), raw)
    np.testing.assert_array_equal(got[0], raw[0])


@many
@given(trees(), st.floats(0.0, 1e6), st.integers(0, 3))
def test_the_most_frequent_class_stays_the_most_probable(root, strength, label):
    nodes, _ = in_arrays(root)
    raw = nodes.counts / nodes.counts.sum(axis=1, keepdims=True)
    shrunk, labels = shrink_shares(nodes, strength), np.full(len(raw), label % raw.shape[1])
    got = keep_largest(raw, shrunk, labels)
    np.testing.assert_allclose(got.sum(axis=1), 1.0)
    for shares, after in zip(raw, got, strict=True):
        assert shares[after.argmax()] >= shares.max() - 1e-9


# ---------------------------------------------------------------------------- learners


def noisy_table(n=120, seed=3):
    """Return a table of two tests and noise, some values missing, and its classes."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.choice(["u", "v", "w"], n)})
    y = np.where((X["a"] > 0) ^ (rng.random(n) < 0.25), "yes", "no")
    X.loc[rng.random(n) < 0.1, "a"] = np.nan
    return X, y


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_shrinks(learner):
    X, y = noisy_table()
    model = seeded(learner)().fit(X, y)
    assert model.shrinkage_ in STRENGTHS
    told = model.predict_proba(X)
    np.testing.assert_allclose(told.sum(axis=1), 1.0)
    if not model.tree_.fractional:
        np.testing.assert_array_equal(told, model.tree_.probabilities[model.apply(X)])


def test_answers_do_not_depend_on_the_strength():
    X, y = noisy_table()
    costs = Costs({"a": 1, "b": 1}, errors={("no", "yes"): 90, ("yes", "no"): 10})
    for learner in (C45Classifier(costs), EG2Classifier(costs)):
        model = learner.fit(X, y)
        before = model.predict(X).tolist()
        model.tree_ = type(model.tree_).from_dict({**model.tree_.to_dict(), "shrinkage": 1000.0})
        assert model.predict(X).tolist() == before


def test_a_case_that_ends_early_has_the_probabilities_of_its_node():
    X, y = [[1], [2], [4], [5]] * 5, ["no", "no", "yes", "no"] * 5
    model = ID3Classifier().fit(X, y)
    assert model.tree_.ways[0] == NONE
    np.testing.assert_array_equal(model.predict_proba([[np.nan]])[0], [0.75, 0.25])


def test_fractional_cases_mix_the_probabilities_of_their_branches():
    X, y = [[0]] * 6 + [[1]] * 3, [0, 0, 0, 0, 0, 1, 1, 1, 1]
    model = C45Classifier(min_cases=1, prune=False).fit(X, y)
    tree = model.tree_
    expected = (
        tree.weights[1] / 9 * tree.probabilities[1] + tree.weights[2] / 9 * (tree.probabilities[2])
    )
    np.testing.assert_allclose(model.predict_proba([[np.nan]])[0], expected)


def test_files_keep_the_strength_and_old_ones_have_none(tmp_path):
    X, y = noisy_table()
    model = EG2Classifier().fit(X, y)
    path = tmp_path / "model.json"
    save_model(model, path)
    loaded = load_model(path)
    assert loaded.shrinkage_ == model.shrinkage_ > 0
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    data = json.loads(path.read_text("utf-8"))
    for key in ("missing", "shrinkage"):
        del data["tree"][key]
    path.write_text(json.dumps({**data, "version": 1}), "utf-8")
    old = load_model(path)
    assert old.shrinkage_ == 0
    X = X.fillna({"a": 0.0})
    np.testing.assert_array_equal(old.predict_proba(X), old.tree_.shares[old.apply(X)])


def test_a_consultation_tells_the_probability_of_the_case():
    X, y = [[0], [1], [2], [3]] * 6, ["no", "no", "yes", "no"] * 6
    model = ID3Classifier().fit(X, y)
    consultation = Consultation(model)
    while consultation.question is not None:
        consultation.tell(2)
    told = model.predict_proba([[2]])[0]
    assert consultation.answer.probability == pytest.approx(told[1])
    assert consultation.answer.share == 1.0
    assert "likely, 100 % of 6 cases" in str(consultation.answer)


def test_the_largest_weights_do_not_overflow():
    nodes = Nodes.empty(3, 3, 2)
    nodes.parent[:], nodes.counts[:] = [NONE, 0, 0], [[4e300, 4e300], [4e300, 0], [0, 4e300]]
    assert split_evidence(nodes)[0] == pytest.approx(8e300)
    np.testing.assert_allclose(shrink_shares(nodes, 8.0), [[0.5, 0.5], [1, 0], [0, 1]])

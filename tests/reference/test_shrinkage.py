"""The twin of shrinkage, by hand."""

from __future__ import annotations

import pytest

from reference.shrinkage import chosen, evidence, leaf, left_out_loss, part, shrunk


def test_two_steps_by_hand():
    lower = {"counts": [6, 2], "children": [leaf(6, 0), leaf(0, 2)]}
    root = {"counts": [8, 8], "children": [lower, leaf(2, 6)]}
    # In each cell of the first split four are expected, off by two; the second is clean.
    assert evidence(root) == pytest.approx(4.0)
    assert evidence(lower) == pytest.approx(8.0)
    assert (part(root, 4.0), part(lower, 4.0)) == pytest.approx((1 / 2, 2 / 3))
    above = 1 / 2 + 1 / 2 * (6 / 8 - 1 / 2)
    assert shrunk([root, lower], 4.0)[0] == pytest.approx(above)
    last = shrunk([root, lower, lower["children"][1]], 4.0)
    assert last == pytest.approx([above + 2 / 3 * (0 - above), 1 - above * 1 / 3])


def test_a_clean_split_of_two_classes_counts_its_cases():
    assert evidence({"children": [leaf(30, 0), leaf(0, 20)]}) == pytest.approx(50)


def test_a_split_that_tells_nothing_leaves_the_shares_of_the_root():
    root = {"counts": [4, 8], "children": [leaf(2, 4), leaf(2, 4)]}
    assert shrunk([root, root["children"][0]], 1.0) == pytest.approx([1 / 3, 2 / 3])


def test_noise_asks_for_more_strength_than_clean_cases():
    clean = {"counts": [40, 40], "children": [leaf(40, 0), leaf(0, 40)]}
    pairs = [leaf(1, 1), leaf(2, 0), leaf(0, 2), leaf(2, 0), leaf(1, 1), leaf(0, 2)]
    noisy = {"counts": [6, 6], "children": pairs}
    strengths = (1.0, 8.0, 32.0)
    assert (chosen(clean, strengths), chosen(noisy, strengths)) == (1.0, 32.0)


def test_a_class_of_one_case_does_not_count():
    root = {"counts": [9, 1], "children": [leaf(9, 0), leaf(0, 1)]}
    alone = {"counts": [9, 0], "children": [leaf(9, 0), leaf(0, 0)]}
    assert left_out_loss(root, 0.0) == left_out_loss(alone, 0.0) == 0.0

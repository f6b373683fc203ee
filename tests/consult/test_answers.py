"""A consultation gives the answers and bills of predict, with the evidence behind them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from frugaltree import (
    Consultation,
    Costs,
    DTMCClassifier,
    Group,
    ID3Classifier,
)
from frugaltree.tree.tree import Tree
from support.consultations import MAKERS, PRICES, answered, fitted

EVERY = [(data, learner) for data in PRICES for learner in MAKERS]


WHOLE = [("heart", "dtmc"), ("heart", "act"), ("heart", "eg2"), ("hepatitis", "dtmc")]


def some_rows(X, n=20, seed=0):
    """Return random rows of a table, and the same as dictionaries."""
    where = np.random.default_rng(seed).permutation(len(X))[:n].tolist()
    return X[where], X[where].to_dicts()


class Twin:
    """A tree walked and charged in the plainest way, from its plain description."""

    def __init__(self, model):
        tree = model.tree_.to_dict()
        self.names = [column["name"] for column in tree["columns"]]
        self.columns, self.tests, self.cuts = tree["columns"], tree["test"], tree["threshold"]
        self.children, self.counts = tree["children"], tree["counts"]
        self.labels, self.classes = tree["labels"], tree["classes"]
        self.missing = tree["missing"]
        self.fractional, self.costs = tree["fractional"], model.costs

    def size(self, node):
        return sum(self.counts[node])

    def error(self, node):
        answer = self.classes[self.labels[node]]
        costs = [
            n * self.costs.error_cost(answer, actual)
            for n, actual in zip(self.counts[node], self.classes, strict=True)
        ]
        return sum(costs) / self.size(node)

    def name(self, node):
        return None if self.tests[node] is None else self.names[self.tests[node]]

    def below(self, node):
        own = [self.missing[node]] if self.lacks(node) else []
        return sorted({child for child in self.children[node] if child is not None}) + own

    def lacks(self, node):
        """Tell whether cases without a value have a branch of their own."""
        return self.missing[node] is not None and self.missing[node] not in self.children[node]

    def child(self, node, value):
        """Return where a value leads, None where it leads nowhere."""
        categories = self.columns[self.tests[node]]["categories"]
        if categories:
            return self.children[node][categories.index(value)] if value in categories else None
        return self.children[node][0 if value <= self.cuts[node] else 1]

    def ways(self, node, case):
        """Return (child, share) of every way a case can take, where any value may be open."""
        name, below = self.name(node), self.below(node)
        total = sum(map(self.size, below))
        if name in case and case[name] is not None:
            child = self.child(node, case[name])
            return [] if child is None else [(child, 1.0)]
        if name in case and not self.fractional:
            return [] if self.missing[node] is None else [(self.missing[node], 1.0)]
        return [(child, self.size(child) / total) for child in below]

    def possible(self, node, case, share=1.0):
        """Return (node, share) of all nodes where a case may stand, whatever is missing."""
        if self.name(node) not in case:
            return [(node, share)]
        value, below = case[self.name(node)], self.below(node)
        if value is not None:
            child = self.child(node, value)
            return [(node, share)] if child is None else self.possible(child, case, share)
        if self.lacks(node):
            return self.possible(self.missing[node], case, share)
        parts = [(child, share * self.size(child) / sum(map(self.size, below))) for child in below]
        return [found for child, part in parts for found in self.possible(child, case, part)]

    def evidence(self, case, label):
        """Return the share of a class, how many cases it is worth, and the cost of errors."""
        possible, place = self.possible(0, case), self.classes.index(label)
        mix = [
            sum(share * self.counts[node][c] / self.size(node) for node, share in possible)
            for c in range(len(self.classes))
        ]
        costs = [self.costs.error_cost(label, actual) for actual in self.classes]
        cases = 1 / sum(share**2 / self.size(node) for node, share in possible)
        return mix[place], cases, sum(a * b for a, b in zip(mix, costs, strict=True))

    def price(self, tests, paid):
        """Return the price of tests taken together: their own, and what their groups share."""
        own = sum(self.costs.tests[test] for test in tests)
        groups = [set(group.members) for group in self.costs.groups.values()]
        shared = [group.shared for group in self.costs.groups.values()]
        return own + sum(
            cost
            for group, cost in zip(groups, shared, strict=True)
            if group & set(tests) and not group & set(paid)
        )

    def reachable(self, node, case):
        ways = self.ways(node, case)
        found = [] if self.name(node) is None else [self.name(node)]
        for child, _ in ways:
            found += self.reachable(child, case)
        return found

    def charge(self, node, paid, known, missing):
        """Return the tests taken at a node; what is known or missing is never taken."""
        name = self.name(node)
        free = {**known, **dict.fromkeys(missing)}
        ends = name in missing and (self.fractional or self.missing[node] is None)
        if name is None or name in known or ends:
            return []
        if name in self.costs.delayed:
            return [t for t in set(self.reachable(node, known)) if t not in paid and t not in free]
        return [] if name in paid or name in free else [name]

    def walk(self, case, missing):
        """Return the answer and the bill of a case; what is said to be missing is free."""
        stack, mix, paid, bill = [(0, 1.0)], np.zeros(len(self.classes)), [], 0.0
        ends = []
        while stack:
            node, share = stack.pop()
            taken = self.charge(node, paid, {}, missing)
            bill += self.price(taken, paid)
            paid += taken
            ways = self.ways(node, case) if self.name(node) else []
            if not ways:
                ends.append(node)
                mix += share * np.array(self.counts[node]) / self.size(node)
            stack += [(child, share * part) for child, part in reversed(ways)]
        label = self.labels[ends[0]] if len(ends) == 1 else int(mix.argmax())
        return self.classes[label], bill

    def ahead(self, node, told, known, paid):
        """Return least, most and mean charge, and the mean cost of errors, from a node on."""
        taken = self.charge(node, paid, known, [])
        price, after = self.price(taken, paid), [*paid, *taken]
        case = {**told, **known}
        ways = self.ways(node, case) if self.name(node) else []
        if not ways:
            return price, price, price, self.error(node)
        found = []
        for child, share in ways:
            unpaid = self.lacks(node) and child == self.missing[node]
            unpaid = unpaid and self.name(node) not in self.costs.delayed
            ahead = self.ahead(child, told, known, paid if unpaid else after)
            found.append(([a + (0.0 if unpaid else price) for a in ahead[:3]], ahead[3], share))
        least = min(costs[0] for costs, _, _ in found)
        if self.name(node) not in case and None in self.children[node]:
            least = min(least, price)
        return (
            least,
            max(costs[1] for costs, _, _ in found),
            sum(share * costs[2] for costs, _, share in found),
            sum(share * errors for _, errors, share in found),
        )


@pytest.mark.parametrize(("data", "learner"), EVERY)
def test_step_by_step_is_what_predict_and_bill_say(data, learner):
    model, X = fitted(data, learner)
    rows, cases = some_rows(X.drop_nulls())
    for case, label, bill in zip(cases, model.predict(rows), model.bill(rows), strict=True):
        consultation = answered(model, case)
        assert consultation.decision == label
        assert consultation.bill == bill
        at_once = Consultation(model)
        if at_once.question is not None:
            at_once.tell(**case)
        assert (at_once.decision, at_once.bill) == (label, bill)


def test_the_trees_ask_something():
    sizes = {(data, learner): fitted(data, learner)[0].tree_.n_leaves for data, learner in EVERY}
    assert sum(size > 3 for size in sizes.values()) >= 17, sizes


@pytest.mark.parametrize("learner", MAKERS)
@pytest.mark.parametrize("data", ["heart", "hepatitis"])
def test_missing_values_are_answered_alike_but_free(data, learner):
    model, X = fitted(data, learner)
    rows, cases = some_rows(X, 30, seed=1)
    if data == "heart":
        holes = np.random.default_rng(3).random((len(cases), X.shape[1])) < 0.3
        for case, hole in zip(cases, holes.tolist(), strict=True):
            case |= {name: None for name, gone in zip(X.columns, hole, strict=True) if gone}
        rows = type(X)(cases, schema=X.schema)
    twin = Twin(model)
    for case, label in zip(cases, model.predict(rows), strict=True):
        consultation = answered(model, case)
        assert consultation.decision == label
        answers = consultation.record()["answers"]
        missing = [answer["test"] for answer in answers if answer["how"] == "unmeasured"]
        plain_label, plain_bill = twin.walk(case, missing)
        assert plain_label == label
        assert consultation.bill == pytest.approx(plain_bill, abs=1e-9)


def test_discounts_of_open_groups_show_in_the_price():
    X = pd.DataFrame({"a": [0, 0, 1, 1] * 5, "b": [0, 1, 0, 1] * 5})
    costs = Costs({"a": 20, "b": 15}, {"g": Group({"a": 12, "b": 9})}, errors=1000)
    model = ID3Classifier(costs).fit(X, [0, 1, 1, 0] * 5)
    consultation = Consultation(model)
    first = consultation.question
    consultation.tell(0)
    second = consultation.question
    assert {first.test, second.test} == {"a", "b"}
    assert first.price == costs.tests[first.test]
    assert second.full_price - second.price == costs.groups["g"].discounts[second.test]
    consultation.undo()
    consultation.know(**{first.test: 0})
    assert consultation.question.price == costs.tests[second.test], "a known value opens nothing"


@pytest.fixture
def delayed():
    """Make a tree that asks a, which is delayed, and then b in one branch and c in the other."""
    rows = [(a, b, c) for a in "ny" for b in "ny" for c in "ny"] * 4
    X = pd.DataFrame(rows, columns=["a", "b", "c"])
    y = [(b if a == "n" else c) == "y" for a, b, c in rows]
    costs = Costs({"a": 1, "b": 10, "c": 20}, {"g": Group(["a", "c"], 5)}, ["a"], errors=100)
    model = DTMCClassifier(costs).fit(X, y)
    model.tree_ = Tree.from_dict(
        {
            **model.tree_.to_dict(),
            "columns": [
                {"name": name, "kind": "nominal", "categories": ["n", "y"]} for name in "abc"
            ],
            "test": [0, 1, None, None, 2, None, None],
            "threshold": [None] * 7,
            "children": [[1, 4], [2, 3], [], [], [5, 6], [], []],
            "counts": [[16, 16], [8, 8], [8, 0], [0, 8], [8, 8], [8, 0], [0, 8]],
            "labels": [0, 0, 0, 1, 0, 0, 1],
            "missing": [1, None, None, None, None, None, None],
        }
    )
    return model


class TestDelayed:
    def test_announces_the_whole_order(self):
        model, _ = fitted("heart", "dtmc")
        consultation = Consultation(model)
        while not consultation.question.ordered_along:
            question = consultation.question
            consultation.tell(question.values[0] if question.values else question.threshold)
        question = consultation.question
        assert question.delayed
        twin = Twin(model)
        assert question.price == pytest.approx(twin.price(question.orders, ["cp"]))
        consultation.tell(question.threshold + 1)
        assert consultation.question.is_paid
        assert consultation.question.price == 0
        assert consultation.still_to_come == (0, 0)

    def test_known_values_leave_an_order(self, delayed):
        consultation = Consultation(delayed)
        first = consultation.question
        assert set(first.orders) == {"a", "b", "c"}
        assert first.price == 1 + 10 + 20 + 5
        consultation.know(c="n")
        assert set(consultation.question.orders) == {"a", "b"}
        assert consultation.question.price == 1 + 10 + 5
        consultation.know(a="y")
        assert consultation.question is None
        assert consultation.bill == 0
        assert consultation.decision is False

    def test_without_it_the_others_are_ordered(self, delayed):
        consultation = Consultation(delayed)
        consultation.cannot_measure()
        assert consultation.bill == 10 + 20 + 5
        assert consultation.question.test == "b"

    def test_without_it_nothing_is_ordered_where_the_case_ends(self, delayed):
        missing = {"missing": [None] * 7}
        delayed.tree_ = Tree.from_dict({**delayed.tree_.to_dict(), **missing})
        consultation = Consultation(delayed)
        consultation.cannot_measure()
        assert (consultation.bill, consultation.question) == (0, None)

    def test_an_ordered_test_that_fails_is_not_charged(self, delayed):
        consultation = Consultation(delayed)
        consultation.tell("n")
        consultation.cannot_measure("b")
        assert consultation.bill == 1 + 20 + 5
        assert "b was ordered but is missing, so the order costs 10.00 less." in consultation.notes
        before = Consultation(delayed)
        before.cannot_measure("b")
        before.tell("n")
        assert (before.bill, before.decision) == (consultation.bill, consultation.decision)

    def test_what_was_paid_stays_paid(self, delayed):
        consultation = Consultation(delayed)
        consultation.tell("n")
        assert consultation.bill == 36
        consultation.know(b="y")
        assert consultation.bill == 36
        assert consultation.decision is True


@pytest.mark.parametrize(("data", "learner"), WHOLE)
def test_worth_against_the_slow_twin(data, learner):
    model, X = fitted(data, learner)
    twin = Twin(model)
    random = np.random.default_rng(5)
    seen = 0
    for case in some_rows(X.drop_nulls(), 12, seed=2)[1]:
        consultation = Consultation(model)
        known = {name: v for name, v in case.items() if random.random() < 0.2}
        consultation.know(**known)
        told = {}
        while (question := consultation.question) is not None:
            node = consultation._state.pending[0].node
            paid = [
                model.tree_.columns[a].name
                for a in np.flatnonzero(consultation._state.path_prices.paid)
            ]
            least, most, tests, errors = twin.ahead(node, told, known, paid)
            assert question.why.tests == pytest.approx(tests)
            assert question.why.errors == pytest.approx(errors)
            assert question.why.stopping == pytest.approx(twin.error(node))
            assert question.why.saving == pytest.approx(twin.error(node) - tests - errors)
            assert consultation.cost_of_stopping == pytest.approx(twin.error(node))
            assert consultation.still_to_come == pytest.approx((least, most))
            told[question.test] = case[question.test]
            consultation.tell(case[question.test])
            seen += 1
    assert seen > 8


@pytest.mark.parametrize(("data", "learner"), EVERY)
def test_what_is_still_to_come_bounds_the_bill(data, learner):
    model, X = fitted(data, learner)
    for case in some_rows(X, 5, seed=4)[1]:
        consultation = Consultation(model)
        bounds = []
        while (question := consultation.question) is not None:
            least, most = consultation.still_to_come
            bounds.append((consultation.bill + least, consultation.bill + most))
            consultation.tell(case[question.test])
        if None not in case.values():
            for least, most in bounds:
                assert least - 1e-9 <= consultation.bill <= most + 1e-9


def test_evidence_is_wilsons():
    model, _ = fitted("heart", "dtmc")
    answer = Consultation(model).answer
    right, n = 160, 297
    expected = binomtest(right, n).proportion_ci(method="wilson")
    assert (answer.label, answer.cases, answer.weak) == ("healthy", n, False)
    assert answer.share == pytest.approx(right / n)
    assert (answer.low, answer.high) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize("learner", MAKERS)
def test_a_case_of_which_nothing_is_known_has_the_evidence_of_all(learner):
    model, X = fitted("heart", learner)
    consultation = Consultation(model)
    for _ in consultation:
        consultation.cannot_measure()
    answer = consultation.answer
    nothing = type(X)([dict.fromkeys(X.columns)], schema=X.schema)
    assert answer.label == model.predict(nothing)[0]
    right = {"healthy": 160, "sick": 137}[answer.label]
    assert answer.share == pytest.approx(right / 297)
    assert answer.cases == pytest.approx(297)
    assert answer.cost == pytest.approx(2000 * (1 - right / 297))
    expected = binomtest(right, 297).proportion_ci(method="wilson")
    assert (answer.low, answer.high) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize(("data", "learner"), EVERY)
def test_evidence_against_the_slow_twin(data, learner):
    model, X = fitted(data, learner)
    twin, random = Twin(model), np.random.default_rng(6)
    for case in some_rows(X, 12, seed=7)[1]:
        consultation, told = Consultation(model), {}
        for question in consultation:
            told[question.test] = None if random.random() < 0.4 else case[question.test]
            consultation.tell(told[question.test])
            answer = consultation.answer
            ref = twin.evidence(told, answer.label)
            assert (answer.share, answer.cases, answer.cost) == pytest.approx(ref)
        rows = type(X)([{**dict.fromkeys(X.columns), **told}], schema=X.schema)
        assert consultation.decision == model.predict(rows)[0]


def test_branches_that_agree_are_certain_together():
    model = ID3Classifier().fit(pd.DataFrame({"hue": list("abc") * 7}), [0, 1, 2] * 7)
    counts = {"counts": [[21, 0, 0], [9, 0, 0], [10, 0, 0], [2, 0, 0]], "labels": [0] * 4}
    model.tree_ = Tree.from_dict({**model.tree_.to_dict(), **counts})
    consultation = Consultation(model)
    consultation.cannot_measure()
    assert sum(n / 21 for n in (9, 10, 2)) < 1
    assert (consultation.answer.share, consultation.answer.high) == (1, 1)


def test_a_value_without_a_place_in_the_order_leaves_all_branches_possible():
    stage = pd.Categorical(["I", "II", "III"] * 8, ["I", "II", "III"], ordered=True)
    consultation = Consultation(ID3Classifier().fit(pd.DataFrame({"stage": stage}), [0, 0, 1] * 8))
    consultation.tell("IV")
    assert consultation.answer[:3] == (0, pytest.approx(2 / 3), pytest.approx(24))


def test_few_cases_are_weak_evidence():
    X = [[0]] * 9 + [[1]] * 10
    model = ID3Classifier().fit(X, [0] * 9 + [1] * 10)
    answers = []
    for value in (0, 1):
        consultation = Consultation(model)
        consultation.tell(value)
        answers.append(consultation.answer)
    assert [(a.cases, a.weak, a.high) for a in answers] == [(9, True, 1.0), (10, False, 1.0)]
    assert "weak evidence" in str(answers[0])
    assert "weak evidence" not in str(answers[1])


def test_a_blind_tree_may_cost_more_than_stopping():
    X, y = [[0], [1]] * 10, [0, 1] * 10
    why = Consultation(ID3Classifier(Costs([50], errors=10)).fit(X, y)).question.why
    assert (why.stopping, why.tests, why.errors, why.saving) == (5, 50, 0, -45)


@pytest.mark.parametrize("n", [3772, 49, 98, 103])
def test_whole_numbers_of_cases_are_recorded_whole(n):
    y = [0] * (n // 3) + [1] * (n - n // 3)
    consultation = Consultation(ID3Classifier().fit([[label] for label in y], y))
    assert consultation.record()["model_answer"]["cases"] == n
    consultation.tell(None)
    assert consultation.record()["model_answer"]["cases"] == n

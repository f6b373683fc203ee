from __future__ import annotations

import json
from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

import frugaltree
from frugaltree import (
    ACTClassifier,
    C45Classifier,
    Consultation,
    Costs,
    DTMCClassifier,
    EG2Classifier,
    FrugalTreeClassifier,
    Group,
    ID3Classifier,
    load_model,
    save_model,
)
from frugaltree.datasets import load, load_costs
from frugaltree.exceptions import FrugaltreeError, MissingFile
from frugaltree.tree.tree import Tree

MAKERS = {
    "eg2": EG2Classifier,
    "act": lambda costs: ACTClassifier(costs, n_samples=1, random_state=0),
    "frugal": lambda costs: FrugalTreeClassifier(
        costs, max_steps=300, pessimism="paper", random_state=0
    ),
    "c45": C45Classifier,
    "dtmc": DTMCClassifier,
}
PRICES = {
    "heart": lambda: load_costs("heart", errors=2000),
    "hepatitis": lambda: load_costs("hepatitis", errors=2000),
    "iris": lambda: Costs(
        [4, 2, 9, 7], {"petal": Group([2, 3], cost=3), "sepal": Group([0, 1], cost=1)}, errors=500
    ),
    "car": lambda: Costs(
        {"buying": 5, "maint": 4, "doors": 1, "persons": 2, "lug_boot": 3, "safety": 9},
        {"paper": Group({"buying": 2, "maint": 1.5}), "look": Group(["doors", "persons"], 1)},
        delayed=["safety"],
        errors=3000,
    ),
}
EVERY = [(data, learner) for data in PRICES for learner in MAKERS]
WHOLE = [("heart", "dtmc"), ("heart", "act"), ("heart", "eg2"), ("hepatitis", "dtmc")]


@cache
def fitted(data, learner):
    X, y = load(data, return_X_y=True)
    return MAKERS[learner](PRICES[data]()).fit(X, y), X


def some_rows(X, n=20, seed=0):
    """Return random rows of a table, and the same as dictionaries."""
    where = np.random.default_rng(seed).permutation(len(X))[:n].tolist()
    return X[where], X[where].to_dicts()


def answered(model, case):
    consultation = Consultation(model)
    for question in consultation:
        consultation.tell(case[question.test])
    return consultation


def standing(consultation):
    """Return everything that a person sees of a consultation, without the times."""
    record = consultation.record()
    for stamped in (record, *record["answers"], *record["overrides"]):
        for time in ("began", "recorded", "at"):
            stamped.pop(time, None)
    return (
        record,
        consultation.question,
        consultation.still_to_come,
        str(consultation),
        repr(consultation),
    )


# ------------------------------------------------------------------- slow twin


class Twin:
    """A tree walked and charged in the plainest way, from its plain description."""

    def __init__(self, model):
        tree = model.tree_.to_dict()
        self.names = [column["name"] for column in tree["columns"]]
        self.columns, self.tests, self.cuts = tree["columns"], tree["test"], tree["threshold"]
        self.children, self.counts = tree["children"], tree["counts"]
        self.labels, self.classes = tree["labels"], tree["classes"]
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
        return [child for child in self.children[node] if child is not None]

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
            return [(max(below, key=self.size), 1.0)]
        return [(child, self.size(child) / total) for child in below]

    def possible(self, node, case, share=1.0):
        """Return (node, share) of all nodes where a case may stand, whatever is missing."""
        if self.name(node) not in case:
            return [(node, share)]
        value, below = case[self.name(node)], self.below(node)
        if value is not None:
            child = self.child(node, value)
            return [(node, share)] if child is None else self.possible(child, case, share)
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
        if name is None or name in free:
            return []
        if name in self.costs.delayed:
            return [t for t in set(self.reachable(node, free)) if t not in paid and t not in free]
        return [] if name in paid else [name]

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
        price, paid = self.price(taken, paid), [*paid, *taken]
        case = {**told, **known}
        ways = self.ways(node, case) if self.name(node) else []
        if not ways:
            return price, price, price, self.error(node)
        found = [(self.ahead(child, told, known, paid), share) for child, share in ways]
        least = min(ahead[0] for ahead, _ in found)
        if self.name(node) not in case and None in self.children[node]:
            least = 0.0
        return (
            price + least,
            price + max(ahead[1] for ahead, _ in found),
            price + sum(share * ahead[2] for ahead, share in found),
            sum(share * ahead[3] for ahead, share in found),
        )


# ------------------------------------------------------------- answers and bills


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


# ---------------------------------------------------------------- delayed tests


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
            "test": [0, 1, None, None, 2, None, None],
            "threshold": [None] * 7,
            "children": [[1, 4], [2, 3], [], [], [5, 6], [], []],
            "counts": [[16, 16], [8, 8], [8, 0], [0, 8], [8, 8], [8, 0], [0, 8]],
            "labels": [0, 0, 0, 1, 0, 0, 1],
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

    def test_without_it_nothing_is_ordered(self, delayed):
        consultation = Consultation(delayed)
        consultation.cannot_measure()
        assert consultation.bill == 0
        assert consultation.question.price in (10, 25)

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


# ------------------------------------------------------------ worth and evidence


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
    assert answer.probability == pytest.approx(right / n)
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
    assert answer.probability == pytest.approx(right / 297)
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
            assert (answer.probability, answer.cases, answer.cost) == pytest.approx(ref)
        rows = type(X)([{**dict.fromkeys(X.columns), **told}], schema=X.schema)
        assert consultation.decision == model.predict(rows)[0]


def test_branches_that_agree_are_certain_together():
    model = ID3Classifier().fit(pd.DataFrame({"hue": list("abc") * 7}), [0, 1, 2] * 7)
    counts = {"counts": [[21, 0, 0], [9, 0, 0], [10, 0, 0], [2, 0, 0]], "labels": [0] * 4}
    model.tree_ = Tree.from_dict({**model.tree_.to_dict(), **counts})
    consultation = Consultation(model)
    consultation.cannot_measure()
    assert sum(n / 21 for n in (9, 10, 2)) < 1
    assert (consultation.answer.probability, consultation.answer.high) == (1, 1)


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


# ------------------------------------------------------------------------ steps


class TestSteps:
    @pytest.fixture
    def model(self):
        X = pd.DataFrame(
            {
                "age": [30, 40, 50, 60] * 6,
                "sex": ["f", "m", "m"] * 8,
                "stage": pd.Categorical(["I", "II", "III"] * 8, ["I", "II", "III"], ordered=True),
            }
        )
        y = ["ill" if age > 45 else "well" for age in X["age"]]
        return ID3Classifier(Costs({"age": 3, "sex": 1, "stage": 2}, errors=9)).fit(X, y)

    @pytest.fixture
    def pain(self):
        """Make a tree that asks a nominal test of three values, one of which no case had."""
        X = pd.DataFrame({"pain": pd.Categorical(list("abab") * 5, ["a", "b", "c"])})
        return ID3Classifier(Costs({"pain": 3})).fit(X, [0, 1, 0, 1] * 5)

    def test_question_of_a_number(self, model):
        question = Consultation(model).question
        assert (question.test, question.kind, question.values) == ("age", "numeric", ())
        assert question.thresholds == (45.0,)

    def test_question_of_choices(self, pain):
        question = Consultation(pain).question
        assert (question.kind, question.values, question.threshold) == (
            "nominal",
            ("a", "b", "c"),
            None,
        )

    def test_question_of_an_order(self):
        stage = pd.Categorical(["I", "II", "III"] * 8, ["I", "II", "III"], ordered=True)
        model = ID3Classifier().fit(pd.DataFrame({"stage": stage}), [0, 0, 1] * 8)
        consultation = Consultation(model)
        assert (consultation.question.kind, consultation.question.threshold) == ("ordinal", "II")
        consultation.tell("IV")
        assert consultation.decision == model.predict(pd.DataFrame({"stage": ["IV"]}))[0]
        assert "no place in the order I, II, III" in consultation.notes[0]

    @pytest.mark.parametrize(
        ("value", "words"),
        [("c", "never seen by the cases that came this far"), ("z", "never seen at training")],
    )
    def test_a_value_never_seen_takes_the_nodes_own_answer(self, pain, value, words):
        consultation = Consultation(pain)
        consultation.tell(value)
        assert consultation.question is None
        assert consultation.decision == pain.predict(pd.DataFrame({"pain": [value]}))[0]
        assert (consultation.bill, consultation.answer.cases) == (3, 20)
        assert words in consultation.notes[0]

    def test_without_a_test_most_cases_lead(self, pain):
        consultation = Consultation(pain)
        consultation.cannot_measure()
        assert consultation.bill == 0
        assert consultation.notes == (
            "pain is missing, so the case goes on as most did: pain = a, 10 of 20 cases.",
        )
        again = Consultation(pain)
        again.tell(None)
        assert standing(again) == standing(consultation)

    def test_without_a_test_c45_mixes_the_branches(self):
        X, y = [[0], [0], [0], [1]] * 5, [0, 0, 0, 1] * 5
        consultation = Consultation(C45Classifier().fit(X, y))
        consultation.cannot_measure("x0")
        assert consultation.answer[:3] == (0, 0.75, pytest.approx(20))
        assert "every branch is followed" in consultation.notes[0]

    @pytest.mark.parametrize("learner", ["eg2", "dtmc"])
    def test_no_worth_where_several_branches_are_possible(self, learner):
        model, _ = fitted("heart", learner)
        consultation = Consultation(model)
        assert consultation.question.why is not None
        consultation.cannot_measure()
        assert consultation.question.why is None

    def test_what_is_missing_and_never_asked_leaves_the_worth(self, model):
        consultation = Consultation(model)
        before = consultation.question.why
        consultation.cannot_measure("sex")
        assert consultation.question.why == before

    def test_results_wait_until_they_are_asked_for(self, model):
        consultation = Consultation(model)
        consultation.tell(sex="f")
        assert (consultation.question.test, consultation.bill) == ("age", 0)
        consultation.tell(60)
        assert (consultation.decision, consultation.bill) == ("ill", 3)

    def test_known_values_are_free_and_none_is_no_value(self, model):
        consultation = Consultation(model)
        consultation.know(age=None)
        assert consultation.question.test == "age"
        with pytest.raises(FrugaltreeError, match="nothing to undo"):
            consultation.undo()
        consultation.know(age=60.0)
        consultation.know(sex="f")
        assert (consultation.decision, consultation.bill) == ("ill", 0)

    def test_stop_and_override(self, model):
        consultation = Consultation(model)
        before = standing(consultation)
        consultation.stop()
        assert consultation.stopped
        assert (consultation.question, consultation.decision) == (None, "ill")
        consultation.override("well", "seen often")
        consultation.override("refer")
        assert consultation.decision == "refer"
        assert consultation.answer.label == "ill"
        assert [o.label for o in consultation.overrides] == ["well", "refer"]
        assert "not one of the model's answers" in consultation.notes[-1]
        assert repr(consultation) == "<Consultation: refer by a person's override; bill 0.00>"
        for _ in range(3):
            consultation.undo()
        assert standing(consultation) == before

    def test_labels_are_those_of_the_model(self):
        consultation = Consultation(ID3Classifier().fit([[0], [1]] * 5, [3, 4] * 5))
        consultation.override("4")
        assert consultation.decision == 4
        assert len(consultation.notes) == 1

    def test_a_single_leaf_has_its_answer_at_once(self):
        consultation = Consultation(ID3Classifier().fit([[0], [0], [0]], [1, 1, 0]))
        assert (consultation.question, consultation.decision) == (None, 1)
        assert consultation.still_to_come == (0, 0)
        assert list(consultation) == []

    def test_in_words(self, model):
        consultation = Consultation(model)
        assert repr(consultation).startswith("<Consultation: asks age, 3.00; so far ill, 50 %")
        assert "still to come: 3.00" in str(consultation)
        consultation.tell(20)
        assert str(consultation).startswith("answer: well, 100 % of 12 cases")

    @pytest.mark.parametrize(
        ("step", "words"),
        [
            (lambda c: c.tell(agee=3), "there is no test 'agee'.*Did you mean 'age'"),
            (lambda c: c.know(agee=None), "there is no test 'agee'"),
            (lambda c: c.cannot_measure("agee"), "there is no test 'agee'"),
            (lambda c: c.tell("old"), "age must be a number, but is 'old'; give a number"),
            (lambda c: c.tell(float("inf")), "age must be a finite number, but is inf"),
            (lambda c: c.tell(10**400), "age must be a finite number"),
            (lambda c: c.know(sex=["f"]), r"sex must be text or a number, but is \['f'\]"),
            (lambda c: c.tell(), "nothing was told"),
            (lambda c: c.tell(3, age=4), "age is given twice"),
            (lambda c: c.undo(), "nothing to undo"),
            (lambda c: (c.tell(sex="f"), c.know(sex="m")), "sex is 'f' already"),
            (lambda c: (c.tell(sex=None), c.know(sex="m")), "sex is unmeasured already"),
            (lambda c: (c.tell(3), c.tell(4)), "has ended with the answer 'well'"),
            (lambda c: (c.tell(3), c.cannot_measure()), "has ended"),
            (lambda c: (c.tell(3), c.stop()), "has ended"),
            (lambda c: (c.stop(), c.know(age=3)), "has ended"),
            (lambda c: c.override(None), "an answer must be text or a number, but is None"),
            (lambda c: list(c), "age was asked but not answered"),
        ],
    )
    def test_errors_are_one_sentence_and_change_nothing(self, model, step, words):
        consultation = Consultation(model)
        with pytest.raises(FrugaltreeError, match=words):
            step(consultation)
        assert consultation.bill in (0, 3)

    def test_one_wrong_value_takes_nothing(self, model):
        consultation = Consultation(model)
        before = standing(consultation)
        with pytest.raises(FrugaltreeError):
            consultation.tell(sex="f", age="old")
        assert standing(consultation) == before


# ------------------------------------------------------------- random histories


@st.composite
def histories(draw):
    """Draw a few steps: what to do, with a number that picks the details."""
    kinds = ("tell", "tell", "tell", "know", "ahead", "skip", "undo", "stop", "override")
    return draw(st.lists(st.tuples(st.sampled_from(kinds), st.integers(0, 999)), max_size=14))


def do(consultation, kind, number, case):
    """Take a step; a step that is not possible is an error."""
    names = list(case)
    name = names[number % len(names)]
    question = consultation.question
    match kind:
        case "tell" if question:
            consultation.tell(case[question.test])
        case "know":
            consultation.know(**{n: case[n] for n in (name, names[(number * 7) % len(names)])})
        case "ahead":
            consultation.tell(**{name: case[name]})
        case "skip":
            consultation.cannot_measure(None if number % 2 else name)
        case "stop":
            consultation.stop()
        case "override":
            consultation.override(f"own {number}", "because")
        case _:
            raise FrugaltreeError("no step")


@pytest.mark.parametrize("learner", ["eg2", "dtmc", "act"])
@settings(max_examples=15, deadline=None)
@given(steps=histories(), row=st.integers(0, 296))
def test_undo_returns_exactly(learner, steps, row):
    model, X = fitted("heart", learner)
    case = X[row].to_dicts()[0]
    consultation = Consultation(model)
    past = [standing(consultation)]
    for kind, number in steps:
        if kind == "undo" and len(past) > 1:
            past.pop()
            consultation.undo()
        elif kind != "undo":
            try:
                do(consultation, kind, number, case)
            except FrugaltreeError:
                continue
            past.append(standing(consultation))
        assert standing(consultation) == past[-1]
    for before in reversed(past[:-1]):
        consultation.undo()
        assert standing(consultation) == before
    with pytest.raises(FrugaltreeError, match="nothing to undo"):
        consultation.undo()


@pytest.mark.parametrize("learner", ["eg2", "dtmc", "act"])
@settings(max_examples=15, deadline=None)
@given(data=st.data(), row=st.integers(0, 296))
def test_known_values_lead_to_the_same_answer_in_any_order(learner, data, row):
    model, X = fitted("heart", learner)
    case = X[row].to_dicts()[0]
    known = data.draw(st.lists(st.sampled_from(list(case)), unique=True))
    consultation = Consultation(model)
    for name in data.draw(st.permutations(known)):
        consultation.know(**{name: case[name]})
    at_once = Consultation(model)
    at_once.know(**{name: case[name] for name in known})
    for both in (consultation, at_once):
        for question in both:
            both.tell(case[question.test])
    assert consultation.decision == at_once.decision == model.predict(X[row : row + 1])[0]
    assert consultation.bill == at_once.bill <= model.bill(X[row : row + 1])[0] + 1e-9
    used = consultation.record()["answers"]
    assert all(answer["price"] == 0 for answer in used if answer["test"] in known)


# ---------------------------------------------------------------- models, records


def test_a_record_is_plain_and_complete(tmp_path):
    model, _ = fitted("heart", "dtmc")
    consultation = Consultation(model)
    consultation.know(sex="male")
    consultation.tell("typical angina")
    consultation.tell(np.float64(260.0))
    consultation.cannot_measure()
    consultation.override("healthy", "young")
    record = consultation.record()
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert [(a["test"], a["value"], a["how"]) for a in record["answers"]] == [
        ("sex", "male", "known"),
        ("cp", "typical angina", "told"),
        ("chol", 260, "told"),
        (record["answers"][3]["test"], None, "unmeasured"),
    ]
    assert sum(answer["price"] for answer in record["answers"]) == record["bill"]
    assert set(record["answers"][2]["paid_for"]) >= {"chol"}
    assert record["prices"] == {
        "unit": "CAD",
        "source": model.costs.source,
        "date": "1992",
    }
    assert record["final_answer"] == "healthy"
    assert record["overrides"][0]["reason"] == "young"
    assert record["began"].endswith("+00:00")
    consultation.save_record(tmp_path / "record.json")
    saved = json.loads((tmp_path / "record.json").read_text("utf-8"))
    assert {**saved, "recorded": ""} == {**record, "recorded": ""}
    assert [path.name for path in tmp_path.iterdir()] == ["record.json"]
    with pytest.raises(MissingFile):
        consultation.save_record(tmp_path / "no" / "record.json")


@pytest.mark.parametrize("learner", MAKERS)
def test_a_model_from_a_file_has_the_same_digest(learner, tmp_path):
    model, _ = fitted("heart", learner)
    save_model(model, tmp_path / "model.json")
    ours = Consultation(model).record()["model"]
    assert Consultation(tmp_path / "model.json").record()["model"] == ours
    assert Consultation(load_model(tmp_path / "model.json")).record()["model"] == ours
    assert len(ours["digest"]) == len("sha256:") + 64
    other, _ = fitted("hepatitis", learner)
    assert Consultation(other).record()["model"]["digest"] != ours["digest"]


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (ID3Classifier(), "this ID3Classifier has learned nothing yet; call fit first"),
        (SimpleNamespace(tree_=None), "needs a learner of frugaltree"),
        ("no-such-model.json", "does not exist"),
    ],
)
def test_what_is_no_model(model, words):
    with pytest.raises(FrugaltreeError, match=words):
        Consultation(model)


def test_odd_names_stay_text():
    names = ["<script>", "[red]", "self", "value", "max rate"]
    X = pd.DataFrame({name: [0, 1] * 10 for name in names})
    X["[red]"] = ["[/]", "\x1b[31m"] * 10
    model = ID3Classifier(Costs(dict.fromkeys(names, 1))).fit(X, [0, 1] * 10)
    consultation = Consultation(model)
    consultation.know(**{"self": 0, "value": 1, "max rate": 1})
    consultation.know(**{"[red]": "[/]"})
    assert json.loads(json.dumps(consultation.record()))["answers"][-1]["test"] == "[red]"


def test_public_name():
    assert "Consultation" in dir(frugaltree)
    assert frugaltree.Consultation is Consultation

"""The rules are read and applied: exactly one holds for each case, with the learner's answer."""

from __future__ import annotations

import ast
import re

import pandas as pd
import pytest

from frugaltree import Costs, ID3Classifier
from frugaltree.export import to_rules
from support import odd_trees as trees

QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
MISSING = " (or missing)"


class Reader:
    """Reads rules, with no help from the code that writes them."""

    def __init__(self, estimator):
        self.columns = {column.name: column for column in estimator.tree_.columns}
        self.labels = {str(label): label for label in estimator.tree_.classes}

    def read(self, line):
        """Return the conditions, the answer and the rest of a line."""
        texts = []
        line = QUOTED.sub(lambda found: f'"{texts.append(found[0]) or len(texts) - 1}"', line)
        head, tail = line.split(" THEN ") if line.startswith("IF ") else ("", line[7:])
        answer, rest = re.fullmatch(r"(.+?) \((.+)\)", tail).groups()
        parts = head.removeprefix("IF ").split(" AND ") if head else []
        bill = rest.rpartition("; bill ")[2]
        return (
            [self.condition(part, texts) for part in parts],
            self.text(answer, texts),
            [self.due(part, texts) for part in bill.split(" + ")],
        )

    def due(self, part, texts):
        """Return an amount, and the columns of which one must have a value, if any."""
        amount, _, names = part.removesuffix(" missing").partition(" unless ")
        columns = [self.text(name, texts) for name in names.split(" and ")] if names else []
        return re.sub(r"[^0-9.]", "", re.sub(QUOTED, "", amount)), columns

    def bill(self, dues, row):
        """Return what a case is charged."""
        return sum(
            float(amount)
            for amount, names in dues
            if not names or not all(self.is_gap(name, row[name]) for name in names)
        )

    def text(self, word, texts):
        return ast.literal_eval(texts[int(word[1:-1])]) if word[0] == '"' else word

    def condition(self, part, texts):
        """Return the column, what must hold of a value, and whether it may be missing."""
        if part.endswith(" missing"):
            return self.text(part.removesuffix(" missing"), texts), lambda value: False, True
        missing = part.endswith(MISSING)
        part = part.removesuffix(MISSING)
        if found := re.fullmatch(r"(.+) not in \((.+)\)", part):
            values = {self.text(word, texts) for word in found[2].split(", ")}
            return self.text(found[1], texts), lambda value: str(value) not in values, missing
        if found := re.fullmatch(r"(.+) = (.+)", part):
            wanted = self.text(found[2], texts)
            return self.text(found[1], texts), lambda value: str(value) == wanted, missing
        if found := re.fullmatch(r"(.+) > (.+)", part):
            name, low, high = found[1], found[2], None
        else:
            low, name, high = re.fullmatch(r"(?:(.+?) < )?(.+) <= (.+)", part).groups()
        name = self.text(name, texts)
        low, high = (end and self.place(name, self.text(end, texts)) for end in (low, high))
        return name, lambda value: self.is_between(name, low, value, high), missing

    def place(self, name, value):
        order = [str(category) for category in self.columns[name].categories]
        return (float(order.index(value)),) if order else (float(value),)

    def is_between(self, name, low, value, high):
        place = self.place(name, value)
        return (low is None or low < place) and (high is None or place <= high)

    def holds(self, conditions, row):
        return all(
            missing if self.is_gap(name, row[name]) else test(row[name])
            for name, test, missing in conditions
        )

    def is_gap(self, name, value):
        column = self.columns[name]
        return value is None or (column.kind == "ordinal" and value not in column.categories)


@pytest.mark.parametrize("name", [*trees.SMALL, "chain"])
def test_one_rule_holds_with_the_learners_answer(name):
    case = trees.get(name)
    reader, costs = Reader(case.estimator), case.estimator.costs
    lines = [line for line in to_rules(case.estimator).split("\n")[:-1] if line[0] != "#"]
    rules = [reader.read(line) for line in lines]
    for row, answer, bill in zip(case.rows[::2], case.answers[::2], case.bills[::2], strict=True):
        (rule,) = [rule for rule in rules if reader.holds(rule[0], row)]
        assert rule[1] == str(answer)
        if costs is not None:
            assert reader.bill(rule[2], row) == pytest.approx(bill, abs=0.02)


def test_a_rule_for_each_leaf_and_each_unknown_value():
    case = trees.get("krk")
    lines = to_rules(case.estimator).split("\n")[:-1]
    tree = case.estimator.tree_
    assert len(lines) == 2 + tree.n_nodes
    assert sum(" not in (" in line for line in lines) == tree.n_nodes - tree.n_leaves


def test_spans_of_a_column_become_one():
    X, y = [[1], [2], [3]], ["a", "b", "a"]
    assert to_rules(ID3Classifier(Costs([7], unit="EUR")).fit(X, y)) == (
        "IF x0 <= 1.5 THEN a (1 case, 100 %; bill EUR 7)\n"
        "IF 1.5 < x0 <= 2.5 THEN b (1 case, 100 %; bill EUR 7)\n"
        "IF x0 > 2.5 THEN a (1 case, 100 %; bill EUR 7)\n"
        "IF x0 missing THEN a (3 cases, 67 %; bill EUR 0)\n"
    )


def test_names_that_could_be_misread_are_quoted():
    X = pd.DataFrame({"if and": ["or", "a, b", 'c"\n']})
    lines = to_rules(ID3Classifier().fit(X, [0, 1, 2])).split("\n")
    assert lines[0] == r'IF "if and" = "a, b" THEN 1 (1 case, 100 %)'
    assert lines[1] == r'IF "if and" = "c\"\n" THEN 2 (1 case, 100 %)'
    assert lines[2] == r'IF "if and" = "or" THEN 0 (1 case, 100 %)'


def test_a_single_leaf_holds_always():
    assert to_rules(trees.leaf().estimator) == "ALWAYS True (2 cases, 100 %)\n"


def test_only_the_c45_family_says_that_it_needs_complete_cases():
    text = to_rules(trees.get("heart-EG2").estimator)
    assert text.startswith("# Exact for cases without missing values")
    assert MISSING not in text
    assert "#" not in to_rules(trees.get("heart-ACT").estimator)

"""Consultations of fitted models, and their slow twin."""

from __future__ import annotations

from functools import cache

from frugaltree import (
    ACTClassifier,
    C45Classifier,
    Consultation,
    Costs,
    DTMCClassifier,
    EG2Classifier,
    FrugalTreeClassifier,
    Group,
)
from frugaltree.datasets import load, load_costs

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


@cache
def fitted(data, learner):
    X, y = load(data, return_X_y=True)
    return MAKERS[learner](PRICES[data]()).fit(X, y), X


def answered(model, case):
    consultation = Consultation(model)
    for question in consultation:
        consultation.tell(case[question.test])
    return consultation

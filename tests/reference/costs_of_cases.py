"""The slow and obvious twin: what answers cost where every case has costs of its own.

``problem.case_costs`` has a row for each case: what each answer costs. Nothing is added up by
class or kept by kind: every figure goes over the cases, one by one.
"""

from __future__ import annotations

from reference.basics import TOLERANCE, Case, Problem, beats, count, everything, weigh
from reference.c45_trees import expected_error


def regret(problem: Problem, i: int, answer: int) -> float:
    """Return what an answer to a case costs more than the best one for it."""
    costs = problem.case_costs[i]
    return costs[answer] - min(costs)


def cheapest_for(problem: Problem, cases: list[Case]) -> int:
    """Return the answer that costs least; on ties the larger class, then the lower index."""
    answers = range(len(problem.case_costs[0]))
    costs = [sum(w * regret(problem, i, a) for i, w in cases) for a in answers]
    counts, best = count(problem, cases), 0
    for a in answers[1:]:
        slack = TOLERANCE * abs(costs[best])
        tied = abs(costs[a] - costs[best]) <= slack
        if costs[a] < costs[best] - slack or (tied and beats(counts[a], counts[best])):
            best = a
    return best


def errors_of(problem: Problem, answer: int) -> tuple[float, set[int]]:
    """Return the least that an answer costs a case, and the cases that are its errors.

    If it is the best for all cases of its class, the cases of the others are its errors; otherwise
    those for which it costs more than the least.
    """
    all_cases = range(len(problem.rows))
    own = [i for i in all_cases if problem.classes[i] == answer]
    if all(regret(problem, i, answer) == 0 for i in own):
        return 0.0, {i for i in all_cases if problem.classes[i] != answer}
    least = min(regret(problem, i, answer) for i in all_cases)
    return least, {i for i in all_cases if regret(problem, i, answer) > least}


def average_penalty(
    problem: Problem, answer: int, seen: list[Case], kinds: list[int]
) -> float | None:
    """Return what an error costs on average, among those of some classes; None if there are none.

    They are those seen and one more of each class. That one is a case of the class drawn from all
    the training; it is an error as often as these are.
    """
    least, wrong = errors_of(problem, answer)
    total = sum(w for i, w in seen)
    cost = sum(w * (regret(problem, i, answer) - least) for i, w in seen)
    for c in kinds:
        of_class = [(i, w) for i, w in everything(problem) if problem.classes[i] == c]
        for i, w in of_class:
            if i in wrong:
                total += w / weigh(of_class)
                cost += w / weigh(of_class) * (regret(problem, i, answer) - least)
    return cost / total if total else None


def leaf_cost_for(
    problem: Problem,
    cases: list[Case],
    answer: int,
    cf: float = 0.25,
    form: str = "c45",
    penalty: str = "laplace",
) -> float:
    """Return what a leaf will cost, over all its cases, if this is its answer.

    Two sound payments and a fraud of 900; all frauds, of 900 and 100, cost 500 on average. If the
    leaf answers 0, it has seen one error, of 900, and one more is counted.

    >>> from support.small_problems import table
    >>> costs = [[0, 5], [0, 5], [900, 0], [100, 0]]
    >>> problem = table([[0], [0], [0], [1]], [0, 0, 1, 1], case_costs=costs)
    >>> wrongs = expected_error(3, 1, 0.25, "c45")
    >>> leaf_cost_for(problem, [(0, 1), (1, 1), (2, 1)], 0) == wrongs * (900 + 500) / 2
    True
    """
    if form == "training":
        return sum(w * problem.case_costs[i][answer] for i, w in cases)
    sure = sum(w * min(problem.case_costs[i]) for i, w in cases)
    least, wrong = errors_of(problem, answer)
    m, cost = weigh(cases), 0.0
    every = list(range(problem.n_classes))
    for kinds in [every] if penalty == "laplace" else [[c] for c in every]:
        seen = [(i, w) for i, w in cases if i in wrong and problem.classes[i] in kinds]
        mean = average_penalty(problem, answer, seen, kinds)
        if mean is not None:
            cost += expected_error(m, weigh(seen), cf, form) * mean
    return sure + m * least + cost

"""Training and charging several learners on the same folds of a table."""

from __future__ import annotations

import dataclasses
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl
from joblib import Parallel, delayed
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.multiclass import type_of_target

from frugaltree import table as tables
from frugaltree.compare import custom
from frugaltree.compare.comparison import SCHEMA, Comparison
from frugaltree.compare.learners import DEFAULT_LEARNERS, make, parse
from frugaltree.costs import Costs
from frugaltree.exceptions import FrugaltreeError, InvalidTable
from frugaltree.metrics import check_costs
from frugaltree.table.labels import as_labels
from frugaltree.tree.answers import answer_array

N_FOLDS = 10

Codes = npt.NDArray[np.intp]


class Task(NamedTuple):
    """What all fits have in common.

    Attributes
    ----------
    X, columns
        The table, and the names of its columns.
    codes, classes, shares
        The class of each case, by its position among all classes; and how frequent they are.
    costs, answers, matrix
        Prices and error costs; what may be answered; and M[answer, actual] over all of these.
    standard
        The standard cost.
    seed
        Where learners draw.
    """

    X: Any
    columns: list[str]
    codes: Codes
    classes: npt.NDArray[Any]
    shares: npt.NDArray[np.float64]
    costs: Costs
    answers: npt.NDArray[Any]
    matrix: npt.NDArray[np.float64]
    standard: float
    seed: int


class Job(NamedTuple):
    """One learner and one fold.

    Attributes
    ----------
    name, learner
        How the learner is shown; and its name, or an estimator.
    fold, train, test
        The number of the fold, and its training and test cases.
    """

    name: str
    learner: Any
    fold: int
    train: Codes
    test: Codes


def compare(
    X: Any,
    y: Any,
    costs: Costs,
    learners: Sequence[str] | Mapping[str, Any] = DEFAULT_LEARNERS,
    *,
    folds: int = N_FOLDS,
    random_state: int = 0,
    n_jobs: int | None = None,
    console: Console | None = None,
) -> Comparison:
    """Compare learners on a table by stratified cross-validation of the total cost.

    Parameters
    ----------
    X, y
        Cases and their classes, as the learners' ``fit`` takes them.
    costs
        Prices and error costs. Every learner is charged by them, whether it sees them or not.
    learners
        Names such as ``"act"``, ``"act(n_samples=16)"``, ``"c4.5"`` or, for a class of your own,
        ``"module:Class(depth=3)"``; those with a name are in `frugaltree.compare.LEARNERS`. Or a
        mapping from names of your choice to such names or to estimators. A learner of your own
        must be a scikit-learn classifier; without a method ``bill`` it is charged for all tests.
    folds
        Number of folds; every class must have as many cases.
    random_state
        Seed of the shuffling and of the learners that draw.
    n_jobs
        Processes, as joblib takes it: -1 for one per core, None for what is configured.
    console
        Where progress is shown, if anywhere.

    Examples
    --------
    >>> from frugaltree.datasets import load, load_costs
    >>> X, y = load("heart", return_X_y=True)
    >>> costs = load_costs("heart", errors=500, delayed=False)
    >>> found = compare(X, y, costs, ["dtmc", "c4.5"], folds=3)
    >>> [standing.title for standing in found.standings]
    ['DTMC', 'C4.5']
    >>> from sklearn.dummy import DummyClassifier
    >>> own = compare(X, y, costs, {"dtmc": "dtmc", "mine": DummyClassifier()}, folds=3)
    >>> own.standings[1].title, round(own.standings[1].test_cost) == round(costs.total(X.columns))
    ('mine', True)
    """
    chosen = _choose(learners)
    names = list(chosen)
    task = _read_task(X, y, costs, random_state)
    splits = _split(task, folds)
    for name in names:
        _build(name, chosen[name], task.costs, random_state)  # a mistake is told now
    # Fold by fold, so that slow learners and fast ones take turns and the time left is right.
    jobs = [(name, fold) for fold in range(folds) for name in names]
    rows = []
    with _show_progress(console, len(jobs)) as advance:
        work = Parallel(n_jobs, return_as="generator_unordered", batch_size=1)
        scores = (
            delayed(score)(task, Job(name, chosen[name], fold, *splits[fold]))
            for name, fold in jobs
        )
        for row in work(scores):
            rows.append(row)
            advance()
    rows.sort(key=lambda row: (names.index(row[0]), row[1]))
    return Comparison(
        pl.DataFrame(rows, schema=SCHEMA, orient="row"),
        standard_cost=task.standard,
        all_tests=task.costs.total(task.columns),
        guess=float((task.matrix @ task.shares).min()),
        cases=len(task.codes),
        folds=folds,
        seed=random_state,
        unit=costs.unit,
    )


def _choose(learners: Sequence[str] | Mapping[str, Any]) -> dict[str, Any]:
    """Return what to compare, by the name under which it is shown."""
    if isinstance(learners, str):
        raise FrugaltreeError(f"learners must be a list of names, such as [{learners!r}].")
    if not isinstance(learners, Mapping):
        for one in learners:
            if not isinstance(one, str):
                raise FrugaltreeError(
                    f"{type(one).__name__} has no name; give estimators under one, as in "
                    "learners={'mine': estimator}."
                )
        learners = {name: name for name in learners}
    if not learners:
        raise FrugaltreeError("there is no learner to compare; name some, such as 'act'.")
    return dict(learners)


def _build(name: str, learner: Any, costs: Costs, seed: int) -> Any:
    """Return an untrained estimator, given a name of a learner or an estimator."""
    if isinstance(learner, str):
        return make(learner, costs, seed)
    return custom.prepare(custom.check_classifier(learner, name), costs, seed)


def _read_task(X: Any, y: Any, costs: Costs, seed: int) -> Task:
    """Read everything once, so that mistakes show before anything is learned."""
    X, columns = _read_table(X)
    classes, codes = np.unique(_read_labels(y, len(X)), return_inverse=True)
    if classes.size < 2:
        raise InvalidTable(
            f"all cases are of the class {classes.tolist()[0]!r}; there is nothing to compare "
            "with fewer than two classes."
        )
    costs = _add_classes(check_costs(costs), classes)
    _, matrix = costs.resolve(columns, classes.tolist())
    answers = costs.answers(classes.tolist())
    shares = np.bincount(codes) / codes.size
    return Task(
        X=X,
        columns=columns,
        codes=codes,
        classes=classes,
        shares=shares,
        costs=costs,
        matrix=matrix,
        answers=classes if costs.decisions is None else answer_array(answers),
        standard=costs.standard_cost(shares, columns, classes.tolist()),
        seed=seed,
    )


def _read_table(X: Any) -> tuple[Any, list[str]]:
    """Return a table whose rows can be taken, and the names of its columns."""
    frame = tables.checked_frame(X)
    if frame is None:
        X = np.asarray(tables.as_array(X))
        if X.ndim != 2:
            raise InvalidTable(
                f"X must be a table, but has {X.ndim} dimensions; give it a row for each case."
            )
    columns = [f"x{a}" for a in range(X.shape[1])] if frame is None else list(frame.columns)
    tables.read(X, columns)
    return X, columns


def _read_labels(y: Any, n_cases: int) -> npt.NDArray[Any]:
    labels = as_labels(y)
    if len(labels) != n_cases:
        raise InvalidTable(
            f"the table has {n_cases} cases but there are {len(labels)} classes; give one class "
            "per case."
        )
    if type_of_target(labels) not in ("binary", "multiclass"):
        raise InvalidTable(
            f"the classes are numbers with fractions, such as {labels[0]}, which only regression "
            "could tell apart; give text, whole numbers or booleans."
        )
    return labels


def _add_classes(costs: Costs, classes: npt.NDArray[Any]) -> Costs:
    """Return costs whose matrix says what its classes are, for a fold may lack one."""
    decided = (costs.decisions or {}).values()
    by_order = [cost for cost in (costs.errors, *decided) if isinstance(cost, tuple)]
    if costs.classes is not None or not by_order:
        return costs
    kept = {field.name: getattr(costs, field.name) for field in dataclasses.fields(costs)}
    return Costs(**{**kept, "classes": costs.error_classes(classes.tolist())})


def _split(task: Task, folds: int) -> list[tuple[Codes, Codes]]:
    """Return training and test cases of each fold, every class in all of them."""
    if not isinstance(folds, int) or folds < 2:
        raise FrugaltreeError(f"folds must be a whole number of at least 2, not {folds!r}.")
    counts = np.bincount(task.codes)
    rare = int(counts.argmin())
    if counts[rare] < folds:
        fewer = f"set folds to at most {counts[rare]}, or " if counts[rare] > 1 else ""
        raise InvalidTable(
            f"class {task.classes.tolist()[rare]!r} has {counts[rare]} of {counts.sum()} cases, "
            f"too few for {folds} folds; {fewer}merge the class with another or drop it."
        )
    folding = StratifiedKFold(folds, shuffle=True, random_state=task.seed)
    return list(folding.split(np.zeros(len(task.codes)), task.codes))


def score(task: Task, job: Job) -> tuple[Any, ...]:
    """Train a learner on a fold and return a row of scores."""
    model = _build(job.name, job.learner, task.costs, task.seed + job.fold)
    own = not isinstance(job.learner, str) or custom.is_custom(parse(job.learner)[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            answers, test_cost, seconds = _train_and_test(task, job, model)
        except Exception as error:
            if not own:
                raise
            raise FrugaltreeError(
                f"{job.name} failed on fold {job.fold} ({custom.describe(error)}); a learner of "
                "your own is given the table as it is, so let it encode text and fill gaps."
            ) from error
    actual = task.codes[job.test]
    error_cost = float(task.matrix[answers, actual].mean())
    total = test_cost + error_cost
    percent = 100 * total / task.standard if task.standard > 0 else 0.0
    accuracy = 100 * float(np.mean(task.answers[answers] == task.classes[actual]))
    costs = test_cost, error_cost, total, percent
    return job.name, job.fold, len(job.test), *costs, accuracy, seconds


def _train_and_test(task: Task, job: Job, model: Any) -> tuple[Codes, float, float]:
    """Return the answers for the test cases, what their tests cost, and the time to train."""
    X = task.X
    if not hasattr(model, "costs"):  # nobody tells it which tests cannot be taken
        usable = np.flatnonzero(task.costs.prices(task.columns).usable)
        X = _take_columns(X, usable) if usable.size < len(task.columns) else X
    begun = time.process_time()
    model.fit(_rows(X, job.train), task.classes[task.codes[job.train]])
    seconds = time.process_time() - begun
    cases = _rows(X, job.test)
    predicted = np.asarray(model.predict(cases))
    answers = _find_answers(task, predicted)
    bills = custom.bill_cases(model, cases, task.costs, task.columns)
    return answers, float(np.mean(bills)), seconds


def _find_answers(task: Task, predicted: npt.NDArray[Any]) -> Codes:
    """Return the positions of what was answered."""
    if task.costs.decisions is not None:
        place = {answer: i for i, answer in enumerate(task.answers.tolist())}
        for answer in predicted.tolist():
            if answer not in place:
                raise ValueError(f"it predicts {answer!r}, which has no cost as an answer")
        return np.array([place[answer] for answer in predicted.tolist()], np.intp)
    answers = np.searchsorted(task.classes, predicted)
    known = np.minimum(answers, task.classes.size - 1)
    if (strange := predicted[task.classes[known] != predicted]).size:
        raise ValueError(f"it predicts {strange.tolist()[0]!r}, which is no class of the table")
    return answers


def _take_columns(X: Any, where: Codes) -> Any:
    frame = tables.frame_of(X)
    return X[:, where] if frame is None else frame[:, where.tolist()].to_native()


def _rows(X: Any, where: Codes) -> Any:
    frame = tables.frame_of(X)
    return X[where] if frame is None else frame[where, :].to_native()


@contextmanager
def _show_progress(console: Console | None, total: int) -> Iterator[Callable[[], None]]:
    """Show how far the work is and how long it will take; yield what counts a fit."""
    if console is None:
        yield lambda: None
        return
    bar = Progress(
        TextColumn("fits"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(elapsed_when_finished=True),
        console=console,
        transient=True,
    )
    with bar:
        task = bar.add_task("fits", total=total)
        yield lambda: bar.advance(task)

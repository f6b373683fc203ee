"""What may be answered at these costs, and what each answer costs for each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from reprlib import repr as shortened
from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt

from frugaltree.costs.checks import Label, plain_label
from frugaltree.costs.decisions import (
    Decisions,
    are_all_answers,
    check_not_class,
    classes_of_decisions,
    decision_costs,
)
from frugaltree.costs.errors import (
    ErrorCosts,
    alike,
    classes_of,
    error_matrix,
    find_answer,
    find_class,
    in_order,
)
from frugaltree.exceptions import InvalidCosts

Matrix = npt.NDArray[np.float64]


class AnswerCosts:
    """The part of `Costs` that is about answers."""

    errors: ErrorCosts | None
    classes: tuple[Label, ...] | None
    decisions: Decisions | None

    def by_order(self) -> Self:
        """Return the same costs with errors as a matrix, in the order of the sorted classes.

        For tools of scikit-learn that number the classes before they fit, such as
        ``BaggingClassifier`` and ``cross_val_predict(method="predict_proba")``: a matrix without
        classes is read by the order of whatever classes the table has, names or their numbers.
        All classes must then occur in every table to be learned from.

        >>> from frugaltree import Costs
        >>> named = Costs(errors={("well", "ill"): 900, ("ill", "well"): 100})
        >>> named.by_order()
        Costs(errors=[[0.0, 100.0], [900.0, 0.0]])
        """
        known = self._known_classes()
        if known is None:
            return self
        known = in_order(known)
        changes: dict[str, Any] = {"classes": None}
        if not are_all_answers(self.errors, self.decisions):
            changes["errors"] = self.matrix(known).tolist()
        if self.decisions is not None:
            rows = decision_costs(self.decisions, known).tolist()
            changes["decisions"] = {
                name: row if isinstance(cost, dict | tuple) else cost
                for (name, cost), row in zip(self.decisions.items(), rows, strict=True)
            }
        return cast(Self, replace(cast(Any, self), **changes))

    def _known_classes(self) -> tuple[Label, ...] | None:
        """Return the classes that have costs by name, None where the table decides."""
        known = classes_of(self.errors, self.classes)
        if known is None and not isinstance(self.errors, tuple):
            known = classes_of_decisions(self.decisions)
        return known

    @property
    def decides_only(self) -> bool:
        """Whether only decisions are answers, and no classes."""
        return are_all_answers(self.errors, self.decisions)

    def answers(self, classes: Sequence[Any] | None = None) -> tuple[Label, ...]:
        """Return all answers for a table of these classes, or of all that have costs.

        >>> from frugaltree import Costs
        >>> Costs(errors=100, decisions={"refer": 60}).answers(["ill", "well"])
        ('ill', 'well', 'refer')
        """
        known = self.error_classes() if classes is None else classes
        plain = tuple(plain_label(label) for label in known)
        return (*(() if self.decides_only else plain), *(self.decisions or ()))

    def answer_costs(
        self, classes: Sequence[Any] | None = None, answers: Sequence[Any] | None = None
    ) -> Matrix:
        """Return what each answer costs for each class.

        Parameters
        ----------
        classes
            The classes of a table; None for all that have costs.
        answers
            The answers, in order; None for all of :meth:`answers`.

        Examples
        --------
        >>> from frugaltree import Costs
        >>> costs = Costs(errors=[[0, 400], [90, 0]], decisions={"refer": 60})
        >>> costs.answer_costs(["ill", "well"])
        array([[  0., 400.],
               [ 90.,   0.],
               [ 60.,  60.]])
        >>> costs.answer_costs(["ill", "well"], ["refer", "ill"])
        array([[ 60.,  60.],
               [  0., 400.]])
        """
        if self.decisions is None and answers is None:
            return self.matrix(classes)
        shown = self.error_classes() if classes is None else classes
        found = self._all_answer_costs(shown)
        if answers is None:
            return found
        known = self.answers(shown)
        return found[[find_answer(plain_label(answer), known) for answer in answers]]

    def _all_answer_costs(self, classes: Sequence[Any]) -> Matrix:
        if self.decisions is None:
            return self.matrix(classes)
        known = self.error_classes(classes)
        for name in self.decisions:
            check_not_class(name, known)
        where = [find_class(plain_label(label), known) for label in classes]
        decided = decision_costs(self.decisions, known).take(where, axis=1)
        return decided if self.decides_only else np.vstack([self.matrix(classes), decided])

    def error_classes(self, classes: Sequence[Any] | None = None) -> tuple[Label, ...]:
        """Return all classes whose errors have a cost, in the order of the whole matrix.

        Parameters
        ----------
        classes
            The classes of a table. They must be among those of this list, which come back in the
            table's type (a file may say ``"1"`` where the table says 1). Where this list leaves
            the classes to the table, they are the answer.

        Examples
        --------
        >>> from frugaltree import Costs
        >>> Costs(errors=5, classes=["0", "1", "2"]).error_classes([0, 1])
        (0, 1, 2)
        """
        given = None if classes is None else tuple(plain_label(label) for label in classes)
        known = self._known_classes()
        if known is None:
            return self._table_classes(given)
        if not given:
            return known
        for label in given:
            find_class(label, known)
        return tuple(alike(label, given[0]) for label in known)

    def _table_classes(self, given: tuple[Label, ...] | None) -> tuple[Label, ...]:
        """Return the classes of the table, where nothing else says what the classes are."""
        if given is None:
            raise InvalidCosts(
                "these costs do not say what the classes are; pass them, or make the costs with "
                "classes=[...]."
            )
        lists = [cost for cost in (self.decisions or {}).values() if isinstance(cost, tuple)]
        by_order = self.errors if isinstance(self.errors, tuple) else lists[0] if lists else None
        if by_order is None:
            return given
        if len(by_order) != len(given):
            what = "error matrix" if by_order is self.errors else "list of a decision's costs"
            raise InvalidCosts(
                f"the {what} has {len(by_order)} classes, but the table has "
                f"{len(given)}: {shortened(list(given))}; name the classes of the matrix with "
                "classes=[...]."
            )
        return in_order(given)

    def matrix(self, classes: Sequence[Any] | None = None) -> Matrix:
        """Return M[predicted, actual] for ``classes``, or for all classes that have costs.

        :meth:`answer_costs` has decisions, too.

        >>> from frugaltree import Costs
        >>> Costs(errors={("no", "yes"): 9, ("yes", "no"): 4}).matrix(["yes", "no"])
        array([[0., 4.],
               [9., 0.]])
        """
        if self.decides_only:
            raise InvalidCosts(
                "these costs have decisions only, no errors between classes; take answer_costs, "
                "or give errors."
            )
        if classes is None:
            known = () if isinstance(self.errors, tuple) else self.error_classes()
            return error_matrix(self.errors, known)
        known = self.error_classes(classes)
        where = [find_class(plain_label(label), known) for label in classes]
        return error_matrix(self.errors, known)[np.ix_(where, where)]

    def error_cost(self, predicted: Any, actual: Any) -> float:
        """Return what an answer costs, a class or a decision, when the truth is a class.

        >>> from frugaltree import Costs
        >>> Costs(errors=100).error_cost("healthy", "sick")
        100.0
        >>> Costs(errors=100, decisions={"refer": 60}).error_cost("refer", "sick")
        60.0
        """
        if self.decisions is not None and (self.decides_only or predicted in self.decisions):
            known = self._known_classes()
            shown = [actual] if known is None else known
            costs = self.answer_costs(shown, [predicted])
            return float(costs[0, find_class(plain_label(actual), shown)])
        return float(self.matrix([predicted, actual])[0, 1])

    def _whole_matrix(self) -> Matrix:
        """Return the whole matrix; any two classes will do where all errors cost the same."""
        uniform = self.classes is None and not isinstance(self.errors, tuple | dict)
        return error_matrix(self.errors, (0, 1)) if uniform else self.matrix()

"""A model as the page and as Python put it: what is asked, charged, noted and said of nodes."""

from __future__ import annotations

from frugaltree import Consultation
from frugaltree.tree.answers import costs_of_answers
from frugaltree.tree.text import View, charges_of

OTHER = "another value"


def by_python(model, case):
    """Return questions, prices, answer and bill of a case, as Python asks it."""
    consultation, asked = Consultation(model), []
    names = [column.name for column in model.tree_.columns]
    for question in consultation:
        test = names.index(question.test)
        code, how = case[test]
        column = model.tree_.columns[test]
        why = None if question.why is None else question.why.saving
        asked.append([question.test, question.price, list(question.orders), why])
        if how == "unmeasured":
            consultation.cannot_measure()
            continue
        value = code if column.kind == "numeric" else column.categories[code]
        if how == "known":
            consultation.know(**{question.test: value})
        else:
            consultation.tell(value)
    answer = consultation.answer
    return {
        "asked": asked,
        "answer": str(answer.label),
        "bill": consultation.bill,
        "evidence": [
            answer.probability,
            answer.share,
            answer.cases,
            answer.low,
            answer.high,
            answer.cost,
        ],
        "reason": answer.reason,
    }


IN_THE_PAGE = """(cases) => cases.map((given) => {
  const one = new Consultation(guide), asked = [];
  for (let question = one.question; question; question = one.question) {
    const { why } = question;
    const saving = why && why.stopping - why.tests - why.errors;
    asked.push([question.name, question.price, question.orders, saving]);
    one.tell(question.test, ...given[question.test]);
  }
  const { label, probability, share, cases, low, high, cost, reason } = one.answer;
  const evidence = [probability, share, cases, low, high, cost];
  return { asked, answer: label, bill: one.bill, evidence, reason: reason && worded(reason) };
})"""


def told_in_python(model, case):
    """Return the consultation of a case, and what was still to come at each question."""
    consultation, to_come = Consultation(model), []
    names = [column.name for column in model.tree_.columns]
    for question in consultation:
        code, how = case[names.index(question.test)]
        to_come.append(list(consultation.still_to_come))
        if how == "unmeasured":
            consultation.cannot_measure()
            continue
        value = code
        if question.kind != "numeric":
            value = OTHER if code is None or code < 0 else question.values[code]
        act = consultation.know if how == "known" else consultation.tell
        act(**{question.test: value})
    return consultation, to_come


TOLD_IN_THE_PAGE = """(cases) => cases.map((given) => {
  const one = new Consultation(guide), toCome = [];
  for (let question = one.question; question; question = one.question) {
    toCome.push(one.stillToCome);
    one.tell(question.test, ...given[question.test]);
  }
  const answers = one.answers;
  for (const told of answers) told.value &&= worded(told.value);
  return { notes: one.notes.map(worded), answers, toCome, share: one.answer.share };
})"""


SAID = """() => guide.test.map((_, node) => ({
  box: view.says.box(node), line: view.says.line(node),
  condition: guide.conditions[node] && worded(guide.conditions[node]),
  bill: view.says.charges[node].bill, charge: view.says.charges[node].charge,
}))"""


def words_of(model):
    """Return what the text of a tree says of each node: below its name, and in a line."""
    tree = model.tree_
    errors = costs_of_answers(tree, model.costs)
    view = View(tree, charges_of(tree, model._prices()), model.costs.unit, None, errors)
    found = []
    for node in range(tree.n_nodes):
        leaf, verdict = tree.is_leaf(node), view.verdict(node)
        box = verdict.in_box if leaf else view.in_box(node)
        found.append((box, verdict.line if leaf else view.question(node)))
    return found

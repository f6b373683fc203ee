"use strict";

/* A consultation as the record that Consultation.record writes in Python, and from one. */

const RECORD = { format: "frugaltree consultation", version: 1 };

/* A record is in English, whatever the page speaks, so that all programs write the same. */
function inEnglish(phrases) {
  const chosen = language;
  language = "en";
  try { return phrases.map(worded); } finally { language = chosen; }
}

/* What a user's table has for a value or an answer that the page shows as text. */
function plain(shown, texts, values) { return values && texts.includes(shown) ? values[texts.indexOf(shown)] : shown; }

function recordOf(consultation) {
  const { guide, state, answer, decision } = consultation, { answers, classes } = guide, { learner, digest, prices, version } = data.record;
  const label = (shown) => (shown === null ? null : plain(shown, [...answers, ...classes], guide.plain && [...guide.plain.answers, ...guide.plain.classes]));
  const value = (test, fact) => {
    const { kind, values, plain: known } = guide.columns[test];
    if (fact.how === "unmeasured") return null;
    if (kind === "numeric") return fact.code;
    return fact.code === null || fact.code < 0 ? (fact.said ?? inEnglish([OTHER])[0]) : plain(values[fact.code], values, known);
  };
  const told = state.batches.flatMap((batch, i) => Object.entries(batch).map(([test, fact]) => {
    const charges = state.charges.filter((charge) => charge.test === Number(test));
    return {
      step: i + 1, test: guide.columns[test].name, value: value(test, fact), how: fact.how,
      price: charges.reduce((sum, charge) => sum + charge.price, 0),
      paid_for: charges.flatMap((charge) => charge.tests.map((paid) => guide.columns[paid].name)), at: fact.at,
    };
  }));
  return {
    ...RECORD, frugaltree: version, model: { learner, digest }, prices, began: consultation.began, recorded: now(),
    answers: told, bill: consultation.bill,
    model_answer: {
      label: label(answer.label), probability: answer.probability, cases: answer.cases, low: answer.low, high: answer.high, weak: answer.weak,
      cost: answer.cost, share: answer.share, reason: answer.reason === null ? null : inEnglish([answer.reason])[0], of: label(answer.of ?? answer.label),
    },
    stopped: state.stopped,
    overrides: state.overrides.map((own) => ({ label: label(own.label), instead_of: label(own.instead), reason: own.reason, at: own.at })),
    notes: inEnglish(state.notes), final_answer: label(decision),
  };
}

/* Why a file is no record of this model, as a phrase; null where it is one. */
function refusalOf(record) {
  if (record?.format !== RECORD.format || !Array.isArray(record.answers)) return ["load.no-record", {}];
  if (record.version !== RECORD.version) return ["load.version", { version: String(record.version) }];
  if (record.model?.digest !== data.record.digest) return ["load.other-model", {}];
  return null;
}

/* The consultation that a record tells of; an error where it does not lead to its bill. */
function fromRecord(guide, record) {
  const consultation = new Consultation(guide), steps = new Map();
  const names = guide.columns.map((column) => column.name);
  record.answers.forEach((one, i) => {
    const test = names.indexOf(one.test), { kind, values, plain: known } = guide.columns[test], at = (known ?? values).indexOf(one.value);
    const isOdd = kind !== "numeric" && at < 0, code = kind === "numeric" ? one.value : isOdd ? (kind === "ordinal" ? null : -1) : at;
    const fact = { code: one.how === "unmeasured" ? null : code, how: one.how, at: one.at, ...(isOdd && one.value !== null ? { said: String(one.value) } : {}) };
    const step = one.step ?? -i;
    steps.set(step, { ...steps.get(step), [test]: fact });
  });
  for (const batch of steps.values()) consultation.tellAll(batch);
  if (record.stopped) consultation.stop();
  for (const own of record.overrides ?? []) consultation.override(String(own.label), own.reason, own.at);
  if (!(Math.abs(consultation.bill - record.bill) <= 1e-9 * Math.max(1, Math.abs(record.bill)))) throw new Error("another bill");
  consultation.began = record.began;
  return consultation;
}

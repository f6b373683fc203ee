"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

const words = {
  /* Halves go to the even neighbour, as Python writes them. */
  rounded(number, least, most) {
    return number.toLocaleString("en-US", { minimumFractionDigits: least, maximumFractionDigits: most, roundingMode: "halfEven" });
  },
  money(amount) {
    const small = amount > 0 && amount < 0.005;
    const text = small ? String(Number(amount.toPrecision(2))) : words.rounded(amount, 2, 2);
    if (!data.unit) return text;
    return /\p{Ll}/u.test(data.unit) ? `${text} ${data.unit}` : `${data.unit} ${text}`;
  },
  percent(share) {
    if (share > 0 && share < 0.01) return "<1 %";
    if (share > 0.99 && share < 1) return ">99 %";
    return `${words.rounded(100 * share, 0, 0)} %`;
  },
  cases(weight) {
    const text = words.rounded(weight, 0, 1);
    return text === "1" ? "1 case" : `${text} cases`;
  },
};

const guide = new Guide(data.model);

const view = new TreeView(guide, byId("tree"), byId("details"), words);
new Paper(view);
byId("larger").addEventListener("click", () => view.zoom(1.25));
byId("smaller").addEventListener("click", () => view.zoom(0.8));
byId("open-all").addEventListener("click", () => view.openAll());
byId("close-all").addEventListener("click", () => view.closeAll());

function find(act) {
  act();
  const n = view.hits.length;
  byId("hits").textContent = n ? `${view.hit + 1} of ${n}` : byId("search").value.trim() && "none found";
  for (const id of ["previous", "next"]) byId(id).disabled = n < 2;
}
byId("search").addEventListener("input", () => find(() => view.search(byId("search").value)));
byId("search").addEventListener("keydown", (event) => { if (event.key === "Enter") find(() => view.nextHit(event.shiftKey ? -1 : 1)); });
byId("previous").addEventListener("click", () => find(() => view.nextHit(-1)));
byId("next").addEventListener("click", () => find(() => view.nextHit(1)));

/* ------------------------------------------------------------------ consultation */

let consultation = new Consultation(guide);

function element(kind, text, more = {}) {
  const made = document.createElement(kind);
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(more)) made.setAttribute(key, value);
  return made;
}

function button(text, act, more) {
  const made = element("button", text, { type: "button", ...more });
  made.addEventListener("click", act);
  return made;
}

function step(act) { act(); show(true); }

function how() { return byId("known")?.checked ? "known" : "told"; }

/* On some phones the keys for decimals have no minus, so they are left to tests without one. */
function keysFor({ range, threshold }) { return Math.min(threshold, range ? range[0] : 0) < 0 ? "text" : "decimal"; }

function askNumber(question) {
  const form = element("form"), id = "value", doubt = element("div", undefined, { id: "doubt", role: "alert" });
  const field = element("input", undefined, { id, type: "text", inputmode: keysFor(question), autocomplete: "off", "aria-describedby": "doubt" });
  const take = (value) => step(() => consultation.tell(question.test, value, how()));
  const say = (sentence, ...more) => {
    doubt.replaceChildren(element("p", sentence), ...more);
    field.setAttribute("aria-invalid", "true");
  };
  const clear = () => { doubt.replaceChildren(); field.removeAttribute("aria-invalid"); };
  const confirm = (value, outside) => {
    const row = element("div", undefined, { class: "choices" });
    row.append(button(`yes, take ${shortNumber(value)}`, () => take(value)), button("correct it", () => { clear(); field.focus(); field.select(); }));
    say(`${outside}. Is that right?`, row);
  };
  form.append(element("label", `${question.name}: `, { for: id }), field, element("button", "tell"));
  field.addEventListener("input", clear);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const { value, refusal } = readNumber(field.value), outside = refusal ? null : guide.sayOutside(question.test, value);
    if (refusal) say(refusal);
    else if (outside) confirm(value, outside);
    else take(value);
  });
  if (question.threshold === undefined) return [form, doubt]; // prices depend on it, no branch
  const cut = element("p", `What matters is whether it is above ${shortNumber(question.threshold)}.`, { class: "why" });
  return [form, doubt, cut];
}

function askValue(question) {
  const list = element("div", undefined, { class: "choices" });
  question.values.forEach((value, code) => list.append(button(value, () => step(() => consultation.tell(question.test, code, how())))));
  const other = question.kind === "ordinal" ? null : -1; // which side of a cut it is on is not known
  list.append(button("another value", () => step(() => consultation.tell(question.test, other, how())), { class: "quiet" }));
  return [list];
}

function asked(question) {
  const parts = [];
  const price = question.price === 0 ? (question.isPaid ? "already paid" : "free") : words.money(question.price);
  if (question.delayed && question.orders.length > 1) {
    parts.push(element("h3", `Order ${question.orders.join(" + ")} now: ${price}; results come later. First: ${question.name}`));
  } else {
    parts.push(element("h3", `${question.name}? (${price})`));
  }
  if (question.why) {
    const { stopping, tests, errors } = question.why, saving = stopping - tests - errors;
    const verdict = saving < 0 ? `going on costs ${words.money(-saving)} more than stopping` : `going on saves ${words.money(saving)}`;
    parts.push(element("p", `On average ${verdict}: to stop here costs ${words.money(stopping)} in errors, to go on ${words.money(tests)} for tests and ${words.money(errors)} in errors.`, { class: "why" }));
  } else {
    parts.push(element("p", "What going on saves is not known where several branches are followed, or possible, because a value is missing.", { class: "why" }));
  }
  parts.push(...(question.kind === "numeric" ? askNumber(question) : askValue(question)));
  const known = element("label", undefined, { class: "known" });
  known.append(element("input", undefined, { type: "checkbox", id: "known" }), " known already, so free");
  parts.push(known);
  const row = element("div", undefined, { class: "choices" });
  row.append(
    button("cannot be measured", () => step(() => consultation.tell(question.test, null, "unmeasured")), { class: "quiet" }),
    button("stop and answer now", () => step(() => consultation.stop()), { class: "quiet" }),
  );
  parts.push(row);
  return parts;
}

function listed(id, lines) {
  const list = element("ul", undefined, { id });
  list.append(...lines.map((line) => element("li", line)));
  return list;
}

function given({ name, value, how, price, paidFor, isPaid }) {
  if (how === "unmeasured") return `${name}: cannot be measured`;
  const order = paidFor.length > 1 ? ` for ${paidFor.join(" + ")}` : "";
  const paid = paidFor.length ? (price ? words.money(price) + order : "free") : isPaid ? "already paid" : "free";
  return `${name}: ${value}, ${how === "known" ? "known already" : paid}`;
}

function ownAnswer() {
  const form = element("form"), box = element("details", undefined, { id: "own" }), known = element("datalist", undefined, { id: "own-known" });
  const label = element("input", undefined, { id: "own-label", list: "own-known", required: "", autocomplete: "off" });
  const reason = element("input", undefined, { id: "own-reason", autocomplete: "off" });
  known.append(...guide.answers.map((name) => element("option", undefined, { value: name })));
  form.append(element("label", "Answer", { for: "own-label" }), label, known, element("label", "Why (may stay empty)", { for: "own-reason" }), reason, element("button", "give this answer"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (label.value.trim()) step(() => consultation.override(label.value.trim(), reason.value.trim()));
  });
  box.append(element("summary", "Give an answer of your own"), form);
  return box;
}

function show(moved = false) {
  const { question, answer, decision, stillToCome, state, notes, answers } = consultation, box = byId("consultation"), isOwn = state.overrides.length > 0;
  const likely = words.percent(answer.probability) === words.percent(answer.share) ? "" : `${words.percent(answer.probability)} likely, `;
  const evidence = `${answer.label}${because(answer.reason)}, ${likely}${answer.of === null ? "right for" : `${answer.of}:`} ${words.percent(answer.share)} of ${words.cases(answer.cases)} like this (95 % interval ${words.percent(answer.low)} to ${words.percent(answer.high)})${answer.weak ? ", weak evidence" : ""}`;
  const parts = question ? asked(question) : [element("h3", `Answer: ${decision}`)];
  parts.push(element("p", `${question ? "Answer so far" : isOwn ? "A person's own answer; the tree's" : "Evidence"}: ${evidence}.`, { id: "answer" }));
  const [least, most] = stillToCome.map(words.money), toCome = `Still to come: ${least === most ? least : `${least} to ${most}`}. `;
  parts.push(element("p", `Bill${question ? " so far" : ""}: ${words.money(consultation.bill)}. ${question ? toCome : ""}${question ? "Stopping now" : isOwn ? "The tree's answer" : "This answer"} is expected to cost ${words.money(answer.cost)} in errors.`, { id: "bill" }));
  if (notes.length) parts.push(element("h4", "Notes"), listed("notes", notes));
  if (answers.length) parts.push(element("h4", "Told so far"), listed("given", answers.map(given)));
  parts.push(ownAnswer());
  const row = element("div", undefined, { class: "choices" });
  if (consultation.states.length > 1) {
    row.append(button("take back", () => step(() => consultation.undo()), { class: "quiet" }), button("start again", () => step(() => { consultation = new Consultation(guide); }), { class: "quiet" }));
  }
  parts.push(row);
  box.replaceChildren(...parts);
  if (moved) view.highlight([...consultation.state.done, ...consultation.state.pending].map((front) => front.node));
  if (moved) (box.querySelector("#value, .choices button") || box).focus();
}

show();

/* ------------------------------------------------------------------------ curves */

const costs = `expected cost per case${data.unit ? `, ${data.unit}` : ""}`;
if (byId("sensitivity")) {
  const s = data.sensitivity;
  const gains = [s.tree, s.guess, ...Object.values(s.others)].some((values) => values.some((value) => value < 0));
  chart(byId("sensitivity"), { x: s.factors, logX: true, logY: !gains, mark: 1, up: costs, across: "error costs, times those of the price list", lines: [
    { name: "this tree", values: s.tree, kind: "k0" },
    { name: `always answer ${s.answer}`, values: s.guess, kind: "k1" },
    { name: "all tests, if they told everything", values: s.everything, kind: "k2" },
    ...Object.entries(s.others).map(([name, values], i) => ({ name, values, kind: `k${3 + (i % 3)}` })),
  ] });
}
if (byId("history") && data.history) {
  const h = data.history, lines = [{ name: "best tree", values: h.costs, kind: "k0" }];
  if (h.bounds) lines.push({ name: "no tree costs less", values: h.bounds, kind: "k1" });
  chart(byId("history"), { x: h.seconds, steps: true, up: costs, across: "seconds", lines });
}

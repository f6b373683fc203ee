"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

const words = {
  money(amount) {
    const small = amount > 0 && amount < 0.005;
    const text = small ? String(Number(amount.toPrecision(2))) : amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
    if (!data.unit) return text;
    return /\p{Ll}/u.test(data.unit) ? `${text} ${data.unit}` : `${data.unit} ${text}`;
  },
  percent(share) {
    if (share > 0 && share < 0.01) return "<1 %";
    if (share > 0.99 && share < 1) return ">99 %";
    return `${(100 * share).toFixed(0)} %`;
  },
  cases(weight) {
    const text = weight.toLocaleString("en-US", { minimumFractionDigits: 0, maximumFractionDigits: 1 });
    return text === "1" ? "1 case" : `${text} cases`;
  },
};

const guide = new Guide({ ...data.model, branches_text: data.model.branches });
guide.branches = Guide.prototype.branches;

const view = new TreeView(guide, byId("tree"), words);
byId("larger").addEventListener("click", () => view.zoom(1.25));
byId("smaller").addEventListener("click", () => view.zoom(0.8));
byId("open-all").addEventListener("click", () => view.openAll());
byId("close-all").addEventListener("click", () => view.closeAll());
byId("search").addEventListener("input", (event) => {
  const n = view.search(event.target.value);
  byId("hits").textContent = event.target.value.trim() ? `${n} found` : "";
});

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

function askNumber(question) {
  const form = element("form"), id = "value";
  form.append(element("label", `${question.name}: `, { for: id }), element("input", undefined, { id, type: "number", step: "any", required: "", autocomplete: "off" }), element("button", "tell"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const value = Number(byId(id).value);
    if (byId(id).value !== "" && Number.isFinite(value)) step(() => consultation.tell(question.test, value, how()));
  });
  const cut = element("p", `What matters is whether it is above ${Number(question.threshold.toPrecision(10))}.`, { class: "why" });
  return [form, cut];
}

function askValue(question) {
  const list = element("div", undefined, { class: "choices" });
  question.values.forEach((value, code) => list.append(button(value, () => step(() => consultation.tell(question.test, code, how())))));
  list.append(button("another value", () => step(() => consultation.tell(question.test, -1, how())), { class: "quiet" }));
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

function show(moved = false) {
  const question = consultation.question, answer = consultation.answer, box = byId("consultation");
  const evidence = `${answer.label}, ${words.percent(answer.share)} of ${words.cases(answer.cases)} (95 % interval ${words.percent(answer.low)} to ${words.percent(answer.high)})${answer.weak ? ", weak evidence" : ""}`;
  const parts = question ? asked(question) : [element("h3", `Answer: ${answer.label}`)];
  parts.push(element("p", `${question ? "Answer so far" : "Evidence"}: ${evidence}.`, { id: "answer" }));
  parts.push(element("p", `Bill${question ? " so far" : ""}: ${words.money(consultation.bill)}. ${question ? "Stopping now" : "This answer"} is expected to cost ${words.money(answer.cost)} in errors.`, { id: "bill" }));
  const row = element("div", undefined, { class: "choices" });
  if (consultation.states.length > 1) {
    row.append(button("take back", () => step(() => consultation.undo()), { class: "quiet" }), button("start again", () => step(() => { consultation = new Consultation(guide); }), { class: "quiet" }));
  }
  parts.push(row);
  box.replaceChildren(...parts);
  if (moved) view.highlight([...consultation.state.done, ...consultation.state.pending].map((front) => front.node));
  if (moved) (box.querySelector("input[type=number], .choices button") || box).focus();
}

show();

/* ------------------------------------------------------------------------ curves */

if (byId("sensitivity")) {
  const s = data.sensitivity;
  chart(byId("sensitivity"), { x: s.factors, logX: true, logY: true, mark: 1, label: "error costs, times those of the price list", lines: [
    { name: "this tree", values: s.tree, kind: "k0" },
    { name: `always answer ${s.answer}`, values: s.guess, kind: "k1" },
    { name: "all tests, if they told everything", values: s.everything, kind: "k2" },
    ...Object.entries(s.others).map(([name, values], i) => ({ name, values, kind: `k${3 + (i % 3)}` })),
  ] });
}
if (byId("history") && data.history) {
  const h = data.history, lines = [{ name: "best tree", values: h.costs, kind: "k0" }];
  if (h.bounds) lines.push({ name: "no tree costs less", values: h.bounds, kind: "k1" });
  chart(byId("history"), { x: h.seconds, steps: true, label: "seconds", lines });
}

"use strict";

/* A case on the page: the answer so far, the question, and what was told; kept until the window is
   closed, to be printed, saved and loaded as a record. */

class CaseView {
  constructor(guide, view) {
    Object.assign(this, { guide, view, colours: view.colours, key: `frugaltree case ${data.record.digest}` });
    this.consultation = this.remembered() ?? new Consultation(guide);
    byId("case-print").addEventListener("click", () => this.print());
    byId("case-save").addEventListener("click", () => this.save());
    byId("case-load").addEventListener("click", () => byId("case-file").click());
    byId("case-file").addEventListener("change", () => this.load());
    addEventListener("afterprint", () => document.body.classList.remove("case"));
    listeners.push(() => this.show());
  }

  /* --------------------------------------------------------------- kept and saved */

  remembered() {
    const text = kept.get(this.key);
    if (!text) return null;
    try { return fromRecord(this.guide, JSON.parse(text)); } catch { return null; }
  }

  async load() {
    const [file] = byId("case-file").files, said = byId("case-said");
    byId("case-file").value = "";
    let found, refusal = ["load.no-record", {}];
    try {
      const record = JSON.parse(await file.text());
      refusal = refusalOf(record);
      if (!refusal) found = fromRecord(this.guide, record);
    } catch { refusal ??= ["load.damaged", {}]; }
    said.textContent = refusal ? worded(refusal) : say("load.done", { file: file.name });
    if (found) this.step(() => { this.consultation = found; });
  }

  save() {
    const text = `${JSON.stringify(recordOf(this.consultation), null, 2)}\n`, link = element("a", undefined, { download: say("case.file") });
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.click();
    URL.revokeObjectURL(link.href);
  }

  print() {
    byId("sheet").replaceChildren(...this.sheet());
    document.body.classList.add("case");
    window.print();
  }

  /* The record as a sheet of paper. */
  sheet() {
    const { consultation, guide } = this, record = recordOf(consultation), { notes, answers, state } = consultation;
    const date = (text) => new Date(text).toLocaleString(language, { dateStyle: "long", timeStyle: "short" });
    const parts = [element("h2", document.title), element("p", say("sheet.when", { began: date(record.began), recorded: date(record.recorded) }))];
    parts.push(element("p", this.headLine(), { class: "big" }), element("p", this.evidence()), element("p", this.costLine()));
    if (answers.length) parts.push(element("h3", say("case.told")), list(undefined, answers.map(given)));
    if (notes.length) parts.push(element("h3", say("case.notes")), list(undefined, notes.map(worded)));
    if (consultation.isOpen) parts.push(element("p", say("sheet.open")));
    const { source, date: priced } = record.prices;
    if (source || priced) parts.push(element("p", [source && say("about.source", { source }), priced && say("about.date", { date: priced })].filter(Boolean).join(" ")));
    parts.push(element("p", say("sheet.model", { learner: record.model.learner, digest: record.model.digest.slice(7, 23), version: record.frugaltree }), { class: "why" }));
    parts.push(element("p", state.overrides.length ? say("sheet.signed-own") : say("sheet.signed"), { class: "signed" }));
    return parts;
  }

  /* ---------------------------------------------------------------------- words */

  get isOwn() { return this.consultation.state.overrides.length > 0; }

  headLine() {
    const { decision, answer } = this.consultation;
    return this.consultation.isOpen ? `${say("case.so-far")}: ${answer.label}` : say("case.answer", { answer: decision });
  }

  evidence() {
    const { answer } = this.consultation, share = words.percent(answer.share), likely = words.percent(answer.probability);
    const parts = {
      answer: answer.label, because: because(answer.reason), of: answer.of ?? "",
      likely: likely === share ? "" : say("evidence.likely", { share: likely }),
      share, cases: words.cases(answer.cases), low: words.percent(answer.low), high: words.percent(answer.high),
      weak: answer.weak ? say("evidence.weak") : "",
    };
    const said = say(answer.of === null ? "evidence" : "evidence.decision", parts);
    return this.isOwn ? `${say("case.own")}: ${said}.` : `${said}.`;
  }

  costLine() {
    const { consultation } = this, { question, answer, bill, stillToCome } = consultation, cost = asMoney(answer.cost);
    const [least, most] = stillToCome.map((amount) => words.money(amount)), toCome = least === most ? least : say("span", { least, most });
    if (question) return say("case.bill-so-far", { bill: asMoney(bill), toCome, cost });
    return say(this.isOwn ? "case.bill-own" : "case.bill", { bill: asMoney(bill), cost });
  }

  /* ------------------------------------------------------------------- questions */

  step(act) { act(); this.show(true); }

  get how() { return byId("known")?.checked ? "known" : "told"; }

  tell(question, code, how = this.how) { this.step(() => this.consultation.tell(question.test, code, how)); }

  askNumber(question) {
    const form = element("form"), id = "value", doubt = element("div", undefined, { id: "doubt", role: "alert" });
    const field = element("input", undefined, { id, type: "text", inputmode: keysFor(question), autocomplete: "off", "aria-describedby": "doubt" });
    const complain = (phrase, ...more) => {
      doubt.replaceChildren(element("p", worded(phrase)), ...more);
      field.setAttribute("aria-invalid", "true");
    };
    const clear = () => { doubt.replaceChildren(); field.removeAttribute("aria-invalid"); };
    const confirm = (value, outside) => {
      const row = element("div", undefined, { class: "choices" });
      row.append(button(say("case.take", { value: asShort(value) }), () => this.tell(question, value)), button(say("case.correct"), () => { clear(); field.focus(); field.select(); }));
      complain(["case.doubt", { outside }], row);
    };
    form.append(element("label", `${question.name}: `, { for: id }), field, element("button", say("case.next"), { class: "main" }));
    field.addEventListener("input", clear);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const { value, refusal } = readNumber(field.value), outside = refusal ? null : this.guide.sayOutside(question.test, value);
      if (refusal) complain(refusal);
      else if (outside) confirm(value, outside);
      else this.tell(question, value);
    });
    return [form, doubt, ...(question.threshold === null ? [] : [element("p", say("case.cut", { cut: asShort(question.threshold) }), { class: "why" })])];
  }

  askValue(question) {
    const row = element("div", undefined, { class: "choices" });
    question.values.forEach((value, code) => row.append(button(value, () => this.tell(question, code))));
    const other = question.kind === "ordinal" ? null : -1; // which side of a cut it is on is not known
    row.append(button(say("other-value"), () => this.tell(question, other), { class: "quiet" }));
    return [row];
  }

  asked(question) {
    const parts = [], { name, orders } = question;
    const price = question.price === 0 ? say(question.isPaid ? "paid" : "free") : words.money(question.price);
    const isOrder = question.delayed && orders.length > 1;
    parts.push(element("h3", isOrder ? say("case.order", { tests: orders.join(" + "), price, test: name }) : say("case.question", { test: name, price })));
    parts.push(...(question.kind === "numeric" ? this.askNumber(question) : this.askValue(question)));
    if (question.why) {
      const { stopping, tests, errors } = question.why, saving = stopping - tests - errors;
      const amounts = { saved: asMoney(Math.abs(saving)), stopping: asMoney(stopping), tests: asMoney(tests), errors: asMoney(errors) };
      parts.push(element("p", say(saving < 0 ? "case.why-not" : "case.why", amounts), { class: "why" }));
    } else if (question.priceOf) {
      parts.push(element("p", say("case.condition", { tests: ["both", { texts: question.priceOf }] }), { class: "why" }));
    } else {
      parts.push(element("p", say(this.guide.isPriced(this.consultation.state.facts) ? "saving.unknown" : "saving.unpriced"), { class: "why" }));
    }
    const known = element("label", undefined, { class: "known" });
    known.append(element("input", undefined, { type: "checkbox", id: "known" }), ` ${say("case.known")}`);
    const row = element("div", undefined, { class: "choices" });
    row.append(
      button(say("case.unmeasured"), () => this.tell(question, null, "unmeasured"), { class: "quiet" }),
      button(say("case.stop"), () => this.step(() => this.consultation.stop()), { class: "quiet" }),
    );
    parts.push(known, row);
    return parts;
  }

  ownAnswer() {
    const form = element("form"), box = element("details", undefined, { id: "own" }), known = element("datalist", undefined, { id: "own-known" });
    const label = element("input", undefined, { id: "own-label", list: "own-known", required: "", autocomplete: "off" });
    const reason = element("input", undefined, { id: "own-reason", autocomplete: "off" });
    known.append(...this.guide.answers.map((name) => element("option", undefined, { value: name })));
    form.append(element("label", say("case.own-label"), { for: "own-label" }), label, known, element("label", say("case.own-reason"), { for: "own-reason" }), reason, element("button", say("case.own-give")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (label.value.trim()) this.step(() => this.consultation.override(label.value.trim(), reason.value.trim()));
    });
    box.append(element("summary", say("case.own-title")), form);
    return box;
  }

  /* --------------------------------------------------------------------- picture */

  show(moved = false) {
    const { consultation, guide } = this, { question, answer, decision, state, notes, answers } = consultation, box = byId("consultation");
    const place = guide.answers.indexOf(question ? answer.label : decision), { colour = "", isDear = false } = this.colours[place] ?? {};
    const top = element("div", undefined, { class: `verdict ${colour} ${isDear ? "dear" : ""}` });
    const head = question ? element("p", undefined, { class: "big" }) : element("h3", this.headLine(), { class: "big" });
    if (question) head.append(element("small", say("case.so-far")), " ", element("strong", answer.label));
    top.append(head, element("p", this.evidence(), { id: "answer" }), element("p", this.costLine(), { id: "bill" }));
    const parts = question ? [top, ...this.asked(question)] : [top];
    if (notes.length) parts.push(element("h4", say("case.notes")), list("notes", notes.map(worded)));
    if (answers.length) parts.push(element("h4", say("case.told")), list("given", answers.map(given)));
    parts.push(this.ownAnswer());
    const row = element("div", undefined, { class: "choices" });
    if (consultation.states.length > 1) {
      row.append(
        button(say("case.back"), () => this.step(() => consultation.undo()), { class: "quiet" }),
        button(say("case.again"), () => this.step(() => { this.consultation = new Consultation(guide); }), { class: "quiet" }),
      );
      parts.push(row);
    }
    box.replaceChildren(...parts);
    kept.set(this.key, consultation.states.length > 1 ? JSON.stringify(recordOf(consultation)) : "");
    if (!moved && consultation.states.length === 1) return;
    this.view.highlight([...state.done, ...state.pending].map((front) => front.node));
    if (moved) (box.querySelector("#value, .choices button") || box).focus({ preventScroll: true });
  }
}

/* On some phones the keys for decimals have no minus, so they are left to tests without one. */
function keysFor({ range, threshold }) { return Math.min(threshold, range ? range[0] : 0) < 0 ? "text" : "decimal"; }

function list(id, lines) {
  const made = element("ul", undefined, id ? { id } : {});
  made.append(...lines.map((line) => element("li", line)));
  return made;
}

function given({ name: test, value, how, price, paidFor, isPaid }) {
  if (how === "unmeasured") return say("given.unmeasured", { test });
  const order = paidFor.length > 1 ? say("given.for", { price: asMoney(price), tests: paidFor.join(" + ") }) : words.money(price);
  const paid = paidFor.length ? (price ? order : say("free")) : say(isPaid ? "paid" : "free");
  return say("given", { test, value, paid: how === "known" ? say("given.known") : paid });
}

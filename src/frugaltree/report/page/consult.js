"use strict";

/* One case, step by step: the same questions, bills, answers and notes as Consultation in Python.
   Notes and reasons are phrases, worded where they are shown. */

const Z = 1.959963984540054;
const OTHER = ["other-value", {}];

class Guide {
  constructor(model) {
    Object.assign(this, { needed: [], atHand: [], depends: [] }, model);
    this.weights = model.counts.map((counts) => counts.reduce((a, b) => a + b, 0));
    this.groups = model.prices.full.length ? model.prices.member[0].length : 0;
    this.firstDecision = model.answers.slice(0, model.classes.length).join("\0") === model.classes.join("\0") ? model.classes.length : 0;
    this.parent = model.test.map(() => null);
    this.conditions = model.test.map(() => null); // of the branch that leads to a node
    model.children.forEach((_, node) => this.branches(node).forEach(([, child]) => { this.parent[child] = node; }));
    model.children.forEach((_, node) => this.branches(node).forEach(([answers, child]) => { this.conditions[child] = condition(this, node, answers); }));
    this.gaps = model.children.map((children, node) => this.test[node] !== null && openAnswers(this, node).some((answer) => children[answer] === null));
  }

  isLeaf(node) { return this.test[node] === null; }

  /* The branches of a node, each with the answers that lead there; several may share one. */
  branches(node) {
    const answers = new Map();
    this.children[node].forEach((child, answer) => {
      if (child !== null) answers.set(child, [...(answers.get(child) || []), answer]);
    });
    if (this.hasOwnWay(node)) answers.set(this.missing[node], []);
    return [...answers].map(([child, found]) => [found, child]).sort(([, a], [, b]) => a - b);
  }

  /* Whether cases without a value have a branch of their own. */
  hasOwnWay(node) { return this.missing[node] !== null && !this.children[node].includes(this.missing[node]); }

  /* Whether those who come to a child have paid at its parent. */
  paysAbove(node, child) {
    return this.prices.charge_missing || !(this.hasOwnWay(node) && this.missing[node] === child);
  }

  shares(node) { return this.counts[node].map((count) => count / this.weights[node]); }

  errorCost(label, shares) {
    return shares.reduce((cost, share, actual) => cost + this.errors[label][actual] * share, 0);
  }

  branchOf(node, code) {
    if (this.columns[this.test[node]].kind === "nominal") return code;
    return code <= this.threshold[node] ? 0 : 1;
  }

  /* Where a case goes from a node; code null is missing, no fact is every branch. */
  onward(node, fact) {
    const branches = this.branches(node);
    if (!branches.length) return [];
    if (fact && fact.code !== null) {
      const branch = this.branchOf(node, fact.code);
      return branches.filter(([answers]) => answers.includes(branch)).map(([, child]) => ({ node: child, share: 1 }));
    }
    if (fact && !this.fractional) return this.missing[node] === null ? [] : [{ node: this.missing[node], share: 1 }];
    const total = branches.reduce((sum, [, child]) => sum + this.weights[child], 0);
    return branches.map(([, child]) => ({ node: child, share: this.weights[child] / total }));
  }

  /* All nodes where a case may stand: what is missing leaves every branch possible. */
  possible(facts) {
    const found = [], stack = [{ node: 0, share: 1 }];
    while (stack.length) {
      const front = stack.pop(), fact = facts[this.test[front.node]];
      const isOpen = fact && fact.code === null && !this.hasOwnWay(front.node);
      const onward = fact ? this.onward(front.node, isOpen ? undefined : fact) : [];
      if (!onward.length) found.push(front);
      stack.push(...onward.map(({ node, share }) => ({ node, share: share * front.share })).reverse());
    }
    return found;
  }

  reach(node, facts) {
    const found = [], stack = [node];
    while (stack.length) {
      const at = stack.pop();
      found.push(at);
      stack.push(...this.onward(at, facts[this.test[at]]).map((front) => front.node).reverse());
    }
    return found;
  }

  /* Tests paid for and groups opened, none yet, and the price of each test for a case. */
  purse() {
    const { full } = this.prices;
    return { paid: full.map(() => 0), opened: Array(this.groups).fill(0), full: this.fullFor({}) };
  }

  /* A known test that prices depend on and of which nothing is said, undefined for none; such tests
     are at hand when a case arrives, so they come before everything else. */
  openCondition(facts) { return this.atHand.find((test) => !(test in facts)); }

  /* Whether all is said that prices depend on. */
  isPriced(facts) { return this.needed.every((test) => test in facts); }

  levelOf(test, facts) {
    const { on, ends, level } = this.depends[test], code = facts[on]?.code ?? null;
    if (code === null) return 0;
    if (ends) return level[ends.findIndex((end) => end === null || code <= end)];
    return level[code] ?? 0;
  }

  /* The price of each test for a case. One that depends on what is not said yet is that of the
     list, or what is made of all its prices. */
  fullFor(facts, unsaid) {
    return this.prices.full.map((full, test) => {
      const depends = this.depends[test];
      if (!depends) return full;
      if (unsaid && !(depends.on in facts)) return unsaid(...depends.price.filter((price) => price !== null));
      return depends.price[this.levelOf(test, facts)] ?? 0;
    });
  }

  /* The tests of the tree that a case cannot take. */
  neverTaken(facts) {
    const asked = new Set(this.test);
    return [...this.depends.keys()].filter((test) => this.depends[test] && asked.has(test) && this.depends[test].price[this.levelOf(test, facts)] === null);
  }

  /* The names of the tests asked whose price depends on another. */
  neededFor(on) {
    const asked = new Set(this.test);
    return this.columns.filter((_, test) => this.depends[test]?.on === on && asked.has(test)).map(({ name }) => name);
  }

  contextPrice(test, { paid, opened, full }) {
    if (paid[test]) return 0;
    let price = full[test];
    opened.forEach((open, g) => { if (open) price -= this.prices.discount[test][g]; });
    return Math.max(price, 0);
  }

  take(test, purse) {
    purse.paid[test] = 1;
    this.prices.member[test].forEach((member, g) => { if (member) purse.opened[g] = 1; });
  }

  shareOfPrice(test, group, purse) {
    let left = this.contextPrice(test, purse), share = 0;
    for (let h = 0; h < Math.min(group + 1, this.groups); h++) {
      share = 0;
      if (this.prices.member[test][h] && !purse.opened[h]) {
        share = Math.min(this.prices.discount[test][h], left);
        left -= share;
      }
    }
    return group === this.groups ? left : share;
  }

  priceOfOrder(tests, purse) {
    let total = 0;
    for (let g = 0; g <= this.groups; g++) {
      const shares = tests.map((test) => this.shareOfPrice(test, g, purse));
      total += g === this.groups ? shares.reduce((a, b) => a + b, 0) : Math.max(0, ...shares);
    }
    return total;
  }

  pay(node, facts, purse) {
    const test = this.test[node], fact = facts[test];
    const ends = !this.isCharged(fact) && (this.fractional || this.missing[node] === null);
    if (test === null || ends || (fact && fact.how === "known")) return { price: 0, tests: [], purse };
    const after = { ...purse, paid: [...purse.paid], opened: [...purse.opened] };
    if (!this.prices.delayed[test] || purse.paid[test]) {
      if (purse.paid[test] || !this.isCharged(fact)) return { price: 0, tests: [], purse };
      const price = this.contextPrice(test, purse);
      this.take(test, after);
      return { price, tests: [test], purse: after };
    }
    const tests = this.ordered(node, facts, purse);
    const price = this.priceOfOrder(tests, purse);
    tests.forEach((ordered) => this.take(ordered, after));
    return { price, tests, purse: after, isOrder: true };
  }

  /* Whether a test is charged, given what is known of its result. */
  isCharged(fact) { return !fact || fact.how === "told" || this.prices.charge_missing; }

  ordered(node, facts, purse) {
    const known = Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact.how === "known"));
    const tests = new Set(this.reach(node, known).map((below) => this.test[below]));
    return [...tests].filter((test) => test !== null && !(test in known) && this.isCharged(facts[test]) && !purse.paid[test]);
  }

  lookAhead(node, facts, purse) {
    const order = this.reach(node, facts), payments = new Map(), found = new Map(), above = new Map();
    for (const at of order) {
      const parent = above.get(at), paid = parent === undefined ? null : payments.get(parent);
      const before = !paid ? purse : this.paysAbove(parent, at) || paid.isOrder ? paid.purse : paid.before;
      const payment = paid && paid.isOrder ? { price: 0, tests: [], purse: before, isOrder: true } : this.pay(at, facts, before);
      payments.set(at, { ...payment, before });
      for (const [, child] of this.branches(at)) above.set(child, at);
    }
    for (const at of order.reverse()) {
      const fact = facts[this.test[at]], fronts = this.onward(at, fact), price = payments.get(at).price;
      if (!fronts.length) {
        found.set(at, { least: price, most: price, tests: price, errors: this.errorCost(this.labels[at], this.shares(at)) });
        continue;
      }
      const below = fronts.map(({ node: child, share }) => {
        const ahead = found.get(child), paid = payments.get(at).isOrder || this.paysAbove(at, child) ? price : 0;
        return { share, least: ahead.least + paid, most: ahead.most + paid, tests: ahead.tests + paid, errors: ahead.errors };
      });
      const sum = (what) => below.reduce((total, front) => total + front.share * front[what], 0);
      const [least, most] = bounds(below, Boolean(fact));
      found.set(at, { least: !fact && this.gaps[at] ? Math.min(price, least) : least, most, tests: sum("tests"), errors: sum("errors") });
    }
    return found.get(node);
  }

  /* What the tree answers, with the evidence of all cases that may be like this one. */
  answer(facts, fronts) {
    const possible = this.possible(facts), ends = this.fractional ? possible : fronts;
    const shares = this.classes.map((_, c) => possible.reduce((sum, { node, share }) => sum + (share * this.counts[node][c]) / this.weights[node], 0));
    const largest = Math.max(...shares);
    const label = ends.length === 1 ? this.labels[ends[0].node] : shares.findIndex((share) => share >= largest * (1 - 1e-9));
    const cases = 1 / possible.reduce((sum, { node, share }) => sum + share ** 2 / this.weights[node], 0);
    const atMostOne = (number) => (number < 1 - 1e-12 ? number : 1), isClass = this.answers[label] === this.classes[label], of = isClass ? label : shares.findIndex((one) => one >= largest * (1 - 1e-9)), share = atMostOne(shares[of]);
    const probability = atMostOne(possible.reduce((sum, { node, share: part }) => sum + part * this.probabilities[node][of], 0));
    const reason = possible.length === 1 && fronts.length === 1 ? reasonFor(this, label, shares) : null;
    return { label: this.answers[label], of: isClass ? null : this.classes[of], probability, share, reason, cases, weak: cases < 10 * (1 - 1e-9),
      cost: this.errorCost(label, shares), ...wilson(share, cases) };
  }

  /* A value as people write it, null where it cannot be measured. */
  value(test, { code, how, said }) {
    const { kind, values } = this.columns[test];
    if (how === "unmeasured") return null;
    if (kind === "numeric") return ["exact", { value: code }];
    return code === null || code < 0 ? (said ?? OTHER) : values[code];
  }

  sayOutside(test, value) { return sayOutside(value, this.columns[test].range, this.weights[0]); }

  noteOnValue(test, fact) {
    const { name, values } = this.columns[test];
    if (fact.how === "unmeasured") return [];
    if (fact.code !== null) {
      const outside = this.sayOutside(test, fact.code);
      return outside ? [["note.outside", { test: name, outside }]] : [];
    }
    return [["note.no-place", { test: name, value: this.value(test, fact), order: values.join(", ") }]];
  }

  /* What a person should know about the way that a fact takes at a node. */
  noteOnWay(node, fact) {
    const { name: test } = this.columns[this.test[node]], cases = ["cases", { weight: this.weights[node] }];
    if (fact.code === null) {
      if (this.fractional) return [["note.every-branch", { test, cases }]];
      const child = this.missing[node];
      if (child === null) return [["note.ends", { test, cases }]];
      if (this.hasOwnWay(node)) return [["note.own-way", { test, some: ["number", { value: this.weights[child] }], cases }]];
      return [["note.goes-on", { test, condition: this.conditions[child], cases }]];
    }
    if (this.onward(node, fact).length) return [];
    return [[fact.code < 0 ? "note.never-seen" : "note.not-seen-here", { test, value: this.value(this.test[node], fact), cases }]];
  }
}

/* The least and the most of one way among several, or of all of them together. */
function bounds(ahead, allPaid) {
  const least = ahead.map((one) => one.least), most = ahead.map((one) => one.most);
  return allPaid ? [Math.max(...least), most.reduce((a, b) => a + b, 0)] : [Math.min(...least), Math.max(...most)];
}

function wilson(share, cases) {
  const scale = 1 + (Z * Z) / cases, middle = (share + (Z * Z) / (2 * cases)) / scale;
  const reach = (Z * Math.sqrt((share * (1 - share)) / cases + (Z / (2 * cases)) ** 2)) / scale;
  return { low: share === 0 ? 0 : Math.max(middle - reach, 0), high: share === 1 ? 1 : Math.min(middle + reach, 1) };
}

/* The time in UTC, as Python writes it. */
function now() { return new Date().toISOString().replace("Z", "+00:00"); }

class Consultation {
  constructor(model) {
    this.guide = model instanceof Guide ? model : new Guide(model);
    const purse = this.guide.purse();
    this.first = { pending: [{ node: 0, share: 1 }], done: [], facts: {}, batches: [], purse, charges: [], bill: 0, notes: [], overrides: [], stopped: false };
    this.states = [this.advanced(this.first)];
    this.began = now();
  }

  get state() { return this.states[this.states.length - 1]; }
  get bill() { return this.state.bill; }
  get notes() { return this.state.notes; }
  get answer() { return this.guide.answer(this.state.facts, [...this.state.done, ...this.state.pending]); }
  get isOpen() { return this.state.pending.length > 0 && !this.state.stopped && !this.state.overrides.length; }

  /* The final answer, a person's own before the tree's; null before the end. */
  get decision() {
    const own = this.state.overrides.at(-1);
    if (own !== undefined) return own.label;
    return this.isOpen ? null : this.answer.label;
  }

  /* The least and the most that can still be charged. */
  get stillToCome() {
    if (!this.isOpen) return [0, 0];
    const { guide, state: { pending, facts, purse } } = this;
    const ahead = (full) => bounds(pending.map((front) => guide.lookAhead(front.node, facts, { ...purse, full })), true);
    if (guide.isPriced(facts)) return ahead(purse.full);
    return [ahead(guide.fullFor(facts, Math.min))[0], ahead(guide.fullFor(facts, Math.max))[1]];
  }

  /* What was said of each test, in order, and what was charged there for which tests. */
  get answers() {
    const { guide, state } = this;
    return state.batches.flatMap((batch) => Object.entries(batch)).map(([key, fact]) => {
      const test = Number(key), charges = state.charges.filter((charge) => charge.test === test);
      return {
        name: guide.columns[test].name, value: guide.value(test, fact), how: fact.how, isPaid: Boolean(state.purse.paid[test]),
        price: charges.reduce((sum, charge) => sum + charge.price, 0),
        paidFor: charges.flatMap((charge) => charge.tests.map((paid) => guide.columns[paid].name)),
      };
    });
  }

  get question() {
    if (!this.isOpen) return null;
    const { guide, state } = this, node = state.pending[0].node, test = guide.test[node], first = guide.openCondition(state.facts);
    if (first !== undefined) return this.askCondition(node, first);
    const payment = guide.pay(node, state.facts, state.purse), column = guide.columns[test];
    const ahead = this.isUncertain || !guide.isPriced(state.facts) ? null : guide.lookAhead(node, state.facts, state.purse);
    return {
      node, test, name: column.name, kind: column.kind, values: column.values, range: column.range,
      threshold: guide.threshold[node], price: payment.price,
      orders: payment.tests.map((ordered) => guide.columns[ordered].name),
      isPaid: Boolean(state.purse.paid[test]),
      delayed: Boolean(guide.prices.delayed[test]) && payment.tests.length > 0,
      why: ahead && { stopping: this.answer.cost, ...ahead },
    };
  }

  /* The question for a value that is known, and that prices depend on. */
  askCondition(node, test) {
    const { guide } = this, { name, kind, values, range } = guide.columns[test], of = guide.neededFor(test);
    return { node, test, name, kind, values, range, threshold: null, price: 0, orders: [], isPaid: false, delayed: false, why: null, priceOf: of };
  }

  /* Whether something that is missing matters to the case, so that nobody has counted its worth. */
  get isUncertain() {
    const { guide, state } = this;
    const known = Object.fromEntries(Object.entries(state.facts).filter(([, fact]) => fact.code !== null));
    const isMissing = (test) => test in state.facts && !(test in known);
    return Object.keys(state.facts).some(isMissing) && guide.reach(0, known).some((node) => isMissing(guide.test[node]));
  }

  tell(test, code, how = "told") { this.tellAll({ [test]: { code, how, at: now() } }); }

  /* Several facts at once, by test; those that a case cannot take then are not measured. */
  tellAll(said) {
    const batch = { ...said }, state = this.state, { at } = Object.values(said)[0], known = { ...state.facts, ...said };
    for (const test of this.guide.neverTaken(known)) {
      if (known[test] && known[test].how !== "unmeasured") throw new Error("never taken");
      if (!known[test]) batch[test] = { code: null, how: "unmeasured", at };
    }
    const notes = [...state.notes, ...Object.entries(batch).flatMap(([test, fact]) => this.guide.noteOnValue(test, fact))];
    const next = { ...state, facts: { ...state.facts, ...batch }, batches: [...state.batches, batch], notes };
    const lost = Object.keys(batch).filter((test) => batch[test].how === "unmeasured" && state.purse.paid[test]);
    this.states.push(lost.length ? this.recharged(next, lost) : this.advanced(next));
  }

  /* A person's own answer instead of the tree's; it ends the consultation. */
  override(label, reason = "", at = now()) {
    const { answers: known } = this.guide, instead = this.answer.label, alike = (one) => one.toLowerCase() === label.toLowerCase();
    const own = known.includes(label) ? label : (known.find(alike) ?? label);
    const notes = [[`note.${own === instead ? "confirmed" : "answered"}${reason ? "-because" : ""}`, { own, instead, reason }]];
    if (!known.includes(own)) notes.push(["note.no-answer", { own, answers: known.join(", ") }]);
    const override = { label: own, instead, reason, at };
    this.states.push({ ...this.state, overrides: [...this.state.overrides, override], notes: [...this.state.notes, ...notes] });
  }

  /* Where a case stands if it had been known before that ordered tests would fail. */
  recharged(state, lost) {
    const missing = Object.fromEntries(Object.entries(state.facts).filter(([, fact]) => fact.how === "unmeasured"));
    let again = this.advanced(this.first);
    for (const batch of [missing, ...state.batches]) {
      again = this.advanced({ ...again, facts: { ...again.facts, ...batch } });
    }
    const tests = ["both", { texts: lost.map((test) => this.guide.columns[test].name) }];
    const smaller = [lost.length === 1 ? "note.smaller-order" : "note.smaller-orders", { tests, saved: asMoney(state.bill - again.bill) }];
    const said = state.notes.map((note) => JSON.stringify(note)), found = again.notes.filter((note) => !said.includes(JSON.stringify(note)));
    return { ...again, facts: state.facts, batches: state.batches, notes: [...state.notes, smaller, ...found] };
  }

  stop() { this.states.push({ ...this.state, stopped: true }); }
  undo() { if (this.states.length > 1) this.states.pop(); }

  advanced(state) {
    const { guide } = this, mayBegin = guide.openCondition(state.facts) === undefined;
    if (guide.needed.length) state = { ...state, purse: { ...state.purse, full: guide.fullFor(state.facts) } };
    while (state.pending.length) {
      const [front, ...rest] = state.pending, fact = state.facts[guide.test[front.node]];
      if (guide.isLeaf(front.node)) {
        state = { ...state, done: [...state.done, front], pending: rest };
        continue;
      }
      if (!fact || !mayBegin) return state;
      const payment = guide.pay(front.node, state.facts, state.purse);
      const below = guide.onward(front.node, fact).map((next) => ({ node: next.node, share: next.share * front.share }));
      const charges = payment.tests.length ? [{ test: guide.test[front.node], price: payment.price, tests: payment.tests }] : [];
      state = { ...state, purse: payment.purse, bill: state.bill + payment.price, charges: [...state.charges, ...charges],
        notes: [...state.notes, ...guide.noteOnWay(front.node, fact)],
        pending: [...below, ...rest], done: below.length ? state.done : [...state.done, front] };
    }
    return state;
  }
}

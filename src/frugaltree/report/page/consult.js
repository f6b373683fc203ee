"use strict";

/* One case, step by step: the same questions, bills and answers as Consultation in Python. */

const ORDERED = 2;
const Z = 1.959963984540054;

class Guide {
  constructor(model) {
    Object.assign(this, model);
    this.weights = model.counts.map((counts) => counts.reduce((a, b) => a + b, 0));
    this.groups = model.prices.full.length ? model.prices.member[0].length : 0;
  }

  isLeaf(node) { return this.test[node] === null; }

  /* The branches of a node, each with the answers that lead there; several may share one. */
  branches(node) {
    const answers = new Map();
    this.children[node].forEach((child, answer) => {
      if (child !== null) answers.set(child, [...(answers.get(child) || []), answer]);
    });
    return [...answers].map(([child, found]) => [found, child]).sort(([, a], [, b]) => a - b);
  }

  shares(node) { return this.counts[node].map((count) => count / this.weights[node]); }

  errorCost(label, shares) {
    return shares.reduce((cost, share, actual) => cost + this.errors[label][actual] * share, 0);
  }

  branchOf(node, code) {
    if (this.columns[this.test[node]].kind === "nominal") return code;
    return code <= this.threshold[node] ? 0 : 1;
  }

  largest(node) {
    let largest = null, most = 0;
    for (const [, child] of this.branches(node)) {
      if (this.weights[child] > most * (1 + 1e-9)) { largest = child; most = this.weights[child]; }
    }
    return largest;
  }

  /* Where a case goes from a node; code null is missing, no fact is every branch. */
  onward(node, fact) {
    const branches = this.branches(node);
    if (!branches.length) return [];
    if (fact && fact.code !== null) {
      const branch = this.branchOf(node, fact.code);
      return branches.filter(([answers]) => answers.includes(branch)).map(([, child]) => ({ node: child, share: 1 }));
    }
    if (fact && !this.fractional) return [{ node: this.largest(node), share: 1 }];
    const total = branches.reduce((sum, [, child]) => sum + this.weights[child], 0);
    return branches.map(([, child]) => ({ node: child, share: this.weights[child] / total }));
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

  contextPrice(test, paid, opened) {
    if (paid[test]) return 0;
    let price = this.prices.full[test];
    opened.forEach((open, g) => { if (open) price -= this.prices.discount[test][g]; });
    return Math.max(price, 0);
  }

  take(test, purse) {
    purse.paid[test] = 1;
    this.prices.member[test].forEach((member, g) => { if (member) purse.opened[g] = 1; });
  }

  shareOfPrice(test, group, purse) {
    let left = this.contextPrice(test, purse.paid, purse.opened), share = 0;
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
    if (test === null || (fact && fact.how !== "told")) return { price: 0, tests: [], purse };
    const after = { paid: [...purse.paid], opened: [...purse.opened] };
    if (!this.prices.delayed[test]) {
      if (purse.paid[test]) return { price: 0, tests: [], purse };
      const price = this.contextPrice(test, purse.paid, purse.opened);
      this.take(test, after);
      return { price, tests: [test], purse: after };
    }
    const tests = this.ordered(node, facts, purse);
    const price = this.priceOfOrder(tests, purse);
    tests.forEach((ordered) => this.take(ordered, after));
    return { price, tests, purse: after };
  }

  ordered(node, facts, purse) {
    const free = Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact.how !== "told"));
    const tests = new Set(this.reach(node, free).map((below) => this.test[below]));
    return [...tests].filter((test) => test !== null && !(test in free) && !purse.paid[test]);
  }

  lookAhead(node, facts, purse) {
    const order = this.reach(node, facts), payments = new Map(), found = new Map(), above = new Map();
    for (const at of order) {
      const before = above.has(at) ? payments.get(above.get(at)).purse : purse;
      payments.set(at, this.pay(at, facts, before));
      for (const [, child] of this.branches(at)) above.set(child, at);
    }
    for (const at of order.reverse()) {
      const fronts = this.onward(at, facts[this.test[at]]), price = payments.get(at).price;
      if (!fronts.length) {
        found.set(at, { tests: price, errors: this.errorCost(this.labels[at], this.shares(at)) });
        continue;
      }
      const sum = (what) => fronts.reduce((total, front) => total + front.share * found.get(front.node)[what], 0);
      found.set(at, { tests: price + sum("tests"), errors: sum("errors") });
    }
    return found.get(node);
  }

  answer(fronts) {
    let shares = this.shares(fronts[0].node), label = this.labels[fronts[0].node];
    if (fronts.length > 1) {
      shares = this.classes.map((_, c) => fronts.reduce((sum, front) => sum + front.share * this.shares(front.node)[c], 0));
      const most = Math.max(...shares);
      label = shares.findIndex((share) => share >= most * (1 - 1e-9));
    }
    const cases = 1 / fronts.reduce((sum, front) => sum + front.share ** 2 / this.weights[front.node], 0);
    const share = Math.min(shares[label], 1);
    return { label: this.classes[label], share, cases, weak: cases < 10 * (1 - 1e-9),
      cost: this.errorCost(label, shares), ...wilson(share, cases) };
  }
}

function wilson(share, cases) {
  const scale = 1 + (Z * Z) / cases, middle = (share + (Z * Z) / (2 * cases)) / scale;
  const reach = (Z * Math.sqrt((share * (1 - share)) / cases + (Z / (2 * cases)) ** 2)) / scale;
  return { low: share === 0 ? 0 : Math.max(middle - reach, 0), high: share === 1 ? 1 : Math.min(middle + reach, 1) };
}

class Consultation {
  constructor(model) {
    this.guide = model instanceof Guide ? model : new Guide(model);
    const { prices } = this.guide;
    const purse = { paid: prices.full.map(() => 0), opened: Array(this.guide.groups).fill(0) };
    this.first = { pending: [{ node: 0, share: 1 }], done: [], facts: {}, batches: [], purse, bill: 0, stopped: false };
    this.states = [this.advanced(this.first)];
  }

  get state() { return this.states[this.states.length - 1]; }
  get bill() { return this.state.bill; }
  get answer() { return this.guide.answer([...this.state.done, ...this.state.pending]); }
  get isOpen() { return this.state.pending.length > 0 && !this.state.stopped; }

  get question() {
    if (!this.isOpen) return null;
    const { guide, state } = this, node = state.pending[0].node, test = guide.test[node];
    const payment = guide.pay(node, state.facts, state.purse), column = guide.columns[test];
    const missing = Object.values(state.facts).some((fact) => fact.code === null);
    const ahead = guide.fractional && missing ? null : guide.lookAhead(node, state.facts, state.purse);
    return {
      node, test, name: column.name, kind: column.kind, values: column.values,
      threshold: guide.threshold[node], price: payment.price,
      orders: payment.tests.map((ordered) => guide.columns[ordered].name),
      isPaid: Boolean(state.purse.paid[test]),
      delayed: Boolean(guide.prices.delayed[test]) && payment.tests.length > 0,
      why: ahead && { stopping: this.answer.cost, ...ahead },
    };
  }

  tell(test, code, how = "told") {
    const state = this.state, batch = { [test]: { code, how } };
    const next = { ...state, facts: { ...state.facts, ...batch }, batches: [...state.batches, batch] };
    const lost = how === "unmeasured" && state.purse.paid[test];
    this.states.push(lost ? this.recharged(next) : this.advanced(next));
  }

  /* Where a case stands if it had been known before that an ordered test would fail. */
  recharged(state) {
    const missing = Object.fromEntries(Object.entries(state.facts).filter(([, fact]) => fact.how === "unmeasured"));
    let again = this.advanced(this.first);
    for (const batch of [missing, ...state.batches]) {
      again = this.advanced({ ...again, facts: { ...again.facts, ...batch } });
    }
    return { ...again, facts: state.facts, batches: state.batches };
  }

  stop() { this.states.push({ ...this.state, stopped: true }); }
  undo() { if (this.states.length > 1) this.states.pop(); }

  advanced(state) {
    const { guide } = this;
    while (state.pending.length) {
      const [front, ...rest] = state.pending, fact = state.facts[guide.test[front.node]];
      if (guide.isLeaf(front.node)) {
        state = { ...state, done: [...state.done, front], pending: rest };
        continue;
      }
      if (!fact) return state;
      const payment = guide.pay(front.node, state.facts, state.purse);
      const below = guide.onward(front.node, fact).map((next) => ({ node: next.node, share: next.share * front.share }));
      state = { ...state, purse: payment.purse, bill: state.bill + payment.price,
        pending: [...below, ...rest], done: below.length ? state.done : [...state.done, front] };
    }
    return state;
  }
}

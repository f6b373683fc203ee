"use strict";

/* The words for a node: what it asks at which price, what it answers and why; the same as
   tree/text.py has for the text of a tree. */

const TOLERANCE = 1e-9, MOST_SHARES = 3, MOST_ORDERED = 3, MOST_TOLD = 3;

/* Answers to a node's test that a case may give, by what was asked above. */
function openAnswers(guide, node) {
  const test = guide.test[node], column = guide.columns[test], nominal = column.kind === "nominal";
  const all = [...Array(nominal ? column.values.length : 2).keys()];
  if (!nominal) return all;
  for (let at = node, above = guide.parent[at]; above !== null; at = above, above = guide.parent[at]) {
    if (guide.test[above] === test) return guide.children[above].flatMap((child, answer) => (child === at ? [answer] : []));
  }
  return all;
}

/* What a branch stands for, as a phrase. */
function condition(guide, node, answers) {
  const { name: test, kind, values } = guide.columns[guide.test[node]], threshold = guide.threshold[node];
  if (!answers.length) return ["condition.missing", { test }];
  const told = (codes) => ["either", { texts: codes.map((code) => values[code]) }];
  if (kind === "nominal") {
    if (answers.length > MOST_TOLD) {
      const others = openAnswers(guide, node).filter((code) => !answers.includes(code));
      if (others.length && others.length < answers.length) return ["condition.other", { test, values: told(others) }];
    }
    return ["condition.is", { test, values: told(answers) }];
  }
  const value = kind === "ordinal" ? values[Math.floor(threshold)] : asShort(threshold);
  return [answers[0] === 0 ? "condition.below" : "condition.above", { test, value }];
}

/* Why an answer is given that is not the most frequent class: null where it is, empty where the
   costs of errors do not say. */
function reasonFor(guide, label, shares) {
  const { errors, answers, classes } = guide, costs = errors.map((row) => row.reduce((sum, cost, c) => sum + cost * shares[c], 0));
  if (label >= guide.firstDecision) return reasonForDecision(answers, costs, label);
  const largest = Math.max(...shares), most = shares.indexOf(largest);
  if (shares[label] >= largest * (1 - TOLERANCE)) return null;
  if (!(costs[label] < costs[most])) return "";
  if (classes.length === 2) {
    const miss = errors[most][label], alarm = errors[label][most], times = miss / alarm;
    if (alarm === 0) return ["reason.only-miss", {}];
    return ["reason.times", { times: times >= 10 ? ["times", { value: times }] : ["rough", { value: times }] }];
  }
  return ["reason.errors", { own: asMoney(costs[label]), other: classes[most], cost: asMoney(costs[most]) }];
}

function reasonForDecision(answers, costs, label) {
  const others = answers.map((_, a) => a).filter((a) => a !== label), least = Math.min(...others.map((a) => costs[a]));
  if (!others.length || costs[label] > least + TOLERANCE * Math.abs(costs[label])) return "";
  const next = others.find((a) => costs[a] === least), kind = (cost) => (cost >= 0 ? "costs" : "brings");
  return [`reason.${kind(costs[label])}-${kind(least)}`, { own: asMoney(Math.abs(costs[label])), other: answers[next], cost: asMoney(Math.abs(least)) }];
}

/* The position of the answer that costs least, of several that of the largest class. */
function cheapestLabel(guide, counts) {
  const cost = (a) => guide.errors[a].reduce((sum, one, c) => sum + one * counts[c], 0), right = (a) => (a < guide.firstDecision ? counts[a] : 0);
  let best = 0;
  for (let a = 1; a < guide.errors.length; a++) {
    const slack = TOLERANCE * cost(best);
    if (cost(a) < cost(best) - slack || (cost(a) <= cost(best) + slack && right(a) > right(best))) best = a;
  }
  return best;
}

class Says {
  constructor(guide) {
    this.guide = guide;
    this.charges = chargesOf(guide);
    const { prices } = guide, priced = prices.full.some((price) => price) || prices.delayed.some(Boolean);
    this.isPriced = priced;
    this.decimals = this.charges.flatMap(({ charge, by }) => by?.prices ?? [charge]).some((amount) => amount % 1) ? 2 : 0;
  }

  above(node) {
    const tests = new Set();
    for (let at = this.guide.parent[node]; at !== null; at = this.guide.parent[at]) tests.add(this.guide.test[at]);
    return tests;
  }

  ordered(node) {
    const settled = this.above(node), tests = new Set(this.guide.reach(node, {}).map((at) => this.guide.test[at]));
    return [...tests].filter((test) => test !== null && !settled.has(test)).map((test) => this.guide.columns[test].name);
  }

  price(amount) {
    if (amount === 0) return say("free");
    const text = words.money(amount, this.decimals);
    return data.unit ? text : say("node.price", { price: text });
  }

  /* What is charged at a node; where that depends on another test, all that cases pay there. */
  priceAt(node) {
    const { charge, by } = this.charges[node], paid = by?.prices ?? [];
    if (paid.length < 2) return this.price(paid[0] ?? charge);
    const amounts = paid.map((amount) => words.money(amount, this.decimals));
    const prices = paid.length <= MOST_SHARES ? listed(amounts, "or") : say("span", { least: amounts[0], most: amounts.at(-1) });
    const price = say("node.by", { prices, test: by.on });
    return data.unit ? price : say("node.price", { price });
  }

  /* What is asked, and its price or why there is none, with what kind of text that is. */
  asking(node) {
    const { guide } = this, { owner, charge } = this.charges[node], test = guide.columns[guide.test[node]].name;
    const again = this.above(node).has(guide.test[node]);
    if (!this.isPriced) return { what: say(again ? "node.again" : "node.asks", { test }), price: "" };
    if (owner === node) {
      const tests = this.ordered(node);
      return { what: say("node.orders", { tests: tests.join(" + ") }), price: say(tests.length === 1 ? "node.result" : "node.results", { price: this.price(charge) }) };
    }
    if (owner !== null) return { what: say("node.reads", { test }), why: say(this.above(owner).has(guide.test[node]) ? "paid" : "ordered") };
    return again ? { what: say("node.again", { test }), why: say("paid") } : { what: say("node.asks", { test }), price: this.priceAt(node) };
  }

  question(node) {
    const { what, price, why } = this.asking(node);
    return why ? `${what} (${why})` : price ? `${what}, ${price}` : what;
  }

  verdict(node) {
    const { guide } = this, label = guide.labels[node], n = guide.weights[node], shares = guide.shares(node);
    const isDecision = label >= guide.firstDecision, reason = reasonFor(guide, label, shares), answer = guide.answers[label];
    const isMost = !isDecision && reason === null, share = words.percent(shares[label] ?? 0);
    const evidence = isDecision ? words.cases(n) : isMost ? `${words.cases(n)}, ${share}` : say("verdict.of", { share, n: words.number(n) });
    const listedOthers = () => (isDecision || guide.classes.length > 2 ? this.others(shares, isDecision ? -1 : label) : []);
    const others = () => { const found = listedOthers(); return found.length || isDecision ? ` (${found.join(", ")})` : ""; };
    const short = isDecision ? `${evidence}${others()}` : evidence;
    const box = reason ? `${short}; ${worded(reason)}` : short;
    const line = () => { // of thousands of leaves only few are told in full
      const why = because(reason);
      if (isMost) return `${answer}  ${evidence}${others()}`;
      return isDecision ? `${answer}  ${evidence}${others()}${why}` : `${say("verdict.are", { evidence, answer, others: others() })}${why}`;
    };
    return { box, line, reason };
  }

  /* The shares of a leaf's other classes, largest first, the last ones summed. */
  others(shares, label) {
    const order = shares.map((_, c) => c).filter((c) => shares[c] && c !== label).sort((a, b) => shares[b] - shares[a] || a - b);
    const named = order.slice(0, MOST_SHARES).map((c) => `${this.guide.classes[c]} ${words.percent(shares[c])}`);
    const left = order.slice(MOST_SHARES), rest = left.reduce((sum, c) => sum + shares[c], 0);
    return rest ? [...named, say("verdict.more", { n: left.length, share: words.percent(rest) })] : named;
  }

  /* What a node says below its title. */
  box(node) {
    if (this.guide.isLeaf(node)) return this.verdict(node).box;
    const orders = this.isPriced && this.charges[node].owner === node ? this.ordered(node) : [];
    if (orders.length < 2) {
      const { price, why } = this.asking(node);
      return why || price || say("free");
    }
    const named = orders.length <= MOST_ORDERED ? orders : [orders[0], say("more", { n: orders.length - 1 })];
    return `${say("node.orders", { tests: named.join(" + ") })}, ${this.price(this.charges[node].charge)}`;
  }

  line(node) { return this.guide.isLeaf(node) ? this.verdict(node).line() : this.question(node); }
}

/* Why an answer is not the most frequent class, as it follows the answer; mostly nothing. */
function because(reason) { return reason && reason.length ? say("because", { reason }) : ""; }

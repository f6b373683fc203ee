"use strict";

/* What each node of a tree charges under a price list, as kernels/cost/charges.py works it out. */

/* For each node what reaching it costs, what a case that ends there has paid in all, and the
   delayed node that has ordered its test, if any. */
function chargesOf(guide) {
  const found = [], purses = [], start = guide.purse();
  guide.test.forEach((test, node) => {
    const parent = guide.parent[node], above = found[parent];
    let owner = null, bill = 0, purse = start;
    if (above) {
      const pays = above.owner !== null || guide.paysAbove(parent, node);
      owner = above.owner;
      bill = above.bill - (pays ? 0 : above.charge);
      purse = pays ? purses[parent].after : purses[parent].before;
    }
    let charge = 0, after = purse, by = null;
    if (test !== null && owner === null) {
      const payment = guide.pay(node, {}, purse);
      if (payment.isOrder) owner = node;
      charge = payment.price;
      after = payment.purse;
      if (guide.depends[test]) {
        by = pricesPaid(guide, node, purse);
        charge = by.prices.reduce((sum, price, i) => sum + by.shares[i] * price, 0);
      }
    }
    purses.push({ before: purse, after });
    found.push({ charge, bill: bill + charge, owner, by });
  });
  return found;
}

/* Where the price of a node's test depends on another: on which, and the prices that training cases
   pay with their shares; charge and bill are then means, as in tree/mix.py. */
function pricesPaid(guide, node, purse) {
  const test = guide.test[node], { on, price } = guide.depends[test], shares = new Map();
  price.forEach((one, level) => {
    const paid = guide.contextPrice(test, { ...purse, full: { [test]: one ?? 0 } }), share = guide.mix[node][level];
    if (share > 0) shares.set(paid, (shares.get(paid) ?? 0) + share);
  });
  const prices = [...shares.keys()].sort((a, b) => a - b);
  return { on: guide.columns[on].name, prices, shares: prices.map((one) => shares.get(one)) };
}

/* What going on saves at each question against answering there, per case by the training cases. */
function savingsOf(guide, charges) {
  const toCome = [], savings = [];
  const cost = (node, label) => guide.counts[node].reduce((sum, count, c) => sum + count * guide.errors[label][c], 0);
  for (let node = guide.test.length - 1; node >= 0; node--) {
    const stopping = cost(node, guide.labels[node]), branches = guide.branches(node), { owner, charge } = charges[node];
    if (!branches.length) {
      toCome[node] = stopping;
      continue;
    }
    const paying = branches.reduce((sum, [, child]) => sum + (owner !== null || guide.paysAbove(node, child) ? guide.weights[child] : 0), 0);
    toCome[node] = branches.reduce((sum, [, child]) => sum + toCome[child], charge * paying);
    savings[node] = (stopping - toCome[node]) / guide.weights[node];
  }
  return savings;
}

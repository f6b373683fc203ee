"use strict";

/* What each node of a tree charges under a price list, as kernels/cost/charges.py works it out. */

/* For each node what reaching it costs, what a case that ends there has paid in all, and the
   delayed node that has ordered its test, if any. */
function chargesOf(guide) {
  const found = [], purses = [], { prices } = guide;
  guide.test.forEach((test, node) => {
    const parent = guide.parent[node], above = found[parent];
    let owner = null, bill = 0, purse = { paid: prices.full.map(() => 0), opened: Array(guide.groups).fill(0) };
    if (above) {
      const pays = above.owner !== null || guide.paysAbove(parent, node);
      owner = above.owner;
      bill = above.bill - (pays ? 0 : above.charge);
      purse = pays ? purses[parent].after : purses[parent].before;
    }
    let charge = 0, after = purse;
    if (test !== null && owner === null) {
      const payment = guide.pay(node, {}, purse);
      if (payment.isOrder) owner = node;
      charge = payment.price;
      after = payment.purse;
    }
    purses.push({ before: purse, after });
    found.push({ charge, bill: bill + charge, owner });
  });
  return found;
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

"use strict";

/* What if tests or errors cost more or less: the tree's answers and costs at other prices, counted
   anew from its cases. The consultation stays at the prices of the list. */

const SPAN = 1, STEP = 0.02; // sliders reach from a tenth to ten times, in powers of ten
const MOST_CLASSES = 6;

class Prices {
  constructor(model, view, holder) {
    Object.assign(this, { model, view, holder, factors: new Map() });
    this.learned = view.learned;
    listeners.push(() => this.show());
  }

  /* The tests asked whose price depends on another; no slider moves them. */
  get conditional() {
    const { model } = this, asked = new Set(model.test);
    return model.columns.filter((_, test) => asked.has(test) && model.depends?.[test]).map(({ name }) => name);
  }

  /* What can be moved: the tests that the tree asks, and what it costs to miss a class. */
  get sliders() {
    const { model, learned } = this, asked = [...new Set(model.test.filter((test) => test !== null))].filter((test) => model.prices.full[test] > 0 && !model.depends?.[test]);
    const tests = asked.map((test) => ({ key: `test ${test}`, name: say("prices.test", { test: model.columns[test].name }), amount: model.prices.full[test] }));
    const missed = learned.classes.map((name, c) => ({ key: `class ${c}`, name: say("prices.miss", { case: name }), amount: missCost(learned, c) })).filter(({ amount }) => amount > 0);
    const all = { key: "errors", name: say("prices.errors"), amount: Math.max(...missed.map(({ amount }) => amount)) };
    return [...(missed.length > MOST_CLASSES ? [all] : missed), ...tests];
  }

  factor(key) { return this.factors.get(key) ?? 1; }

  get isMoved() { return [...this.factors.values()].some((factor) => factor !== 1); }

  /* The tree at the prices that the sliders say; leaves answer what costs least there. */
  altered() {
    const { model, learned } = this, { prices } = model, of = (test) => this.factor(`test ${test}`);
    const full = prices.full.map((price, test) => price * of(test));
    const discount = prices.discount.map((row, test) => row.map((one) => Math.min(one, full[test])));
    const errors = model.errors.map((row, a) => row.map((cost, c) => (
      a < learned.firstDecision && a !== c ? cost * this.factor("errors") * this.factor(`class ${c}`) : cost)));
    const guide = new Guide({ ...model, prices: { ...prices, full, discount }, errors });
    if (model.blind || !this.isMoved) return guide;
    guide.labels = guide.labels.map((label, node) => (guide.weights[node] > 0 ? cheapestLabel(guide, guide.counts[node]) : label));
    return guide;
  }

  /* What a case costs by the cases that the tree was learned from, and where it now errs. */
  judged(guide) {
    const charges = chargesOf(guide), found = { tests: 0, errors: 0, changed: 0, leaves: 0, stops: new Set() };
    guide.test.forEach((test, node) => {
      if (test !== null) return;
      const { labels, counts } = guide, share = guide.weights[node] / guide.weights[0];
      found.leaves += 1;
      found.changed += labels[node] !== this.learned.labels[node];
      found.tests += share * charges[node].bill;
      found.errors += counts[node].reduce((sum, count, c) => sum + count * guide.errors[labels[node]][c], 0) / guide.weights[0];
    });
    const root = guide.counts[0].map((count) => count / guide.weights[0]);
    found.guess = guide.errorCost(cheapestLabel(guide, guide.counts[0]), root);
    if (this.isMoved) savingsOf(guide, charges).forEach((saving, node) => { if (saving < -TOLERANCE) found.stops.add(node); });
    return found;
  }

  show() {
    const rows = this.sliders.map((slider) => this.row(slider)), reset = button(say("prices.reset"), () => { this.factors.clear(); this.show(); this.move(); }, { id: "prices-reset" });
    const said = element("p", undefined, { id: "prices-said", role: "status" });
    const tests = this.conditional, grid = element("div", undefined, { class: "sliders" });
    grid.append(...rows);
    this.holder.replaceChildren(element("p", say(this.model.blind ? "prices.blind" : "prices.about"), { class: "why" }), ...(tests.length ? [element("p", say("prices.depends", { tests: ["both", { texts: tests }] }), { class: "why" })] : []), grid, said, reset);
    this.tell(this.judged(this.altered()));
  }

  row({ key, name, amount }) {
    const row = element("label", undefined, { class: "slider-row" }), value = element("output");
    const slider = element("input", undefined, { type: "range", min: -SPAN, max: SPAN, step: STEP, "data-price": key });
    slider.value = Math.log10(this.factor(key));
    const tell = () => {
      value.textContent = words.money(amount * this.factor(key));
      slider.setAttribute("aria-valuetext", value.textContent);
    };
    slider.addEventListener("input", () => {
      const power = Number(slider.value);
      this.factors.set(key, Math.abs(power) < STEP / 2 ? 1 : 10 ** power);
      tell();
      this.move();
    });
    tell();
    row.append(element("span", name), slider, value);
    return row;
  }

  /* Draw the tree as it is judged at these prices. */
  move() {
    const guide = this.altered(), found = this.judged(guide);
    this.view.judge(guide, found.stops);
    this.tell(found);
  }

  tell({ tests, errors, guess, changed, leaves, stops }) {
    const total = say("prices.costs", { tests: asMoney(tests), errors: asMoney(errors), total: asMoney(tests + errors), guess: asMoney(guess) });
    const moved = say("prices.changed", { n: changed, all: leaves, stops: stops.size });
    byId("prices-said").textContent = this.isMoved ? `${total} ${moved}` : total;
    byId("prices-reset").disabled = !this.isMoved;
  }
}

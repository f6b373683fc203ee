"use strict";

/* The trees that are best somewhere, along a slider over the price of an error. */

class FrontierView {
  constructor(frontier) {
    Object.assign(this, frontier);
    this.views = new Map();
    this.slider = byId("price");
    this.slider?.addEventListener("input", () => this.show(Number(this.slider.value)));
    byId("own-price")?.addEventListener("click", () => this.show(this.own));
    addEventListener("resize", () => this.draw());
    listeners.push(() => this.show(this.number));
    this.show(this.start);
  }

  show(number) {
    this.number = number;
    const point = this.points[number];
    if (this.slider) {
      this.slider.value = number;
      this.slider.setAttribute("aria-valuetext", worded(point.prices));
      byId("price-text").textContent = worded(point.prices);
    }
    byId("point").replaceChildren(...this.figures(point).map(([figure, what]) => {
      const item = element("li");
      item.append(element("strong", worded(figure)), " ", element("span", what.replaceAll(" %", "\u00a0%")));
      return item;
    }));
    this.draw();
    this.showTree(number);
  }

  /* What is known of a point: a figure, and what it is. */
  figures(point) {
    const found = [], unit = data.unit ?? "";
    if (this.told) {
      const part = ([key, values]) => (key === "with-interval" ? [worded(values.value), say("interval.after", values)] : [say(key), ""]);
      const [tests, about] = part(point.told_tests), [wrong, aboutWrong] = part(point.told_wrong);
      found.push([tests, say("frontier.tests", { about })], [wrong, say("frontier.wrong", { about: aboutWrong })]);
      if (this.case !== null) {
        const [sensitivity, aboutFound] = part(point.found), [specificity, aboutRuled] = part(point.ruled_out);
        found.push([sensitivity, say("frontier.found", { case: this.case, about: aboutFound })], [specificity, say("frontier.ruled-out", { about: aboutRuled })]);
      }
    } else {
      found.push([point.tests, say("frontier.tests-estimated")], [point.errors, say("frontier.errors-estimated")]);
    }
    if (point.saves) found.push([point.saves, say(unit ? "frontier.saved" : "frontier.saved-any", { unit })]);
    return found;
  }

  /* Every tree has a picture of its own, which keeps what was opened in it. */
  showTree(number) {
    const holder = byId("point-tree");
    for (const { box, details } of this.views.values()) box.hidden = details.hidden = true;
    const known = this.views.get(number);
    if (known) {
      known.box.hidden = known.details.hidden = false;
      return;
    }
    const box = element("div"), details = element("span");
    holder.append(box);
    byId("point-details").append(details);
    this.views.set(number, { box, details, view: new TreeView(new Guide(this.points[number].model), box, details, "frontier-title") });
  }

  /* Where the points are: what tests cost, and how often the answer is wrong. */
  draw() {
    const holder = byId("points"), { points } = this, W = Math.min(Math.floor(holder.getBoundingClientRect().width) || 640, 640), H = 240, L = 52, B = 38, T = 26, R = 18;
    const most = (values) => Math.max(...values) || 1;
    const wide = most(points.map((one) => one.x)), high = most(points.map((one) => one.high ?? one.y));
    const sx = (value) => L + (value / wide) * (W - L - R), sy = (value) => H - B - (value / high) * (H - B - T);
    const up = say(this.told ? "frontier.up" : "frontier.up-estimated"), across = withUnit(say("frontier.across"));
    const svg = make("svg", { viewBox: `0 0 ${W} ${H}`, width: W, height: H, role: "img", "aria-label": say("chart.over", { up, across }) });
    const add = (...what) => svg.append(make(...what));
    for (const tick of ticks(0, high, false, 6)) {
      add("line", { x1: L, x2: W - R, y1: sy(tick), y2: sy(tick), class: "grid" });
      add("text", { x: L - 6, y: sy(tick) + 4, class: "tick end" }, words.percent(tick));
    }
    for (const tick of ticks(0, wide, false, W < 480 ? 5 : 8)) add("text", { x: sx(tick), y: H - B + 17, class: "tick mid" }, tickText(tick));
    add("text", { x: 0, y: 12, class: "tick" }, up);
    add("text", { x: (L + W - R) / 2, y: H - 4, class: "tick mid" }, across);
    const kind = (name, i) => `${name}${i === this.number ? " now" : ""}${i === this.own ? " own" : ""}`;
    if (this.told) points.forEach((one, i) => add("line", { x1: sx(one.x), x2: sx(one.x), y1: sy(one.low), y2: sy(one.high), class: kind("reach", i) }));
    add("path", { d: points.map((one, i) => `${i ? "L" : "M"}${sx(one.x)} ${sy(one.y)}`).join(" "), class: "curve k0" });
    const order = [...points.keys()].sort((a, b) => (a === this.number) - (b === this.number)); // the one shown on top
    for (const i of order) {
      const dot = make("circle", { cx: sx(points[i].x), cy: sy(points[i].y), r: i === this.number ? 7 : 5, class: kind("dot", i) });
      dot.append(make("title", {}, say("frontier.costs", { prices: points[i].prices })));
      dot.addEventListener("click", () => this.show(i));
      svg.append(dot);
    }
    holder.replaceChildren(svg);
  }
}

const frontierView = new FrontierView(data.frontier);

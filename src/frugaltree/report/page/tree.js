"use strict";

/* The tree as a picture: branches open and close, the page scrolls, a word finds its nodes. */

const LINE = 14, EDGE = 12, SLANT = 26, MARGIN = 600;
const MOST = 150; // pixels of a line of text
const FIRST = { wide: 40, narrow: 14 }; // nodes shown at first
const THIN = 1, THICK = 13; // pixels of a branch that next to none of all cases take, or all
const SMALLEST = 0.12, LARGEST = 3; // scales

class TreeView {
  constructor(guide, holder, details, label) {
    Object.assign(this, { guide, holder, details, label, learned: guide, current: 0, scale: 1, hits: [], hit: 0 });
    this.path = new Set();
    this.found = new Set();
    this.stops = new Set(); // questions that cost more than they save, at other prices
    this.parent = guide.parent;
    this.colours = coloursOf(guide);
    this.speak();
    holder.addEventListener("click", (event) => this.at(event, (node) => this.toggle(node)));
    holder.addEventListener("keydown", (event) => this.at(event, (node) => this.key(event, node)));
    holder.addEventListener("focusin", (event) => this.at(event, (node) => this.select(node)));
    holder.addEventListener("mouseover", (event) => this.at(event, (node, box) => this.hint(node, box)));
    holder.addEventListener("scroll", () => { if (Math.abs(holder.scrollTop - this.painted) > MARGIN / 2) this.paint(); });
    addEventListener("resize", () => this.paint());
    this.closed = this.closedBeyond(matchMedia("(max-width: 40rem)").matches ? FIRST.narrow : FIRST.wide);
    this.draw();
    this.select(0);
    this.scrollTo(0, true);
    listeners.push(() => { this.speak(); this.draw(); this.select(this.current); });
  }

  /* Put in words what does not change with what is open. */
  speak() {
    this.says = new Says(this.guide);
    this.conditions = this.guide.conditions.map((phrase) => (phrase ? worded(phrase) : ""));
    this.texts = this.conditions.map((text, node) => (text ? this.branchWords(this.parent[node], text) : ""));
  }

  /* Show the tree under other prices; `stops` are questions no longer worth their price. */
  judge(guide, stops) {
    Object.assign(this, { guide, stops });
    this.says = new Says(guide);
    this.draw();
    this.select(this.current);
  }

  /* Whether a leaf answers otherwise than the learned tree. */
  isChanged(node) { return this.guide.isLeaf(node) && this.guide.labels[node] !== this.learned.labels[node]; }

  at(event, act) {
    const box = event.target.closest?.("[data-node]");
    if (box) act(Number(box.dataset.node), box);
  }

  /* ------------------------------------------------------------ what is open */

  below(node) { return this.closed.has(node) ? [] : this.guide.branches(node).map(([, child]) => child); }

  questions() { return new Set(this.guide.test.flatMap((test, node) => (test === null ? [] : [node]))); }

  /* What to close to show no more than so many nodes, whole levels of them; the first is open. */
  closedBeyond(most) {
    const closed = this.questions();
    let level = [0], shown = 1;
    while (level.length) {
      const next = level.flatMap((node) => this.guide.branches(node).map(([, child]) => child));
      if (shown > 1 && shown + next.length > most) break;
      level.forEach((node) => closed.delete(node));
      shown += next.length;
      level = next;
    }
    return closed;
  }

  openAll() { this.closed.clear(); this.draw(); this.goTo(this.current); }
  closeAll() { this.closed = this.questions(); this.draw(); this.goTo(this.current); }

  toggle(node) {
    if (!this.guide.isLeaf(node)) {
      if (!this.closed.delete(node)) this.closed.add(node);
      this.draw();
    }
    this.focus(node);
  }

  reveal(node) { for (let at = this.parent[node]; at !== null; at = this.parent[at]) this.closed.delete(at); }

  /* ------------------------------------------------------- one node of them all */

  /* The node that the Tab key comes to, told of in full below the picture. */
  select(node) {
    const box = (at) => this.svg.querySelector(`[data-node="${at}"]`);
    box(this.current)?.setAttribute("tabindex", -1);
    this.current = node;
    box(node)?.setAttribute("tabindex", 0);
    this.details.textContent = this.description(node);
  }

  focus(node) {
    if (node === null || node === undefined) return;
    this.goTo(node);
    this.svg.querySelector(`[data-node="${node}"]`).focus({ preventScroll: true });
  }

  goTo(node) { this.select(node); this.scrollTo(node); }

  /* Bring a node into view, and so into being: of a large tree only what is in view is drawn. */
  scrollTo(node, centred = false) {
    const { holder, scale } = this, place = this.places.get(node), column = this.columns[place.depth];
    const top = (this.middle(place) - this.row / 2) * scale, left = (column.x - EDGE) * scale;
    const height = this.row * scale, width = (column.box + 2 * EDGE) * scale;
    if (centred || top < holder.scrollTop || top + height > holder.scrollTop + holder.clientHeight) holder.scrollTop = top - (holder.clientHeight - height) / 2;
    if (left < holder.scrollLeft || left + width > holder.scrollLeft + holder.clientWidth) holder.scrollLeft = left - (holder.clientWidth - width) / 2;
    this.paint();
  }

  /* Show the way to the nodes where a case stands. */
  highlight(nodes) {
    this.path.clear();
    for (const node of nodes) {
      for (let at = node; at !== null; at = this.parent[at]) this.path.add(at);
      this.reveal(node);
    }
    this.draw();
    this.goTo(nodes.find((node) => !this.guide.isLeaf(node)) ?? nodes[0]);
  }

  search(text) {
    const wanted = text.trim().toLowerCase();
    const says = (node) => `${this.title(node)} ${this.texts[node]}`.toLowerCase();
    this.hits = wanted ? [...this.guide.test.keys()].filter((node) => says(node).includes(wanted)) : [];
    this.found = new Set(this.hits);
    this.hit = 0;
    if (this.hits.length) this.nextHit(0);
    else this.draw();
  }

  nextHit(step) {
    const n = this.hits.length;
    if (!n) return;
    this.hit = (this.hit + step + n) % n;
    this.reveal(this.hits[this.hit]);
    this.draw();
    this.goTo(this.hits[this.hit]);
  }

  key(event, node) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const order = [...this.places.keys()], at = order.indexOf(node), [child] = this.below(node);
    const toggle = () => this.toggle(node);
    const act = {
      Enter: toggle,
      " ": toggle,
      ArrowRight: this.closed.has(node) ? toggle : () => this.focus(child),
      ArrowLeft: child === undefined ? () => this.focus(this.parent[node]) : toggle,
      ArrowUp: () => this.focus(order[at - 1]),
      ArrowDown: () => this.focus(order[at + 1]),
      Home: () => this.focus(order[0]),
      End: () => this.focus(order[order.length - 1]),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /* As large as shows all that is open. */
  fit() {
    const { holder } = this, most = parseFloat(getComputedStyle(holder).maxHeight) || innerHeight;
    const wide = holder.clientWidth / this.width, high = (most - 4) / this.height;
    this.zoom(Math.min(1.5, wide, high) / this.scale);
    holder.scrollTop = holder.scrollLeft = 0;
    this.paint();
  }

  zoom(factor) {
    this.scale = Math.min(LARGEST, Math.max(SMALLEST, this.scale * factor));
    this.draw();
    this.goTo(this.current);
  }

  /* ------------------------------------------------------------- what is said */

  title(node) {
    const { guide } = this;
    if (guide.isLeaf(node)) return guide.answers[guide.labels[node]];
    return guide.columns[guide.test[node]].name;
  }

  branchWords(above, text) {
    const { name } = this.guide.columns[this.guide.test[above]];
    return text.startsWith(`${name} = `) ? text.slice(name.length + 3) : text.slice(name.length + 1);
  }

  evidence(node) { return this.says.box(node); }

  /* What stands in a box below its title. */
  second(node) {
    const said = this.says.box(node), before = this.isChanged(node) ? say("tree.before", { answer: this.guide.answers[this.learned.labels[node]] }) : "";
    return [said, before, this.stops.has(node) ? say("tree.stop") : ""].filter(Boolean).join("; ") + (this.closed.has(node) ? " ▸" : "");
  }

  /* The lines of a box, and those on its branch. */
  lines(node) {
    return {
      branch: wrapped(this.texts[node], SMALL, MOST),
      title: wrapped(this.title(node) + (this.guide.isLeaf(node) ? "" : "?"), TITLE, MOST),
      second: wrapped(this.second(node), SMALL, MOST),
    };
  }

  description(node) {
    const { guide, says } = this, way = [];
    for (let at = node; this.parent[at] !== null; at = this.parent[at]) way.unshift(this.conditions[at]);
    const shares = guide.classes.map((label, c) => [label, guide.counts[node][c]]).filter(([, count]) => count > 0)
      .sort((a, b) => b[1] - a[1]).slice(0, 6)
      .map(([label, count]) => `${label} ${words.percent(count / guide.weights[node])}`).join(", ");
    const what = guide.isLeaf(node)
      ? say("tree.answers", { answer: `${this.title(node)}${because(says.verdict(node).reason)}`, bill: asMoney(says.charges[node].bill) })
      : says.line(node);
    const more = [this.isChanged(node) && say("tree.before", { answer: guide.answers[this.learned.labels[node]] }), this.stops.has(node) && say("tree.stop")];
    return [`${way.length ? `${way.join(", ")}: ` : ""}${[what, ...more.filter(Boolean)].join("; ")}. ${words.cases(guide.weights[node])}: ${shares}`].join("");
  }

  /* What a box says to who points at it; to say it of every box at once would take long. */
  hint(node, box) {
    if (!box.querySelector("title")) box.prepend(make("title", {}, this.description(node)));
  }

  /* ------------------------------------------------------------------ picture */

  /* Where nodes stand, in preorder, and the columns, as wide as what is said in them. */
  layout() {
    const places = new Map(), columns = [], stack = [[0, 0, false]];
    let rows = 0, row = 0;
    while (stack.length) {
      const [node, depth, done] = stack.pop(), children = this.below(node);
      if (done) {
        places.get(node).y = (places.get(children[0]).y + places.get(children[children.length - 1]).y) / 2;
        continue;
      }
      const lines = this.lines(node), column = (columns[depth] ??= { branch: 0, box: 0 });
      column.branch = Math.max(column.branch, widest(lines.branch, SMALL));
      column.box = Math.max(column.box, widest(lines.title, TITLE) + 28, widest(lines.second, SMALL) + 20);
      const height = 13 + LINE * (lines.title.length + lines.second.length);
      row = Math.max(row, height + 10);
      places.set(node, { depth, lines, height, y: children.length ? 0 : rows++ });
      if (children.length) stack.push([node, depth, true], ...children.map((child) => [child, depth + 1, false]).reverse());
    }
    let x = EDGE;
    for (const [depth, column] of columns.entries()) {
      column.x = x + (depth ? SLANT + column.branch + 14 : 0);
      x = column.x + column.box;
    }
    return { places, columns, row, rows, width: x + EDGE };
  }

  draw() {
    Object.assign(this, this.layout());
    while (!this.places.has(this.current)) this.current = this.parent[this.current];
    this.height = this.rows * this.row + 2 * EDGE;
    const { width, height, scale } = this, { scrollLeft, scrollTop } = this.holder;
    this.svg = make("svg", { viewBox: `0 0 ${width} ${height}`, width: width * scale, height: height * scale, role: "tree", "aria-labelledby": this.label });
    this.holder.replaceChildren(this.svg);
    this.holder.scrollLeft = scrollLeft;
    this.holder.scrollTop = scrollTop;
    this.paint();
  }

  /* Draw what is in view and the node that Tab comes to, or everything. */
  paint(everything = false) {
    const { holder, places } = this, lines = make("g", { "aria-hidden": true }), boxes = make("g", { role: "none" });
    const focused = document.activeElement?.dataset?.node;
    this.painted = holder.scrollTop;
    const from = (holder.scrollTop - MARGIN) / this.scale, to = (holder.scrollTop + (holder.clientHeight || 800) + MARGIN) / this.scale;
    for (const [node, place] of places) {
      const above = this.parent[node], y = this.middle(place), up = above === null ? y : this.middle(places.get(above));
      if (above !== null && (everything || (Math.max(y, up) >= from && Math.min(y, up) <= to))) lines.append(...this.line(node, place, places.get(above)));
      if (everything || node === this.current || (y >= from && y <= to)) boxes.append(this.box(node, place));
    }
    this.svg.replaceChildren(lines, boxes);
    if (focused !== undefined) this.svg.querySelector(`[data-node="${focused}"]`)?.focus({ preventScroll: true });
  }

  middle(place) { return EDGE + (place.y + 0.5) * this.row; }

  line(node, place, above) {
    const { columns } = this, x = columns[above.depth].x + columns[above.depth].box, y = this.middle(place);
    const share = this.guide.weights[node] / this.guide.weights[0];
    const d = `M${x} ${this.middle(above)} L${x + SLANT} ${y} L${columns[place.depth].x} ${y}`;
    return [
      make("path", { d, class: this.path.has(node) ? "way" : "line", "stroke-width": THIN + (THICK - THIN) * share }),
      ...place.lines.branch.map((text, i) => make("text", { x: x + SLANT + 6, y: y - 5 - ((THICK - THIN) * share) / 2 + i * (LINE + 4 + (THICK - THIN) * share), class: "branch" }, text)),
    ];
  }

  box(node, place) {
    const { guide } = this, leaf = guide.isLeaf(node), { x, box: width } = this.columns[place.depth], { lines, height } = place;
    const beside = this.parent[node] === null ? [node] : this.below(this.parent[node]);
    const { colour, isDear } = this.colours[guide.labels[node]];
    const kinds = { box: true, ask: !leaf, answer: leaf, [colour]: leaf, dear: leaf && isDear, changed: this.isChanged(node) || this.stops.has(node), onway: this.path.has(node), found: this.found.has(node), hit: this.hits[this.hit] === node };
    const box = make("g", {
      class: Object.keys(kinds).filter((kind) => kinds[kind]).join(" "),
      transform: `translate(${x} ${this.middle(place) - height / 2})`,
      "data-node": node,
      tabindex: node === this.current ? 0 : -1,
      role: "treeitem",
      "aria-label": `${this.texts[node]} ${this.title(node)}${leaf ? "" : "?"} ${this.second(node)}`.trim(),
      "aria-level": place.depth + 1,
      "aria-setsize": beside.length,
      "aria-posinset": beside.indexOf(node) + 1,
    });
    if (!leaf) box.setAttribute("aria-expanded", !this.closed.has(node));
    const texts = [...lines.title.map((text) => [text, "title"]), ...lines.second.map((text) => [text, "small"])];
    box.append(
      make("rect", { x: -4, y: -4, width: width + 8, height: height + 8, rx: 9, class: "ring" }),
      make("rect", { width, height, rx: 6, class: "frame" }),
      ...(leaf ? this.bar(node, width, height) : []),
      ...(leaf && isDear ? [make("path", { d: DEAR, transform: "translate(5 5)", class: "sign" })] : []),
      ...texts.map(([text, kind], i) => make("text", { x: width / 2, y: 15 + i * LINE, class: kind }, `${text} `)),
    );
    return box;
  }

  /* The classes of a leaf's cases, as shares of a line at its foot. */
  bar(node, width, height) {
    const { guide } = this, inside = width - 12, shares = guide.shares(node), found = [];
    let x = 6;
    for (const c of shares.keys()) {
      const wide = inside * (shares[c] || 0), colour = this.colours[guide.answers.indexOf(guide.classes[c])]?.colour ?? "c6";
      if (wide > 0) found.push(make("rect", { x, y: height - 6, width: wide, height: 3, class: `share ${colour}` }));
      x += wide;
    }
    return found;
  }
}

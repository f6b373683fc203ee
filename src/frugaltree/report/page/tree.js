"use strict";

/* The tree as a picture: branches open and close, the page scrolls, a word finds its nodes. */

const SVG = "http://www.w3.org/2000/svg";
const ROW = 46, COLUMN = 236, BOX = 128, FIRST = 40, MARGIN = 600;

class TreeView {
  constructor(guide, holder, words) {
    this.guide = guide;
    this.holder = holder;
    this.words = words;
    this.closed = new Set();
    this.path = new Set();
    this.found = new Set();
    this.scale = 1;
    this.parent = guide.test.map(() => null);
    guide.children.forEach((children, node) => children.forEach((child) => { if (child !== null) this.parent[child] = node; }));
    this.texts = guide.test.map(() => "");
    guide.children.forEach((_, node) => guide.branches(node).forEach(([, child], place) => {
      this.texts[child] = this.branchWords(node, guide.branches_text[node][place]);
    }));
    holder.addEventListener("click", (event) => this.at(event, (node) => this.toggle(node)));
    holder.addEventListener("keydown", (event) => this.at(event, (node) => this.key(event, node)));
    for (const kind of ["mouseover", "focusin"]) holder.addEventListener(kind, (event) => this.at(event, (node, box) => this.describe(node, box)));
    holder.addEventListener("scroll", () => { if (Math.abs(holder.scrollTop - this.painted) > MARGIN / 2) this.paint(); });
    addEventListener("beforeprint", () => this.paint(true));
    addEventListener("resize", () => this.paint());
    this.openTo(FIRST);
  }

  at(event, act) {
    const box = event.target.closest?.("[data-node]");
    if (box) act(Number(box.dataset.node), box);
  }

  /* What a box says to who points at it; to say it of every box at once would take long. */
  describe(node, box) {
    if (box.querySelector("title")) return;
    const title = document.createElementNS(SVG, "title");
    title.textContent = this.description(node);
    box.prepend(title);
    box.setAttribute("aria-label", title.textContent);
  }

  below(node) { return this.closed.has(node) ? [] : this.guide.branches(node).map(([, child]) => child); }

  /* Open level by level until about so many nodes are shown. */
  openTo(most) {
    this.closed = new Set(this.guide.test.flatMap((test, node) => (test === null ? [] : [node])));
    let shown = 1;
    const queue = [0];
    while (queue.length && shown < most) {
      const node = queue.shift();
      if (!this.closed.delete(node)) continue;
      const children = this.below(node);
      shown += children.length;
      queue.push(...children);
    }
    this.draw();
  }

  openAll() { this.closed.clear(); this.draw(); }
  closeAll() { this.openTo(1); }

  toggle(node) {
    if (this.guide.isLeaf(node)) return;
    if (!this.closed.delete(node)) this.closed.add(node);
    this.draw();
    this.focus(node);
  }

  focus(node) {
    this.scrollTo(node);
    this.holder.querySelector(`[data-node="${node}"]`)?.focus();
  }

  /* Bring a node into view, and so into being: of a large tree only what is in view is drawn. */
  scrollTo(node) {
    const place = this.places.get(node), { holder, scale } = this;
    if (!place) return;
    const top = place.y * ROW * scale, left = place.x * COLUMN * scale;
    if (top < holder.scrollTop || top + ROW * scale > holder.scrollTop + holder.clientHeight) holder.scrollTop = top - holder.clientHeight / 2;
    if (left < holder.scrollLeft || left + BOX * scale > holder.scrollLeft + holder.clientWidth) holder.scrollLeft = left - holder.clientWidth / 2;
    this.paint();
  }

  reveal(node) { for (let at = this.parent[node]; at !== null; at = this.parent[at]) this.closed.delete(at); }

  /* Show the way to the nodes where a case stands. */
  highlight(nodes) {
    this.path.clear();
    for (const node of nodes) {
      for (let at = node; at !== null; at = this.parent[at]) this.path.add(at);
      this.reveal(node);
    }
    this.draw();
  }

  search(text) {
    const wanted = text.trim().toLowerCase();
    this.found.clear();
    if (wanted) {
      this.guide.test.forEach((_, node) => {
        if (`${this.title(node)} ${this.texts[node]}`.toLowerCase().includes(wanted)) this.found.add(node);
      });
      [...this.found].slice(0, 200).forEach((node) => this.reveal(node));
    }
    this.draw();
    const first = this.found.values().next();
    if (!first.done) this.scrollTo(first.value);
    return this.found.size;
  }

  title(node) {
    const { guide } = this;
    if (guide.isLeaf(node)) return guide.classes[guide.labels[node]];
    return guide.columns[guide.test[node]].name;
  }

  branchWords(above, text) {
    const { name } = this.guide.columns[this.guide.test[above]];
    return text.startsWith(`${name} = `) ? text.slice(name.length + 3) : text.slice(name.length + 1);
  }

  evidence(node) {
    const { guide } = this, share = guide.counts[node][guide.labels[node]] / guide.weights[node];
    return `${this.words.cases(guide.weights[node])}, ${this.words.percent(share)}`;
  }

  description(node) {
    const { guide } = this;
    const shares = guide.classes.map((label, c) => [label, guide.counts[node][c]]).filter(([, count]) => count > 0)
      .sort((a, b) => b[1] - a[1]).slice(0, 6)
      .map(([label, count]) => `${label} ${this.words.percent(count / guide.weights[node])}`).join(", ");
    const what = guide.isLeaf(node)
      ? `answers ${this.title(node)}; bill ${this.words.money(guide.bill[node])}`
      : `asks ${this.title(node)}, ${this.words.money(guide.charge[node])}`;
    const branch = this.texts[node];
    return `${branch ? `${branch}: ` : ""}${what}. ${this.words.cases(guide.weights[node])}: ${shares}`;
  }

  layout() {
    const places = new Map();
    let rows = 0, deepest = 0;
    const stack = [[0, 0, false]];
    while (stack.length) {
      const [node, depth, done] = stack.pop(), children = this.below(node);
      if (!children.length) {
        places.set(node, { x: depth, y: rows++ });
        deepest = Math.max(deepest, depth);
      } else if (done) {
        const first = places.get(children[0]).y, last = places.get(children[children.length - 1]).y;
        places.set(node, { x: depth, y: (first + last) / 2 });
      } else {
        stack.push([node, depth, true], ...children.map((child) => [child, depth + 1, false]).reverse());
      }
    }
    return { places, rows, deepest };
  }

  draw() {
    const { places, rows, deepest } = this.layout();
    this.places = places;
    const width = deepest * COLUMN + BOX + 24, height = rows * ROW + 16;
    this.svg = this.make("svg", { viewBox: `0 0 ${width} ${height}`, width: width * this.scale, height: height * this.scale, role: "tree", "aria-label": "the decision tree" });
    const { scrollLeft, scrollTop } = this.holder;
    this.holder.replaceChildren(this.svg);
    this.holder.scrollLeft = scrollLeft;
    this.holder.scrollTop = scrollTop;
    this.paint();
  }

  make(kind, values, text) {
    const element = document.createElementNS(SVG, kind);
    for (const [key, value] of Object.entries(values)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    return element;
  }

  /* Draw what is in view, or everything. */
  paint(everything = false) {
    const { holder, places } = this, lines = this.make("g", {}), boxes = this.make("g", {});
    const focused = document.activeElement?.dataset?.node;
    this.painted = holder.scrollTop;
    const from = (holder.scrollTop - MARGIN) / this.scale, to = (holder.scrollTop + (holder.clientHeight || 800) + MARGIN) / this.scale;
    for (const [node, place] of places) {
      const above = this.parent[node], y = this.middle(place), up = above === null ? y : this.middle(places.get(above));
      if (!everything && (Math.max(y, up) < from || Math.min(y, up) > to)) continue;
      if (above !== null) this.line(lines, node, place, places.get(above));
      if (everything || (y >= from && y <= to)) boxes.append(this.box(node, place));
    }
    this.svg.replaceChildren(lines, boxes);
    if (focused !== undefined) this.svg.querySelector(`[data-node="${focused}"]`)?.focus({ preventScroll: true });
  }

  middle(place) { return place.y * ROW + ROW / 2 + 8; }

  line(lines, node, place, above) {
    const x0 = above.x * COLUMN + 8 + BOX, y0 = this.middle(above), y = this.middle(place);
    const share = this.guide.weights[node] / this.guide.weights[this.parent[node]];
    lines.append(
      this.make("path", { d: `M${x0} ${y0} L${x0 + 26} ${y} L${place.x * COLUMN + 8} ${y}`, class: this.path.has(node) ? "way" : "line", "stroke-width": 1 + 4 * share }),
      this.make("text", { x: x0 + 30, y: y - 5, class: "branch" }, short(this.texts[node], 13)),
    );
  }

  box(node, place) {
    const leaf = this.guide.isLeaf(node), closed = this.closed.has(node);
    const kind = `box ${leaf ? `answer c${Math.min(this.guide.labels[node], 6)}` : "ask"}${this.path.has(node) ? " onway" : ""}${this.found.has(node) ? " found" : ""}`;
    const name = `${this.texts[node]} ${leaf ? "answers" : "asks"} ${this.title(node)}`.trim();
    const box = this.make("g", { class: kind, tabindex: 0, role: "treeitem", "data-node": node, transform: `translate(${place.x * COLUMN + 8} ${this.middle(place) - 18})`, "aria-level": place.x + 1, "aria-label": name });
    if (!leaf) box.setAttribute("aria-expanded", String(!closed));
    const second = leaf ? this.evidence(node) : this.words.money(this.guide.charge[node]) + (closed ? " ▸" : "");
    box.append(
      this.make("rect", { width: BOX, height: 36, rx: 6 }),
      this.make("text", { x: BOX / 2, y: 15, class: "title" }, short(this.title(node), 17) + (leaf ? "" : "?")),
      this.make("text", { x: BOX / 2, y: 29, class: "small" }, second),
    );
    return box;
  }

  key(event, node) {
    const above = this.parent[node], children = this.below(node);
    const beside = above === null ? [node] : this.below(above), at = beside.indexOf(node);
    const moves = { ArrowLeft: above, ArrowRight: children[0], ArrowUp: beside[at - 1], ArrowDown: beside[at + 1] };
    if (event.key === "Enter" || event.key === " ") this.toggle(node);
    else if (event.key in moves) { if (moves[event.key] != null) this.focus(moves[event.key]); }
    else return;
    event.preventDefault();
  }

  zoom(factor) { this.scale = Math.min(3, Math.max(0.2, this.scale * factor)); this.draw(); }
}

function short(text, most) { return text.length > most ? `${text.slice(0, most - 1)}…` : text; }

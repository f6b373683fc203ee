"use strict";

/* The tree on paper: all of a small one; of a large one its first levels, and what else is open
   unless that is much. A picture that would be too small to read becomes a list. */

const PRINTED = 200, PAPER = 1000; // nodes, and pixels of a picture that can be read on a page

class Paper {
  constructor(view) {
    this.view = view;
    this.folded = [];
    addEventListener("beforeprint", () => this.open());
    addEventListener("afterprint", () => this.close());
  }

  open() {
    this.folded = [...document.querySelectorAll("details.fold:not([open])")];
    for (const one of this.folded) one.open = true;
    byId("printed").textContent = say("paper.printed", { date: new Date().toLocaleDateString(language, { dateStyle: "long" }) });
    const { view } = this, { closed, scale } = view, all = view.guide.test.length;
    this.kept ??= { closed, scale };
    view.scale = 1;
    const first = view.closedBeyond(PRINTED);
    view.closed = new Set([...first].filter((node) => closed.has(node)));
    if (view.layout().places.size > 2 * PRINTED) view.closed = first;
    view.draw();
    if (Math.max(view.width, view.height) > PAPER) view.holder.replaceChildren(this.outline([0]));
    else view.paint(true);
    const left = all - view.places.size;
    view.details.textContent = left ? say("paper.left-out", { n: ["number", { value: left }], all: ["number", { value: all }] }) : "";
  }

  close() {
    for (const one of this.folded) one.open = false;
    Object.assign(this.view, this.kept);
    this.kept = undefined;
    this.view.draw();
    this.view.goTo(this.view.current);
  }

  /* Nodes and what is open below them as a list, worded as the text of a tree. */
  outline(nodes) {
    const { view } = this, list = document.createElement("ul");
    for (const node of nodes) {
      const item = document.createElement("li"), below = view.below(node);
      const says = view.guide.isLeaf(node) ? `${view.title(node)}, ${view.evidence(node)}` : view.says.line(node);
      const more = view.closed.has(node) ? ` … ${say("paper.more", { n: ["number", { value: this.under(node) }] })}` : "";
      item.textContent = `${view.conditions[node]}${node ? ": " : ""}${says}${more}`;
      if (below.length) item.append(this.outline(below));
      list.append(item);
    }
    return list;
  }

  /* How many nodes a node has below it, open or not. */
  under(node) {
    const found = [node];
    for (const at of found) found.push(...this.view.guide.branches(at).map(([, child]) => child));
    return found.length - 1;
  }
}

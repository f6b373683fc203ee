"use strict";

const guide = new Guide(data.model);

const view = new TreeView(guide, byId("tree"), byId("details"), "tree-title");
new Paper(view);
byId("larger").addEventListener("click", () => view.zoom(1.25));
byId("smaller").addEventListener("click", () => view.zoom(0.8));
byId("fit").addEventListener("click", () => view.fit());
byId("open-all").addEventListener("click", () => view.openAll());
byId("close-all").addEventListener("click", () => view.closeAll());
listeners.push(() => colourKey(byId("colours"), guide, view.colours));

function found() {
  const n = view.hits.length;
  byId("hits").textContent = n ? say("tree.hit", { i: view.hit + 1, n }) : byId("search").value.trim() && say("tree.no-hit");
  for (const id of ["previous", "next"]) byId(id).disabled = n < 2;
}
function find(act) { act(); found(); }
byId("search").addEventListener("input", () => find(() => view.search(byId("search").value)));
byId("search").addEventListener("keydown", (event) => { if (event.key === "Enter") find(() => view.nextHit(event.shiftKey ? -1 : 1)); });
byId("previous").addEventListener("click", () => find(() => view.nextHit(-1)));
byId("next").addEventListener("click", () => find(() => view.nextHit(1)));
listeners.push(found);

const caseView = new CaseView(guide, view);
if (byId("prices")) new Prices(data.model, view, byId("prices"));

/* ------------------------------------------------------------------------ curves */

function curves() {
  if (byId("sensitivity")) {
    const s = data.sensitivity;
    const gains = [s.tree, s.guess, ...Object.values(s.others)].some((values) => values.some((value) => value < 0));
    chart(byId("sensitivity"), { x: s.factors, logX: true, logY: !gains, mark: 1, up: ["chart.cost", {}], across: ["chart.factor", {}], lines: [
      { name: ["strategy.this", {}], values: s.tree, kind: "k0" },
      { name: ["strategy.always", { answer: s.answer }], values: s.guess, kind: "k1" },
      { name: ["strategy.oracle", {}], values: s.everything, kind: "k2" },
      ...Object.entries(s.others).map(([name, values], i) => ({ name: data.names[name] ?? name, values, kind: `k${3 + (i % 3)}` })),
    ] });
  }
  if (byId("history") && data.history) {
    const h = data.history, lines = [{ name: ["chart.best", {}], values: h.costs, kind: "k0" }];
    if (h.bounds) lines.push({ name: ["chart.bound", {}], values: h.bounds, kind: "k5" });
    chart(byId("history"), { x: h.seconds, steps: true, up: ["chart.cost", {}], across: ["chart.seconds", {}], lines });
    byId("history").closest("details")?.addEventListener("toggle", () => dispatchEvent(new Event("resize")));
  }
}
curves();

/* ---------------------------------------------------------------------- languages */

const chooser = byId("language");
for (const one of languages) chooser.append(element("option", data.messages[one].language, { value: one, lang: one }));
chooser.value = language;
chooser.addEventListener("change", () => choose(chooser.value));

"use strict";

/* Lines over time or over a factor, drawn without help. */

function chart(holder, { x, lines, logX, logY, label, steps, mark }) {
  const W = 560, H = 240, L = 56, B = 34, T = 12, R = 12;
  const flat = lines.flatMap((line) => line.values).filter((value) => !logY || value > 0);
  const scale = (values, log, from, to) => {
    const f = log ? Math.log10 : (value) => value;
    let low = f(Math.min(...values)), high = f(Math.max(...values));
    if (!log) low = Math.min(low, 0);
    if (high === low) high = low + 1;
    return { at: (value) => from + ((f(value) - low) / (high - low)) * (to - from), low, high, log };
  };
  const sx = scale(x, logX, L, W - R), sy = scale(flat, logY, H - B, T);
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${W} ${H}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  const add = (kind, values, text) => {
    const element = document.createElementNS(SVG, kind);
    for (const [key, value] of Object.entries(values)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    svg.appendChild(element);
  };
  const ticks = ({ low, high, log }) => Array.from({ length: 5 }, (_, i) => low + (i * (high - low)) / 4).map((v) => (log ? 10 ** v : v));
  const number = (value) => (Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(2))));
  for (const tick of ticks(sy)) {
    add("line", { x1: L, x2: W - R, y1: sy.at(tick), y2: sy.at(tick), class: "grid" });
    add("text", { x: L - 6, y: sy.at(tick) + 4, class: "tick end" }, number(tick));
  }
  for (const tick of ticks(sx)) add("text", { x: sx.at(tick), y: H - B + 16, class: "tick mid" }, number(tick));
  add("text", { x: (L + W) / 2, y: H - 3, class: "tick mid" }, label);
  if (mark !== undefined) add("line", { x1: sx.at(mark), x2: sx.at(mark), y1: T, y2: H - B, class: "mark" });
  for (const line of lines) {
    let path = "";
    line.values.forEach((value, i) => {
      if (logY && value <= 0) return;
      const px = sx.at(x[i]), py = sy.at(value);
      path += path ? (steps ? ` H${px} V${py}` : ` L${px} ${py}`) : `M${px} ${py}`;
    });
    add("path", { d: path, class: `curve ${line.kind}` });
  }
  const key = document.createElement("p");
  key.className = "key";
  for (const line of lines) {
    const item = document.createElement("span");
    item.className = line.kind;
    item.textContent = line.name;
    key.appendChild(item);
  }
  holder.replaceChildren(key, svg);
}

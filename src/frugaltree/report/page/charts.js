"use strict";

/* Lines over time or over a factor, drawn without help. */

function chart(holder, about) {
  const draw = () => drawChart(holder, about);
  addEventListener("resize", draw);
  listeners.push(draw);
  draw();
}

const tickText = (value) => words.rounded(value, 0, 6, { minimumFractionDigits: undefined, maximumFractionDigits: undefined, maximumSignificantDigits: 6 });
const withUnit = (text) => (data.unit ? `${text}, ${data.unit}` : text);

/* Round numbers between two: steps of 1, 2 or 5, on a scale of powers as few as can be told apart. */
function ticks(low, high, log, most) {
  const between = (values) => values.filter((value) => value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)).map((value) => Number(value.toPrecision(6)));
  if (log) {
    const from = Math.floor(Math.log10(low)), powers = Array.from({ length: Math.ceil(Math.log10(high)) - from + 1 }, (_, i) => 10 ** (from + i));
    const choices = [[1, 2, 5], [1, 3], [1]].map((digits) => between(powers.flatMap((power) => digits.map((digit) => digit * power))));
    if (choices[0].length > 2) return choices.find((choice) => choice.length <= most) ?? choices[2];
  }
  const rough = (high - low) / most, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((size) => size >= rough), first = Math.ceil(low / step - 1e-9);
  return between(Array.from({ length: most + 2 }, (_, i) => (first + i) * step));
}

function drawChart(holder, about) {
  const { x, logX, logY, steps, mark } = about, across = worded(about.across), up = withUnit(worded(about.up));
  const lines = about.lines.map((line) => ({ ...line, name: worded(line.name) }));
  const W = Math.min(Math.floor(holder.getBoundingClientRect().width) || 640, 640), H = 260, L = 52, B = 38, T = 26, R = 14;
  const scale = (values, log, from, to) => {
    const f = log ? Math.log10 : (value) => value;
    let low = values.reduce((a, b) => Math.min(a, b), log ? Infinity : 0), high = values.reduce((a, b) => Math.max(a, b), -Infinity);
    if (!(high > low)) [low, high] = log ? (high > 0 ? [high / 2, high * 2] : [1, 10]) : [0, Math.max(high, 1)];
    return { low, high, log, at: (value) => from + ((f(value) - f(low)) / (f(high) - f(low))) * (to - from) };
  };
  const shown = (value) => value !== null && (!logY || value > 0);
  const sx = scale(x, logX, L, W - R), sy = scale(lines.flatMap((line) => line.values).filter(shown), logY, H - B, T);
  const label = `${say("chart.over", { up, across })}: ${lines.map((line) => line.name).join(", ")}`;
  const svg = make("svg", { viewBox: `0 0 ${W} ${H}`, width: W, height: H, role: "img", "aria-label": label });
  const add = (...what) => svg.append(make(...what));
  for (const tick of ticks(sy.low, sy.high, logY, 8)) {
    add("line", { x1: L, x2: W - R, y1: sy.at(tick), y2: sy.at(tick), class: "grid" });
    add("text", { x: L - 6, y: sy.at(tick) + 4, class: "tick end" }, tickText(tick));
  }
  for (const tick of ticks(sx.low, sx.high, logX, W < 480 ? 5 : 8)) {
    add("line", { x1: sx.at(tick), x2: sx.at(tick), y1: H - B, y2: H - B + 4, class: "grid" });
    add("text", { x: sx.at(tick), y: H - B + 17, class: "tick mid" }, tickText(tick));
  }
  add("text", { x: 0, y: 12, class: "tick" }, up);
  add("text", { x: (L + W - R) / 2, y: H - 4, class: "tick mid" }, across);
  if (mark !== undefined) add("line", { x1: sx.at(mark), x2: sx.at(mark), y1: T, y2: H - B, class: "mark" });
  for (const line of lines) {
    let path = "";
    line.values.forEach((value, i) => {
      if (!shown(value)) return;
      const px = sx.at(x[i]), py = sy.at(value);
      path += path ? (steps ? ` H${px} V${py}` : ` L${px} ${py}`) : `M${px} ${py}`;
    });
    add("path", { d: path, class: `curve ${line.kind}` });
  }
  const key = document.createElement("ul");
  key.className = "key";
  for (const line of lines) {
    const item = document.createElement("li"), swatch = make("svg", { width: 24, height: 8, "aria-hidden": true });
    swatch.append(make("path", { d: "M0 4 H24", class: `curve ${line.kind}` }));
    item.append(swatch, line.name);
    key.append(item);
  }
  holder.replaceChildren(key, svg);
}

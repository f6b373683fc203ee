"use strict";

/* Colours by meaning: warm for the class that is dearest to miss, cool for the cheapest, the same
   in trees, keys and the consultation. Each has a second sign: a triangle, or another outline. */

const WARM = 1, COOL = 0, BETWEEN = [4, 3, 2, 5], DECIDED = 6, EVEN = [0, 2, 3, 4, 5, 6], DASHES = 4;
const DEAR = "M0 7 L4 0 L8 7 Z";

/* What it costs to miss a class, at most. */
function missCost(guide, c) { return Math.max(0, ...guide.errors.map((row, a) => (guide.answers[a] === guide.classes[c] ? 0 : row[c]))); }

/* By label the colour of an answer, and whether it is the class that is dearest to miss. */
function coloursOf(guide) {
  const costs = guide.classes.map((_, c) => missCost(guide, c)), most = Math.max(...costs), least = Math.min(...costs);
  const used = new Map(), even = most - least <= TOLERANCE * Math.abs(most);
  const next = (colour) => { used.set(colour, (used.get(colour) ?? -1) + 1); return `c${colour} d${used.get(colour) % DASHES}`; };
  let between = 0;
  return guide.answers.map((answer, a) => {
    const c = a < guide.firstDecision ? a : -1;
    if (c < 0) return { colour: next(DECIDED), isDear: false };
    if (even) return { colour: next(EVEN[c % EVEN.length]), isDear: false };
    if (costs[c] === most) return { colour: next(WARM), isDear: true, cost: most };
    return { colour: next(costs[c] === least ? COOL : BETWEEN[between++ % BETWEEN.length]), isDear: false };
  });
}

/* What the colours of a tree mean, where there are few. */
function colourKey(holder, guide, colours) {
  const items = guide.answers.length > 8 ? [] : guide.answers.map((answer, a) => {
    const item = element("li"), { colour, isDear, cost } = colours[a], sign = make("svg", { width: 22, height: 14, class: `answer ${colour} `, "aria-hidden": true });
    sign.append(make("rect", { x: 1, y: 1, width: 20, height: 12, rx: 3, class: "swatch" }), ...(isDear ? [make("path", { d: DEAR, transform: "translate(7 4)", class: "sign" })] : []));
    item.append(sign, isDear ? say("tree.dearest", { answer, cost: asMoney(cost) }) : answer);
    return item;
  });
  holder.replaceChildren(...items);
}

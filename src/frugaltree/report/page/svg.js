"use strict";

/* Shapes, and how much text fits into them. */

const SVG = "http://www.w3.org/2000/svg";

function make(kind, values, text) {
  const element = document.createElementNS(SVG, kind);
  for (const [key, value] of Object.entries(values)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

const TITLE = "600 12px system-ui, sans-serif", SMALL = "11px system-ui, sans-serif";
const pen = document.createElement("canvas").getContext("2d"), measured = new Map();

function wide(text, font) {
  const key = font + text;
  if (!measured.has(key)) {
    pen.font = font;
    measured.set(key, pen.measureText(text).width);
  }
  return measured.get(key);
}

function widest(lines, font) { return Math.ceil(Math.max(0, ...lines.map((line) => wide(line, font)))); }

/* How many characters of a text fit. */
function fitting(text, font, most) {
  let n = Math.min(text.length, most);
  while (n > 1 && wide(text.slice(0, n), font) > most) n--;
  return n;
}

/* A text in two lines at most, cut where even they do not hold it. */
function wrapped(text, font, most) {
  if (wide(text, font) <= most) return text ? [text] : [];
  const fits = fitting(text, font, most), at = text.slice(0, fits + 1).search(/[\s,;:/_-][^\s,;:/_-]*$/) + 1;
  const first = text.slice(0, at || fits).trim(), rest = text.slice(at || fits).trim();
  return [first, wide(rest, font) <= most ? rest : `${rest.slice(0, fitting(rest, font, most - 10))}…`];
}

"use strict";

/* Numbers as people type them, by the same rule as consult/values.py: one decimal sign at most, a
   point or a comma, and nothing that could be left out or mean two things. */

const NUMBER = /^[+-]?([0-9]+([.,][0-9]+)?|[.,][0-9]+)$/;
const GROUPED = /^[+-]?[1-9][0-9]{0,2},[0-9]{3}$/;
const SLACK = 1e-6;

/* The number that was typed, or a phrase that says why it is none. */
function readNumber(typed) {
  const text = typed.trim(), value = Number(text.replace(",", "."));
  if (!text) return { refusal: ["number.none", {}] };
  if (GROUPED.test(text)) return { refusal: ["number.grouped", { text, whole: text.replace(",", ""), parted: text.replace(",", ".") }] };
  if (!NUMBER.test(text) || !Number.isFinite(value)) return { refusal: ["number.refused", { text }] };
  return { value };
}

function shortNumber(value) { return String(Number(value.toPrecision(10))); }

/* How a number lies outside the range seen in training, null where it does not or none is known. */
function sayOutside(value, range, weight) {
  if (!range) return null;
  const [low, high] = range;
  const side = value < low - SLACK * Math.abs(low) ? "below" : value > high + SLACK * Math.abs(high) ? "above" : null;
  if (!side) return null;
  return [`outside.${side}`, { value: asShort(value), n: ["number", { value: weight }], low: asShort(low), high: asShort(high) }];
}

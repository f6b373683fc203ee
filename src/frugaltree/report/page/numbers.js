"use strict";

/* Numbers as people type them, by the same rule as consult/values.py: one decimal sign at most, a
   point or a comma, and nothing that could be left out or mean two things. */

const NUMBER = /^[+-]?([0-9]+([.,][0-9]+)?|[.,][0-9]+)$/;
const GROUPED = /^[+-]?[1-9][0-9]{0,2},[0-9]{3}$/;
const ACCEPTED = "digits with at most one decimal sign, such as 12.5 or 12,5";
const SLACK = 1e-6;

/* The number that was typed, or a sentence that says why it is none. */
function readNumber(typed) {
  const text = typed.trim(), value = Number(text.replace(",", "."));
  if (!text) return { refusal: `Type a number: ${ACCEPTED}.` };
  if (GROUPED.test(text)) return { refusal: `${text} can mean ${text.replace(",", "")} or ${text.replace(",", ".")}; type it as one of these.` };
  if (!NUMBER.test(text) || !Number.isFinite(value)) return { refusal: `“${text}” is not taken as a number; type ${ACCEPTED}.` };
  return { value };
}

function shortNumber(value) { return String(Number(value.toPrecision(10))); }

/* How a number lies outside the range seen in training, null where it does not or none is known. */
function sayOutside(value, range, weight) {
  if (!range) return null;
  const [least, greatest] = range;
  const side = value < least - SLACK * Math.abs(least) ? "below" : value > greatest + SLACK * Math.abs(greatest) ? "above" : null;
  if (!side) return null;
  const [number] = words.cases(weight).split(" ");
  return `${shortNumber(value)} is ${side} all ${number} training cases (${shortNumber(least)} to ${shortNumber(greatest)})`;
}

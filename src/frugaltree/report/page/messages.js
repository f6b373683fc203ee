"use strict";

/* Every text of the page, in the language that is chosen. A phrase is a key of the message files
   with its values; what users wrote, names of tests, values and classes, is never translated. */

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const languages = Object.keys(data.messages);

/* What the browser keeps until its window is closed; some keep nothing, such as frames. */
const kept = {
  get(key) { try { return sessionStorage.getItem(key); } catch { return null; } },
  set(key, text) { try { sessionStorage.setItem(key, text); } catch { /* it is not kept, then */ } },
};

let language = [kept.get("frugaltree language"), ...navigator.languages.map((one) => one.split("-")[0]), "en"].find((one) => languages.includes(one));
const listeners = [];

function message(key) { return data.messages[language][key] ?? data.messages.en[key]; }

function say(key, values = {}) {
  if (key in formats) return formats[key](values);
  return message(key).replace(/\{(\w+)\}/g, (_, name) => worded(values[name]));
}

/* A phrase is a pair of a key and its values; plain text is what a user wrote. */
function worded(phrase) { return Array.isArray(phrase) ? say(...phrase) : String(phrase ?? ""); }

const numberForms = new Map(); // each is dear to make

function numberForm(options) {
  const key = JSON.stringify(options);
  if (!numberForms.has(key)) numberForms.set(key, new Intl.NumberFormat("en-US", options));
  return numberForms.get(key);
}

const words = {
  /* Halves go to the even neighbour, as Python writes them. What counts is the number itself, not
     its shortest form: 44.735 is a little less than it looks. */
  rounded(number, least, most, more = {}) {
    const options = { minimumFractionDigits: least, maximumFractionDigits: most, roundingMode: "halfEven", ...more };
    return words.signs(numberForm(options).format(number.toFixed(30)));
  },
  signs(text) { return language === "en" ? text : text.replace(/[.,]/g, (sign) => message(sign === "." ? "number.point" : "number.comma")); },
  money(amount, decimals = 2, unit = true) {
    const small = amount > 0 && amount < 10 ** -decimals / 2;
    const text = small ? words.signs(String(Number(amount.toPrecision(2)))) : words.rounded(amount, decimals, decimals);
    if (!data.unit || !unit) return text;
    return /\p{Ll}/u.test(data.unit) ? `${text} ${data.unit}` : `${data.unit} ${text}`;
  },
  percent(share) {
    if (share > 0 && share < 0.01) return "<1 %";
    if (share > 0.99 && share < 1) return ">99 %";
    return `${words.rounded(100 * share, 0, 0)} %`;
  },
  number(value) { return words.rounded(value, 0, 1); },
  cases(weight) {
    const n = words.number(weight);
    return say(n === "1" ? "cases.one" : "cases.many", { n });
  },
};

const formats = {
  money: ({ amount, decimals, unit }) => words.money(amount, decimals, Boolean(unit)),
  percent: ({ share }) => words.percent(share),
  "percent.fine": ({ share }) => `${words.rounded(100 * share, 1, 1)} %`,
  number: ({ value }) => words.number(value),
  signed: ({ amount }) => `${amount < 0 ? "-" : "+"}${words.rounded(Math.abs(amount), 2, 2)}`,
  short: ({ value }) => words.signs(shortNumber(value)),
  exact: ({ value }) => words.signs(String(value)),
  rough: ({ value }) => words.signs(String(Number(value.toPrecision(2)))),
  times: ({ value }) => words.rounded(value, 0, 0),
  cases: ({ weight }) => words.cases(weight),
  either: ({ texts }) => listed(texts, "or"),
  both: ({ texts }) => listed(texts, "and"),
  joined: ({ texts, by }) => texts.map(worded).join(worded(by)),
};

const asMoney = (amount, more = {}) => ["money", { amount, unit: true, ...more }];
const asShort = (value) => ["short", { value }];

/* Values as a list in a sentence, the last two joined by a word. */
function listed(texts, joint) {
  const all = texts.map(worded), last = all.pop() ?? "";
  return all.length ? `${all.join(", ")} ${message(joint)} ${last}` : last;
}

/* Put all that stands on the page, and what is drawn into it, in the language chosen. */
function translate() {
  document.documentElement.lang = language;
  for (const one of document.querySelectorAll("[data-say]")) one.textContent = worded(JSON.parse(one.dataset.say));
  for (const one of document.querySelectorAll("[data-label]")) one.setAttribute("aria-label", worded(JSON.parse(one.dataset.label)));
  for (const table of document.querySelectorAll("table")) {
    const heads = [...table.querySelectorAll("thead th")].map((head) => head.textContent.trim());
    for (const row of table.querySelectorAll("tbody tr")) [...row.cells].forEach((cell, i) => { if (i) cell.dataset.head = heads[i]; });
  }
  for (const listener of listeners) listener();
}

function choose(chosen) {
  language = chosen;
  kept.set("frugaltree language", chosen);
  translate();
}

/* ------------------------------------------------------------------- elements */

function element(kind, text, more = {}) {
  const made = document.createElement(kind);
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(more)) made.setAttribute(key, value);
  return made;
}

function button(text, act, more) {
  const made = element("button", text, { type: "button", ...more });
  made.addEventListener("click", act);
  return made;
}

// Why an item matched or not: as text with marks, and as a picture of the pattern with its bindings.

import { announce, button, clean, fill, foreign, foreignLink, h } from "./dom.js";
import { showDialog } from "./dialogs.js";

const MAX_WHY_CHARACTERS = 20000;
const MAX_ROWS_SHOWN = 20;

/** Return an explanation as text: a line for each condition, with what was found in it marked. */
export function whyBlock(text) {
  const lines = clean(text, MAX_WHY_CHARACTERS).trimEnd().split("\n");
  if (lines.length > 1 && /^\S+ (matches|does not match) /.test(lines[0])) lines.shift(); // the place says so already
  const indent = Math.min(...lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/)), 8);
  return h("pre", { class: "why", tabindex: "0", "aria-label": "Explanation" }, lines.map((line) => lineOf(line.slice(indent))));
}

// A condition: its mark, what it says, and after three spaces the reason.
const CONDITION = /^(\s*)([✔✘]) (.*?)(?: {3,}(.*))?$/;

function lineOf(line) {
  const found = CONDITION.exec(line);
  if (found === null) return h("span", { class: "line" }, excerpts(line), "\n");
  const [, depth, mark, condition, reason] = found;
  const element = h("span", { class: `line ${mark === "✔" ? "holds" : "fails"}` }, h("span", { class: "mark", text: mark }), " ", condition,
    reason && h("span", { class: "reason" }, "  ", excerpts(reason)), "\n");
  element.style.setProperty("--depth", String(depth.length / 2));
  return element;
}

function excerpts(line) {
  return line.split(/(«[^»]*»)/).map((part) => (part.startsWith("«") ? h("mark", { text: part }) : part));
}

/** Return solutions (SPARQL 1.1 Query Results JSON) as a table; null if there is none. */
export function bindingsTable(rows) {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (names.length === 0) return null;
  return h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Bindings" }, h("table", { class: "bindings" },
    h("thead", {}, h("tr", {}, names.map((name) => h("th", { scope: "col", text: `?${name}` })))),
    h("tbody", {}, rows.slice(0, MAX_ROWS_SHOWN).map((row) => h("tr", {}, names.map((name) => h("td", {}, value(row[name]))))))));
}

function value(term) {
  if (term === undefined) return "";
  return term.type === "uri" ? foreignLink(term.value, term.value) : foreign(term.value);
}

/** Open the dialog that explains one item. `load` returns a promise of {matched, text, bindings, picture}. */
export async function explainItem(item, name, load) {
  const body = h("div", { class: "explanation", "aria-busy": "true" }, h("p", { class: "note", text: "Explaining…" }));
  const element = showDialog(foreign(item.title), body);
  const addresses = [];
  element.addEventListener("close", () => addresses.forEach((each) => URL.revokeObjectURL(each)), { once: true });
  try {
    const found = await load();
    fill(body, verdict(found.matched, name), picture(found, addresses), bindingsTable(found.bindings ?? []), h("h3", { text: "In words" }), whyBlock(found.text));
    announce(found.matched ? "It matches." : "It does not match.");
  } catch (problem) {
    fill(body, h("p", { class: "problem", role: "alert", text: problem.message }));
  }
  body.removeAttribute("aria-busy");
}

function verdict(matched, name) {
  return h("p", { class: `verdict ${matched ? "holds" : "fails"}` }, h("span", { "aria-hidden": "true", text: matched ? "✔ " : "✘ " }),
    matched ? "This item matches " : "This item does not match ", h("q", {}, foreign(name)));
}

// A picture is shown as an image: the browser runs no script and loads nothing from inside it. It is shown whole; one that
// had to be made smaller for that, as on a phone, can be enlarged and then scrolled, also with the arrow keys.
function picture(found, addresses) {
  if (!found.picture) return null;
  const address = URL.createObjectURL(found.picture);
  addresses.push(address);
  const alt = `The pattern as a graph; ${found.matched ? "every edge and constraint holds" : "what fails is red and dashed"}. The text below says the same.`;
  const image = h("img", { src: address, alt });
  const frame = h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Picture of the pattern" }, image);
  const enlarge = button("Enlarge", () => enlarge.setAttribute("aria-pressed", String(frame.classList.toggle("enlarged"))), "small", { "aria-pressed": "false", "aria-label": "Enlarge the picture", hidden: true });
  image.addEventListener("click", () => { if (!enlarge.hidden) enlarge.click(); });
  image.addEventListener("load", () => { enlarge.hidden = image.naturalWidth <= image.clientWidth; });
  return h("figure", { class: "picture" }, frame,
    h("figcaption", { class: "spread" }, h("span", { class: "note", text: "Boxes are variables and values, arrows are properties. Green holds; red and dashed fails." }), enlarge));
}

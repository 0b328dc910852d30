// What a text would do: how many a day, which of the newest items match, and which nearly do.

import { button, fill, foreign, h } from "./dom.js";
import { count, number } from "./format.js";
import { explainItem, whyBlock } from "./explanation.js";
import { itemList } from "./item_list.js";
import * as api from "./api.js";

const NEWEST_SHOWN = 8;
const DELIVERS = "What it would deliver";

/** Shows the result of a check. `add(condition)` adds a condition of the short form to the text. */
export class Preview {
  constructor({ add }) {
    this.add = add;
    this.element = h("section", { class: "preview", "aria-labelledby": "preview-title" });
    this.body = h("div", { "aria-live": "polite", "aria-atomic": "false" });
    this.title = h("h2", { id: "preview-title" });
    this.element.append(this.title, this.body);
  }

  /** Without a text: show the newest items, whose categories can be clicked. */
  async showNewest() {
    this.title.textContent = "Newest items";
    const asked = (this.asked = Symbol("question"));
    let items;
    try {
      items = await api.items(NEWEST_SHOWN);
    } catch (problem) {
      return fill(this.body, h("p", { class: "problem", text: problem.message }));
    }
    if (asked !== this.asked) return undefined;
    if (items.length === 0) {
      return fill(this.body, h("div", { class: "empty" }, h("p", { text: "Nothing has been published yet." }),
        h("p", {}, "Add a feed on the page ", h("a", { href: "#/feeds", text: "Feeds" }), ", or publish something with ", h("code", { text: "gtopss publish" }), ".")));
    }
    return fill(this.body, h("p", { class: "note", text: "Choose a category to subscribe to it, or write what you want to hear about." }),
      itemList(items, { oncategory: (category) => this.add(category) }));
  }

  showBusy() {
    this.element.setAttribute("aria-busy", "true");
  }

  /** After a mistake: what was shown before stays, but it is out of date. */
  showMistake() {
    this.asked = null;
    this.element.removeAttribute("aria-busy");
    if (this.title.textContent === DELIVERS) this.title.textContent = "Out of date: mend the mistake first";
    this.element.classList.add("outdated");
  }

  /** Show what the service says about a text. */
  show(found, text, form) {
    this.asked = null;
    this.element.removeAttribute("aria-busy");
    this.element.classList.remove("outdated");
    this.title.textContent = DELIVERS;
    fill(this.body, forecast(found), warnings(found.warnings), results(found, text, form), meaning(found, form));
  }
}

function forecast(found) {
  const { publications, matched, note } = found.dry_run;
  const isKnown = found.per_day !== null;
  const share = `${number(matched)} of the newest ${count(publications, "item")}`;
  if (note || publications === 0) return h("p", { class: "forecast" }, h("span", { class: "note", text: note ?? "There is no item to try it on yet." }));
  return h("p", { class: "forecast" }, h("strong", { text: isKnown ? found.forecast : share }),
    h("span", { class: "note", text: isKnown ? `${share} match` : "match; how many a day is not known yet" }));
}

function warnings(given) {
  if (given.length === 0) return null;
  return h("ul", { class: "warnings", "aria-label": "Warnings" }, given.map((each) => h("li", {}, foreign(each))));
}

function results(found, text, form) {
  const { matches, nearest, matched } = found.dry_run;
  return [
    matches.length > 0 && h("h3", { text: matched > matches.length ? `Matched: the newest ${number(matches.length)} of ${number(matched)}` : "Matched" }),
    tried(matches, text, form, { matched: true, isFirst: true }),
    nearest.length > 0 && h("h3", { text: "Nearly matched" }),
    tried(nearest, text, form, { matched: false, isFirst: matches.length === 0 }),
    matches.length === 0 && nearest.length === 0 && found.dry_run.publications > 0
      && h("p", { class: "empty", text: "No recent item comes near. That may be right for something rare; a broader word finds more." }),
  ];
}

// The explanation of the first item is open, to show that there is one.
function tried(items, text, form, { matched, isFirst }) {
  return h("ul", { class: "items" }, items.map((item, place) => h("li", { class: `item ${matched ? "holds" : "fails"}` },
    h("details", { open: place === 0 && isFirst },
      h("summary", {}, h("span", { class: "mark", "aria-hidden": "true", text: matched ? "✔" : "✘" }), h("span", { class: "item-title" }, foreign(item.title))),
      whyBlock(item.why),
      button("Show the pattern", () => explainItem(item, text, () => api.explainText(item.id, text, form)), "quiet small")))));
}

function meaning(found, form) {
  if (form !== "short") return null;
  return h("details", { class: "meaning" }, h("summary", { text: "The same in SPARQL" }), h("pre", { class: "code", tabindex: "0", text: found.query }));
}

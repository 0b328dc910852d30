// Items of feeds as a list: title, where they come from, when, and their categories.

import { button, clean, foreign, foreignLink, h } from "./dom.js";
import { timeElement } from "./format.js";

const MAX_CATEGORIES_SHOWN = 4;
const MAX_SUMMARY_CHARACTERS = 220;

/** `oncategory(text)` makes categories buttons; `actions(item)` returns buttons for an item. */
export function itemList(items, { oncategory = null, actions = () => null } = {}) {
  return h("ul", { class: "items" }, items.map((item) => h("li", { class: "item" }, itemCard(item, { oncategory, actions }))));
}

export function itemCard(item, { oncategory = null, actions = () => null, when = item.published_at ?? item.received_at } = {}) {
  const categories = [...new Set(item.categories ?? [])].slice(0, MAX_CATEGORIES_SHOWN);
  const summary = plainText(item.summary ?? "");
  return h("article", {},
    h("p", { class: "item-title" }, foreignLink(item.link, item.title || "Without a title")),
    h("p", { class: "note" }, origin(item, when)),
    summary !== "" && h("p", { class: "summary" }, foreign(clean(summary, MAX_SUMMARY_CHARACTERS))),
    (categories.length > 0 || actions(item)) && h("div", { class: "chips" },
      categories.map((each) => (oncategory === null ? h("span", { class: "tag" }, foreign(clean(each, 40))) : button(foreign(clean(each, 40)), () => oncategory(each), "tag"))),
      actions(item)));
}

function origin(item, when) {
  const named = /^file:/.test(item.source_title ?? "") ? null : item.source_title; // a path on the server says nothing
  const source = named ?? host(item.link) ?? "";
  const parts = [source !== "" && foreign(source), ...(item.authors ?? []).slice(0, 3).map(foreign), when && timeElement(when)].filter(Boolean);
  return parts.flatMap((part, place) => (place === 0 ? [part] : [" · ", part]));
}

function host(address) {
  try {
    return new URL(address).hostname.replace(/^www\./, "");
  } catch {
    return null;
  }
}

// A summary may be HTML. Its tags are removed for reading; what remains is a text in any case, and no markup.
function plainText(html) {
  return html.replace(/<[^>]*>/g, " ").replace(/&(#x?[0-9a-f]{1,6}|amp|lt|gt|quot|apos|nbsp);/gi, (whole, name) => character(name) ?? whole).replace(/\s+/g, " ").trim();
}

const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

function character(name) {
  if (!name.startsWith("#")) return ENTITIES[name.toLowerCase()];
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

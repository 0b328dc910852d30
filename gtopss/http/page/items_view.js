// The newest items, each of which can be asked why it matches a subscription, or why not.

import { button, clean, debounce, field, fill, h } from "./dom.js";
import { explainItem } from "./explanation.js";
import { itemList } from "./item_list.js";
import * as api from "./api.js";
import * as tickets from "./tickets.js";

const ITEMS_SHOWN = 100;

/** `subscription` is the id of the one that is chosen at first. */
export function itemsView({ subscription = null }) {
  const mine = tickets.all();
  const chosen = h("select", { id: "for" }, mine.map((each) => h("option", { value: each.id, text: clean(each.name || each.text, 60) })));
  if (subscription !== null && mine.some((each) => each.id === subscription)) chosen.value = subscription;
  const words = h("input", { id: "find", type: "search", placeholder: "word in a title", autocomplete: "off" });
  const body = h("div", { "aria-busy": "true" }, h("p", { class: "note", text: "Loading…" }));
  let items = [];
  const explain = (item) => {
    const kept = tickets.get(chosen.value);
    return explainItem(item, kept.name || kept.text, () => api.explain(kept, item.id));
  };
  const show = () => fill(body, found(items, words.value, mine.length > 0 ? explain : null));
  words.addEventListener("input", debounce(show, 120));
  api.items(ITEMS_SHOWN).then((given) => { items = given; show(); }, (problem) => fill(body, h("p", { class: "problem", role: "alert", text: problem.message })))
    .finally(() => body.removeAttribute("aria-busy"));
  const element = h("section", { class: "view narrow", "aria-labelledby": "items-title" },
    h("h1", { id: "items-title", text: "Newest items" }),
    mine.length > 0
      ? h("p", { class: "lead", text: "Ask of any of them why it matches a subscription, or what is missing." })
      : h("p", { class: "lead" }, "With a ", h("a", { href: "#/", text: "subscription" }), ", you can ask of any of them why it matches, or what is missing."),
    h("div", { class: "inline" }, mine.length > 0 && field("Subscription", chosen), field("Find", words)), body);
  return { title: "Newest items", element };
}

function found(items, words, explain) {
  if (items.length === 0) {
    return h("div", { class: "empty" }, h("p", { text: "Nothing has been published yet." }), h("p", {}, "Add a feed on the page ", h("a", { href: "#/feeds", text: "Feeds" }), "."));
  }
  const wanted = words.trim().toLowerCase();
  const shown = items.filter((item) => (item.title ?? "").toLowerCase().includes(wanted));
  if (shown.length === 0) return h("p", { class: "empty", text: "No title has this word." });
  return itemList(shown, {
    actions: (item) => (explain === null ? null : button("Why, or why not?", () => explain(item), "quiet small", { "aria-label": `Why, or why not: ${clean(item.title, 80)}` })),
  });
}

// Show the view that the address names (`#/feeds`), and say where the person is.

import { fill, h } from "./dom.js";
import { closeDialog } from "./dialogs.js";
import { feedsView } from "./feeds_view.js";
import { itemsView } from "./items_view.js";
import { mineView } from "./mine_view.js";
import { watchReadiness } from "./readiness.js";
import { serviceView } from "./service_view.js";
import { subscriptionView } from "./subscription_view.js";
import { writeView } from "./write_view.js";

// Each view is a function that returns { title, element, stop }: `stop` is called when the person leaves it.
const ROUTES = [
  [/^\/?$/, () => writeView({}), "/"],
  [/^\/edit\/([\w-]+)$/, (id) => writeView({ replaced: id }), "/mine"],
  [/^\/mine$/, mineView, "/mine"],
  [/^\/s\/([\w-]+)$/, subscriptionView, "/mine"],
  [/^\/items$/, () => itemsView({}), "/items"],
  [/^\/items\/([\w-]+)$/, (id) => itemsView({ subscription: id }), "/items"],
  [/^\/feeds$/, feedsView, "/feeds"],
  [/^\/service$/, serviceView, "/service"],
];

let current = null;

function show() {
  if (location.hash === "#main") return document.getElementById("main").focus();
  const path = location.hash.replace(/^#/, "") || "/";
  const isFirst = current === null;
  current?.stop?.();
  closeDialog();
  const [view, section] = viewOf(path);
  current = view;
  document.title = `${view.title} · G-ToPSS`;
  const main = document.getElementById("main");
  fill(main, view.element);
  markSection(section);
  if (!isFirst) main.focus({ preventScroll: true }); // the element that had the focus is gone, or names the page
  scrollTo(0, 0);
  return undefined;
}

function viewOf(path) {
  for (const [pattern, view, section] of ROUTES) {
    const found = pattern.exec(path);
    if (found !== null) return [view(...found.slice(1)), section];
  }
  const element = h("section", { class: "view" }, h("h1", { text: "There is no such page" }), h("p", {}, h("a", { href: "#/", text: "Write a subscription" })));
  return [{ title: "Not found", element }, ""];
}

function markSection(section) {
  for (const link of document.querySelectorAll("#navigation a")) {
    if (link.getAttribute("href") === `#${section}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

addEventListener("hashchange", show);
show();
watchReadiness(show);

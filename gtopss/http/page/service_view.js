// How the service is doing: figures, what subscriptions cost, who is busiest, and deliveries that were given up.

import { announce, button, fill, foreign, h } from "./dom.js";
import { number, timeElement } from "./format.js";
import { keyForm } from "./key_form.js";
import * as api from "./api.js";
import * as tickets from "./tickets.js";

const ROWS_SHOWN = 10;

export function serviceView() {
  const figures = h("dl", { class: "figures" });
  const [busy, expensive, letters] = [h("div", {}), h("div", {}), h("div", {})];
  const element = h("section", { class: "view", "aria-labelledby": "service-title" },
    h("h1", { id: "service-title", text: "Service" }), figures,
    h("div", { class: "two" }, section("Busiest subscriptions", busy), section("Most expensive subscriptions", expensive)),
    section("Dead letters", letters), keyForm(() => load()));
  const load = () => {
    into(figures, async () => figureList(await api.stats()));
    into(busy, async () => ranking((await api.costs()).busy, "Notifications", "notifications", "Nothing has matched yet."));
    into(expensive, async () => ranking((await api.costs()).expensive, "Steps", "steps", "Nothing was matched since the start, so no cost is known."));
    showLetters(letters);
  };
  load();
  return { title: "Service", element };
}

function section(title, body) {
  const id = title.toLowerCase().replaceAll(" ", "-");
  return h("section", { class: "card", "aria-labelledby": id }, h("h2", { id, text: title }), body);
}

async function into(place, make) {
  try {
    fill(place, await make());
  } catch (problem) {
    fill(place, h(place.tagName === "DL" ? "div" : "p", { class: "problem", text: problem.message }));
  }
}

function figureList(found) {
  const shown = [
    ["subscriptions", found.subscriptions], ["publications", found.publications], ["waiting", found.publications_waiting],
    ["feeds", found.feeds], ["failing feeds", found.feeds_failing], ["webhooks and mail", found.targets], ["watching live", found.event_stream_clients],
  ];
  return shown.map(([name, value]) => h("div", { class: "figure" }, h("dt", { text: name }), h("dd", { text: number(value) })));
}

function ranking(rows, unit, member, empty) {
  const shown = rows.filter((row) => row[member] > 0).slice(0, ROWS_SHOWN);
  if (shown.length === 0) return h("p", { class: "empty", text: empty });
  const most = Math.max(...shown.map((row) => row[member]));
  return h("table", { class: "ranking" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col", text: "Subscription" }), h("th", { scope: "col", class: "number", text: unit }))),
    h("tbody", {}, shown.map((row) => h("tr", {}, h("td", {}, nameOf(row), bar(row[member] / most)), h("td", { class: "number", text: number(row[member]) })))));
}

function bar(share) {
  const filled = h("span", { class: "bar", "aria-hidden": "true" });
  filled.style.setProperty("--share", String(share));
  return filled;
}

function nameOf(row) {
  const kept = tickets.get(row.subscription);
  if (kept !== null) return h("a", { href: `#/s/${kept.id}` }, foreign(kept.name || kept.text));
  return row.query ? h("span", { class: "mono clipped" }, foreign(row.query)) : h("code", {}, foreign(row.subscription));
}

async function showLetters(place) {
  const said = h("div", { role: "alert" });
  const found = await knownLetters();
  if (found.length === 0) return fill(place, h("p", { class: "empty", text: "None. A delivery to a webhook that fails for three days is listed here, and can be sent again." }));
  const replay = ({ letter, again }) => async () => {
    try {
      await again();
      announce("It is delivered again.");
      await showLetters(place);
    } catch (problem) {
      fill(said, h("p", { class: "problem", text: problem.message }));
    }
  };
  return fill(place, said, h("ul", { class: "plain" }, found.map((each) => h("li", { class: "target" },
    h("p", {}, nameOf(each.letter), h("span", { class: "note" }, " · ", timeElement(each.letter.at))),
    h("p", { class: "note" }, foreign(each.letter.reason)),
    h("div", { class: "actions" }, each.letter.replay
      ? h("span", { class: "pill warn", text: "being delivered again" })
      : button("Replay", replay(each), "small", { "aria-label": `Replay notifications ${each.letter.first_sequence} to ${each.letter.last_sequence}` }))))));
}

/** Return dead letters with a function that replays each: all of them for the operator, otherwise those of this browser. */
async function knownLetters() {
  try {
    return (await api.allDeadLetters()).map((letter) => ({ letter, again: () => api.replayAsOperator(letter) }));
  } catch {
    const mine = await Promise.all(tickets.all().map(async (kept) => {
      const letters = await api.deadLetters(kept).catch(() => []); // it has ended
      return letters.map((letter) => ({ letter, again: () => api.replay(kept, letter.target, letter.first_sequence) }));
    }));
    return mine.flat();
  }
}

// The subscriptions whose tickets this browser keeps.

import { announce, button, fill, foreign, h } from "./dom.js";
import { confirmed } from "./dialogs.js";
import { count, timeElement } from "./format.js";
import { statePill } from "./subscription_view.js";
import * as api from "./api.js";
import * as tickets from "./tickets.js";

export function mineView() {
  const list = h("ul", { class: "cards" });
  const said = h("div", { role: "alert" });
  const element = h("section", { class: "view", "aria-labelledby": "mine-title" },
    h("div", { class: "spread" }, h("h1", { id: "mine-title", text: "Your subscriptions" }), h("a", { class: "button primary", href: "#/", text: "Write another" })),
    list, said, storageNote(() => show(), said));
  const show = () => fill(list, tickets.all().length === 0 ? emptyState() : tickets.all().map(card));
  show();
  return { title: "Your subscriptions", element };
}

function emptyState() {
  return h("li", { class: "empty" }, h("p", { text: "You have no subscriptions in this browser yet." }),
    h("p", {}, "Begin with one word: ", h("a", { href: "#/", text: "write a subscription" }), ", look at what it would have delivered, and keep it if you like it."));
}

function card(kept) {
  const state = h("p", { class: "state" }, h("span", { class: "note", text: "…" }));
  const load = () => api.subscription(kept).then(
    (found) => fill(state, statePill(found), h("span", { class: "note", text: count(found.notifications, "notification") }),
      h("span", { class: "note" }, found.expires_at ? ["ends ", timeElement(found.expires_at)] : "has no end")),
    (problem) => fill(state, ...failure(problem, kept, state, load)));
  load();
  return h("li", { class: "card" },
    h("h2", {}, h("a", { href: `#/s/${kept.id}` }, foreign(kept.name || firstLine(kept.text)))),
    kept.name && h("p", { class: "note mono" }, foreign(firstLine(kept.text))), state);
}

// Only a subscription that the service does not know has ended; any other failure may pass, and its ticket is kept.
function failure(problem, kept, state, load) {
  const said = h("span", { class: "note", text: problem.message });
  if (!problem.isUnknownSubscription) return [h("span", { class: "pill warn", text: "Not known" }), said, button("Try again", load, "quiet small")];
  return [h("span", { class: "pill bad", text: "Ended" }), said, button("Forget it", () => { tickets.forget(kept.id); state.closest("li").remove(); }, "quiet small")];
}

function firstLine(text) {
  return text.split("\n").find((line) => line.trim() !== "" && !line.startsWith("PREFIX")) ?? text;
}

function storageNote(show, said) {
  const file = h("input", {
    type: "file", id: "import", accept: "application/json,.json", class: "visually-hidden", onchange: async () => {
      try {
        announce(`${count(tickets.importText(await file.files[0].text()), "subscription")} imported.`);
        fill(said);
        show();
      } catch (problem) {
        fill(said, h("p", { class: "problem", text: problem.message }));
      }
      file.value = "";
    },
  });
  return h("div", { class: "card quiet-card" }, h("h2", { text: "Where your tickets are" }),
    h("p", { class: "note", text: "In the storage of this browser, on this device alone. Whoever uses this browser can use them; if you clear its data, they are lost, and the subscriptions end by themselves. Export them to keep a copy." }),
    h("div", { class: "actions" }, button("Export tickets", download), h("span", { class: "file" }, file, h("label", { class: "button", for: "import", text: "Import tickets" })),
      button("Forget all", async () => {
        if (await confirmed("Forget all tickets?", "The subscriptions go on until they expire, but without their tickets nobody can read, renew or delete them.", "Forget them")) {
          tickets.forgetAll();
          announce("All tickets were forgotten.");
          show();
        }
      }, "danger")));
}

function download() {
  const address = URL.createObjectURL(new Blob([tickets.exported()], { type: "application/json" }));
  const link = h("a", { download: "gtopss-tickets.json" });
  link.href = address;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// One subscription of this browser: its state, its matches as they arrive, and how to receive them elsewhere.

import { announce, button, copyable, fill, foreign, h } from "./dom.js";
import { confirmed } from "./dialogs.js";
import { deliveryPanel } from "./delivery_panel.js";
import { bindingsTable, explainItem, whyBlock } from "./explanation.js";
import { count, exact, timeElement } from "./format.js";
import { itemCard } from "./item_list.js";
import { LiveMatches } from "./live_matches.js";
import * as api from "./api.js";
import * as tickets from "./tickets.js";

export function subscriptionView(id) {
  const kept = tickets.get(id);
  if (kept === null) return missing(id);
  const view = new SubscriptionView(kept);
  return { title: kept.name || kept.text, element: view.element, stop: () => view.live.stop() };
}

function missing(id) {
  const element = h("section", { class: "view" }, h("h1", { text: "This browser has no ticket for it" }),
    h("p", {}, "Only the holder of its ticket can see the subscription ", h("code", {}, foreign(id)), "."),
    h("p", {}, h("a", { href: "#/mine", text: "Your subscriptions" })));
  return { title: "No ticket", element };
}

class SubscriptionView {
  constructor(kept) {
    this.kept = kept;
    this.state = h("div", { class: "state" });
    this.actions = h("div", { class: "actions" });
    this.error = h("div", { role: "alert" });
    this.live = new LiveMatches(kept, { render: (match) => matchCard(kept, match), onchange: (match) => this.#arrived(match) });
    this.ticket = h("section", { class: "card", "aria-labelledby": "ticket-title" });
    this.element = h("div", { class: "view" },
      h("div", { class: "heading" }, h("h1", {}, foreign(kept.name || kept.text)), kept.name && h("pre", { class: "code", tabindex: "0", "aria-label": "Its text", text: kept.text }), this.state, this.actions, this.error),
      h("div", { class: "two" }, this.live.element, h("div", { class: "aside" }, this.ticket, deliveryPanel(kept))));
    this.#load();
  }

  async #load() {
    fill(this.error);
    try {
      this.#show(await api.subscription(this.kept));
      this.live.start();
    } catch (problem) {
      this.#fail(problem);
    }
  }

  // Only a subscription that the service does not know can be forgotten; any other failure may pass.
  #fail(problem) {
    fill(this.error, h("p", { class: "problem", text: problem.message }));
    fill(this.actions, problem.isUnknownSubscription
      ? button("Forget it in this browser", () => { tickets.forget(this.kept.id); location.hash = "#/mine"; })
      : button("Try again", () => this.#load()));
  }

  // A match changes only the count, which its number gives; a notice, or the end of the stream (null), may change anything.
  async #arrived(match) {
    if (match?.kind === "match" && this.found) return this.#showState({ ...this.found, notifications: Math.max(this.found.notifications, match.sequence) });
    try {
      this.#showState(await api.subscription(this.kept));
    } catch (problem) {
      if (problem.isUnknownSubscription) {
        this.live.end();
        fill(this.state, h("span", { class: "pill bad", text: "Ended" }));
      }
    }
    return undefined;
  }

  #showState(found) {
    this.found = found;
    fill(this.state, statePill(found), h("span", { class: "note" }, found.expires_at ? ["ends ", timeElement(found.expires_at)] : "has no end"),
      h("span", { class: "note", text: `${count(found.notifications, "notification")} so far` }));
  }

  #show(found) {
    this.#showState(found);
    fill(this.actions,
      button("Renew", () => this.#do("Renewed.", () => api.renew(this.kept)), "primary"),
      found.paused ? button("Resume", () => this.#do("It is matched again.", () => api.resume(this.kept))) : button("Pause", () => this.#do("It is paused.", () => api.pause(this.kept))),
      h("a", { class: "button", href: `#/edit/${this.kept.id}`, text: "Edit" }),
      h("a", { class: "button", href: `#/items/${this.kept.id}`, text: "Ask why not" }),
      button("Delete", () => this.#remove(), "danger"));
    fill(this.ticket, h("h2", { id: "ticket-title", text: "Ticket" }), ticketPanel(this.kept, found));
  }

  async #do(said, action) {
    fill(this.error);
    const place = [...this.actions.children].indexOf(document.activeElement);
    try {
      await action();
      this.#show(await api.subscription(this.kept));
      announce(said);
      this.actions.children[place]?.focus(); // the new button in the same place
    } catch (problem) {
      fill(this.error, h("p", { class: "problem", text: problem.message }));
    }
  }

  async #remove() {
    if (!(await confirmed("Delete this subscription?", "Its notifications are deleted too, delivered or not. This cannot be undone.", "Delete it"))) return;
    try {
      await api.remove(this.kept);
      tickets.forget(this.kept.id);
      announce("Deleted.");
      location.hash = "#/mine";
    } catch (problem) {
      fill(this.error, h("p", { class: "problem", text: problem.message }));
    }
  }
}

export function statePill(found) {
  const [text, kind] = found.paused ? ["Paused", "warn"] : ["Active", "good"];
  return h("span", { class: `pill ${kind}`, text });
}

function ticketPanel(kept, found) {
  const lasting = tickets.isLasting()
    ? "Whoever has the ticket can read and change this subscription. It is kept in this browser, and the service cannot show it again."
    : "This browser stores nothing, so that the ticket is lost when you close the page. Copy it now.";
  return [
    h("p", { class: "note", text: lasting }),
    hidden("Ticket", kept.ticket),
    copyable("Id", kept.id),
    copyable("Renew it with this command", kept.renewCommand ?? `gtopss renew ${kept.id} --url ${location.origin}`),
    h("p", { class: "note", text: found.expires_at ? `It ends on ${exact(found.expires_at)}, unless it is renewed.` : "It has no end." }),
  ];
}

/** Return a secret that is shown when the person asks for it. */
export function hidden(label, secret) {
  const shown = copyable(label, secret);
  return h("details", { class: "secret" }, h("summary", { text: `Show the ${label.toLowerCase()}` }), shown);
}

function matchCard(kept, match) {
  if (match.kind !== "match") {
    return h("article", { class: "notice" }, h("p", { class: "item-title", text: match.message ?? match.kind }), h("p", { class: "note" }, timeElement(match.created_at)));
  }
  if (!match.item) return h("article", {}, h("p", { class: "note", text: "An item that is no longer retained" }));
  const item = { ...match.item, source_title: match.sources?.[0]?.title };
  const why = h("details", {}, h("summary", { text: "Why?" }), match.why ? whyBlock(match.why) : h("p", { class: "note", text: "It matched an earlier text of this subscription, or calls operators." }),
    bindingsTable(match.bindings ?? []),
    button("Show the pattern", () => explainItem(item, kept.name || kept.text, () => api.explain(kept, item.id)), "quiet small"));
  const card = itemCard(item, { when: match.created_at });
  card.append(why);
  return card;
}

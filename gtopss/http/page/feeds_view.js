// The feeds that the service polls: their health, additions and removals, lists as OPML.

import { announce, button, field, fill, foreign, foreignLink, h } from "./dom.js";
import { confirmed } from "./dialogs.js";
import { count, number, timeElement } from "./format.js";
import * as api from "./api.js";

export function feedsView() {
  const view = new FeedsView();
  return { title: "Feeds", element: view.element };
}

class FeedsView {
  constructor() {
    this.said = h("div", { role: "alert" });
    this.list = h("div", { "aria-busy": "true" }, h("p", { class: "note", text: "Loading…" }));
    this.element = h("section", { class: "view", "aria-labelledby": "feeds-title" },
      h("h1", { id: "feeds-title", text: "Feeds" }),
      h("p", { class: "lead", text: "The service reads these and compares every new item with all subscriptions." }),
      this.#addForm(), this.said, this.list, this.#opml());
    this.#load();
  }

  async #load() {
    try {
      const feeds = await api.feeds();
      fill(this.list, feeds.length === 0 ? emptyState() : h("ul", { class: "cards" }, feeds.map((feed) => this.#feed(feed))));
    } catch (problem) {
      fill(this.list, h("p", { class: "problem", role: "alert", text: problem.message }));
    }
    this.list.removeAttribute("aria-busy");
  }

  async #do(action, said) {
    fill(this.said);
    try {
      const answer = await action();
      announce(said(answer));
      fill(this.said, h("p", { class: "note", text: said(answer) }));
      await this.#load();
      return true;
    } catch (problem) {
      fill(this.said, h("p", { class: "problem", text: problem.message }));
      return false;
    }
  }

  #addForm() {
    const address = h("input", { id: "feed", type: "url", required: true, placeholder: "https://example.org/", autocomplete: "url" });
    const submit = h("button", { class: "button primary", text: "Add feed" });
    return h("form", {
      class: "inline", onsubmit: async (event) => {
        event.preventDefault();
        submit.disabled = true;
        const isDone = await this.#do(() => api.addFeed(address.value), (added) => `Added, with ${count(added.items ?? 0, "item")}.`);
        if (isDone) address.value = "";
        submit.disabled = false;
      },
    }, field("The address of a feed, or of a page that has one", address), submit);
  }

  #feed(feed) {
    const [state, kind] = feed.gone ? ["Gone", "bad"] : feed.failures > 0 ? ["Failing", "bad"] : feed.last_success_at ? ["Healthy", "good"] : ["Waiting", "warn"];
    const remove = async () => {
      if (await confirmed("Remove this feed?", "What it has published stays.", "Remove it")) await this.#do(() => api.removeFeed(feed.url), () => "Removed.");
    };
    return h("li", { class: "card feed" },
      h("div", { class: "spread" }, h("h2", {}, foreign(feed.title || feed.url)), h("span", { class: `pill ${kind}`, text: state })),
      h("p", { class: "note break" }, foreignLink(feed.url, feed.url)),
      feed.last_error && h("p", { class: "problem" }, foreign(feed.last_error)),
      feed.moved_to && h("p", { class: "note break" }, "moved to ", foreignLink(feed.moved_to, feed.moved_to)),
      h("dl", { class: "facts" },
        fact("Last read", timeElement(feed.last_success_at)), fact("Next", feed.gone ? "not again" : timeElement(feed.next_due_at)),
        fact("Items a day", number(feed.items_per_day ?? 0)), feed.push && fact("Pushed by a hub", pushed(feed.push)), feed.failures > 0 && fact("Failures in a row", number(feed.failures))),
      h("div", { class: "actions" }, button("Remove", remove, "quiet small", { "aria-label": `Remove ${feed.title || feed.url}` })));
  }

  #opml() {
    const file = h("input", {
      type: "file", id: "opml", accept: ".opml,.xml,text/xml,text/x-opml", class: "visually-hidden", onchange: async () => {
        const data = await file.files[0].arrayBuffer();
        await this.#do(() => api.importOpml(data), (found) => `${count(found.added, "feed")} added, ${number(found.known)} known already, ${number(found.refused.length)} refused.`);
        file.value = "";
      },
    });
    return h("div", { class: "card quiet-card" }, h("h2", { text: "Lists of feeds" }), h("p", { class: "note", text: "Feed readers exchange their feeds as OPML files." }),
      h("div", { class: "actions" }, h("span", { class: "file" }, file, h("label", { class: "button", for: "opml", text: "Import OPML" })), h("a", { class: "button", href: api.OPML_ADDRESS, download: "feeds.opml", text: "Export OPML" })));
  }
}

function fact(name, value) {
  return h("div", {}, h("dt", { text: name }), h("dd", {}, value));
}

function pushed(push) {
  const saved = push.polls_saved >= 1 ? `, ${count(Math.round(push.polls_saved), "fetch", "fetches")} saved` : "";
  const states = { pushing: `yes${saved}`, demoted: `not reliably${saved}`, requested: "asked for", failing: "no" };
  return push.error ? h("span", {}, "no: ", foreign(push.error)) : states[push.state];
}

function emptyState() {
  return h("div", { class: "empty" }, h("p", { text: "No feed is read yet." }),
    h("p", { text: "Give the address of a site you like: the service finds its feed, publishes what is in it, and comes back every half hour." }));
}

// How the matches of a subscription are received elsewhere: Atom, event stream, webhooks, and what failed.

import { announce, button, copyable, field, fill, foreign, h } from "./dom.js";
import { confirmed } from "./dialogs.js";
import { count, timeElement } from "./format.js";
import * as api from "./api.js";

export function deliveryPanel(kept) {
  return h("div", {}, readingCard(kept), webhookCard(kept));
}

function readingCard(kept) {
  const body = h("div", {});
  const load = async (action) => {
    try {
      show(await action());
    } catch (problem) {
      fill(body, h("p", { class: "problem", role: "alert", text: problem.message }));
    }
  };
  const show = (addresses) => fill(body,
    copyable("Atom feed, for a feed reader", addresses.feed),
    copyable("Event stream, for a program", addresses.events),
    h("p", { class: "note", text: "These addresses can be read by anybody who knows them, and change nothing." }),
    button("Replace the addresses", async () => {
      if (await confirmed("Replace the addresses?", "The old ones stop working at once.", "Replace them")) {
        await load(() => api.replaceReadAddresses(kept));
        announce("The addresses were replaced.");
      }
    }, "quiet small"));
  load(() => api.readAddresses(kept));
  return h("section", { class: "card", "aria-labelledby": "reading-title" }, h("h2", { id: "reading-title", text: "Read it elsewhere" }), body);
}

function webhookCard(kept) {
  const list = h("ul", { class: "plain" });
  const said = h("div", {});
  const reload = async () => {
    try {
      const [targets, letters] = await Promise.all([api.targets(kept), api.deadLetters(kept)]);
      fill(list, targets.map((target) => targetItem(kept, target, letters.filter((each) => each.target === target.id), { reload, said })));
    } catch (problem) {
      fill(said, h("p", { class: "problem", role: "alert", text: problem.message }));
    }
  };
  reload();
  const address = h("input", { id: "webhook", type: "url", required: true, placeholder: "https://example.org/hook", autocomplete: "url" });
  const form = h("form", {
    class: "inline", onsubmit: async (event) => {
      event.preventDefault();
      await attempt(said, async () => {
        const made = await api.addTarget(kept, address.value);
        address.value = "";
        fill(said, secretShown(made.secret));
        announce("The webhook was added. Its secret is shown once.");
        await reload();
      });
    },
  }, field("Send matches to this address", address), h("button", { class: "button", text: "Add webhook" }));
  return h("section", { class: "card", "aria-labelledby": "webhook-title" }, h("h2", { id: "webhook-title", text: "Webhooks" }), form, said, list);
}

async function attempt(said, action) {
  try {
    await action();
  } catch (problem) {
    fill(said, h("p", { class: "problem", role: "alert", text: problem.message }));
  }
}

function secretShown(secret) {
  return h("div", { class: "secret-once" }, copyable("Secret of the webhook, shown only now", secret),
    h("p", { class: "note", text: "The receiver verifies signatures with it, and answers the first message with its challenge (Standard Webhooks)." }));
}

function targetItem(kept, target, letters, { reload, said }) {
  const act = (said_, action) => () => attempt(said, async () => {
    fill(said);
    await action();
    announce(said_);
    await reload();
  });
  const kind = { active: "good", disabled: "bad" }[target.state] ?? "warn";
  return h("li", { class: "target" },
    h("p", {}, h("span", { class: `pill ${kind}`, text: target.state }), " ", h("span", { class: "break" }, foreign(target.address))),
    target.reason && h("p", { class: "note" }, foreign(target.reason)),
    target.next_attempt_at && target.state !== "disabled" && h("p", { class: "note" }, "next attempt ", timeElement(target.next_attempt_at)),
    h("div", { class: "actions" },
      target.state === "disabled" && button("Enable", act("It is verified again.", () => api.enableTarget(kept, target.id)), "small"),
      letters.length > 0 && button(`Replay ${count(letters.length, "dead letter")}`, act("They are delivered again.", () => api.replay(kept, target.id)), "small"),
      button("New secret", () => attempt(said, async () => { fill(said, secretShown(await api.rotateSecret(kept, target.id))); }), "quiet small"),
      button("Remove", act("The webhook was removed.", () => api.removeTarget(kept, target.id)), "quiet small", { "aria-label": `Remove ${target.address}` })));
}

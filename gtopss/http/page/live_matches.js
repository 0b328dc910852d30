// The matches of a subscription as they arrive: those that are retained, then the event stream.

import { announce, button, clean, fill, h } from "./dom.js";
import { count } from "./format.js";
import * as api from "./api.js";

const MAX_SHOWN = 100; // older ones leave the list
const FIRST_PAUSE_MILLISECONDS = 2000; // before a stream that was refused is opened again; doubled each time
const MAX_PAUSE_MILLISECONDS = 60000;
const UNFOLDED = 10; // style.css hides the others until the person asks for them

/** `render(match)` returns the element of a notification; `onchange(match)` is called when one arrives, and with null at the end. */
export class LiveMatches {
  constructor(kept, { render, onchange }) {
    this.kept = kept;
    this.render = render;
    this.onchange = onchange;
    this.seen = new Set();
    this.last = 0; // the number of the last notification
    this.stream = null;
    this.pause = FIRST_PAUSE_MILLISECONDS;
    this.stopped = false;
    this.dot = h("span", { class: "live", role: "status", text: "Connecting…" });
    this.list = h("ul", { class: "items matches folded", "aria-label": "Matches, the newest first" });
    this.note = h("div", {});
    this.more = button("Show all", () => { this.list.classList.remove("folded"); this.more.hidden = true; this.list.children[UNFOLDED]?.querySelector("a, summary")?.focus(); }, "", { hidden: true });
    this.element = h("section", { "aria-labelledby": "matches-title" },
      h("div", { class: "spread" }, h("h2", { id: "matches-title", text: "Matches" }), this.dot), this.note, this.list, this.more);
  }

  async start() {
    try {
      const found = await api.newestMatches(this.kept, MAX_SHOWN);
      for (const match of found) this.#add(match, false);
      this.#explainEmpty();
      this.more.hidden = found.length <= UNFOLDED;
      if (!this.stopped) await this.#listen();
    } catch (problem) {
      this.#say("Not connected", false);
      fill(this.note, h("p", { class: "problem", role: "alert", text: problem.message }));
    }
  }

  stop() {
    this.stopped = true;
    this.stream?.close();
  }

  async #listen() {
    const address = await api.eventsAddress(this.kept, this.last);
    if (this.stopped) return;
    this.stream = new EventSource(address);
    this.stream.onopen = () => { this.pause = FIRST_PAUSE_MILLISECONDS; this.#say("Live", true); };
    this.stream.onerror = () => this.#reconnect();
    for (const kind of ["match", "expiring", "expired", "disabled"]) {
      this.stream.addEventListener(kind, (event) => this.#add(JSON.parse(event.data), true));
    }
    this.stream.addEventListener("gap", (event) => this.#reload(JSON.parse(event.data)));
    this.stream.addEventListener("end", () => { this.end(); this.onchange(null); });
  }

  // A browser connects again by itself after a lost connection, but not after a response such as that of a service that starts.
  #reconnect() {
    this.#say("Reconnecting…", false);
    if (this.stream.readyState !== EventSource.CLOSED || this.stopped) return;
    setTimeout(() => { if (!this.stopped) this.#listen().catch(() => this.#reconnect()); }, this.pause);
    this.pause = Math.min(2 * this.pause, MAX_PAUSE_MILLISECONDS);
    this.onchange(null); // it may have ended
  }

  /** Stop, because the subscription has ended. */
  end() {
    this.stop();
    this.#say("Ended", false);
  }

  /** Say that notifications were missed, and show those that are retained. */
  async #reload(gap) {
    const missed = gap.first_sequence ? gap.last_sequence - gap.first_sequence + 1 : 0;
    const text = missed > 0 ? `${count(missed, "match", "matches")} ${missed === 1 ? "was" : "were"} missed and can no longer be shown.`
      : "Some matches may have been missed.";
    try {
      for (const match of await api.newestMatches(this.kept, MAX_SHOWN)) this.#add(match, false);
      this.more.hidden = this.list.children.length <= UNFOLDED || !this.list.classList.contains("folded");
    } catch (problem) {
      this.#say("Not connected", false);
    }
    fill(this.note, h("p", { class: "problem gap", role: "alert", text }));
  }

  #add(match, isNew) {
    if (this.seen.has(match.sequence)) return;
    this.seen.add(match.sequence);
    this.last = Math.max(this.last, match.sequence);
    this.list.prepend(h("li", { class: `item${isNew ? " new" : ""}`, "data-sequence": match.sequence }, this.render(match)));
    while (this.list.children.length > MAX_SHOWN) this.list.lastElementChild.remove();
    if (isNew) {
      if (!this.note.querySelector(".gap")) fill(this.note);
      this.onchange(match);
      announce(`New: ${clean(match.item?.title ?? match.message ?? match.kind, 120)}`);
    }
  }

  #explainEmpty() {
    if (this.seen.size > 0) return fill(this.note);
    return fill(this.note, h("div", { class: "empty" }, h("p", { text: "Nothing has matched yet. New matches appear here by themselves." }),
      h("p", {}, "To see what was missing, ask ", h("a", { href: `#/items/${this.kept.id}`, text: "why a recent item did not match" }), ".")));
  }

  #say(text, isLive) {
    this.dot.textContent = text;
    this.dot.classList.toggle("on", isLive);
  }
}

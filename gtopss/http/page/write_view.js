// Write a subscription, see what it would deliver, and register it; or change one that is registered.

import { announce, button, debounce, field, fill, h } from "./dom.js";
import { Builder } from "./builder.js";
import { Editor, problemBlock } from "./editor.js";
import { Preview } from "./preview.js";
import * as api from "./api.js";
import * as tickets from "./tickets.js";
import { quoted, SPARQL_BEGINNING, withCondition } from "./templates.js";

const CHECK_DELAY_MILLISECONDS = 350;
const DRAFT_KEY = "gtopss.draft"; // in sessionStorage
const VALIDITIES = [["1 day", 86400], ["1 week", 604800], ["30 days", 2592000], ["1 year", 31536000]];
const EXAMPLES = [["topic:health -sport", "health, but no sport"], ['"open source" OR linux', "either of two"], ["title:econom* language:en", "a beginning of a word, in English"]];

/** `replaced` is the id of the subscription that is edited. */
export function writeView({ replaced = null }) {
  const kept = replaced === null ? null : tickets.get(replaced);
  if (replaced !== null && kept === null) return unknownTicket();
  const view = new WriteView(kept);
  return { title: kept === null ? "Write a subscription" : "Edit a subscription", element: view.element, stop: () => view.stop() };
}

function unknownTicket() {
  const element = h("section", { class: "view" }, h("h1", { text: "This browser has no ticket for it" }),
    h("p", { text: "Import the file with your tickets, or edit the subscription with the command line where you made it." }),
    h("p", {}, h("a", { href: "#/mine", text: "Your subscriptions" })));
  return { title: "No ticket", element };
}

class WriteView {
  constructor(kept) {
    this.kept = kept;
    this.checked = 0; // number of the last check, so that a late answer to an earlier one is dropped
    this.builder = new Builder({ write: (text, form) => this.#write(text, form), current: () => ({ text: this.editor.text, form: this.form }) });
    this.preview = new Preview({ add: (category) => this.#write(withCondition(this.form === "short" ? this.editor.text : "", `category:${quoted(category)}`), "short") });
    this.forms = h("fieldset", { class: "segments" }, h("legend", { class: "visually-hidden", text: "Language" }), this.#formChoice("short", "Short form"), this.#formChoice("sparql", "SPARQL"));
    this.editor = new Editor({ label: "Your subscription", tools: this.forms, onchange: () => this.#changed() });
    this.options = this.#options();
    this.result = h("div", { class: "result" });
    this.check = debounce(() => this.#check(), CHECK_DELAY_MILLISECONDS);
    this.element = h("div", { class: "view two writing" },
      h("section", { class: "writer", "aria-labelledby": "write-title" },
        h("h1", { id: "write-title", text: kept === null ? "What do you want to hear about?" : "Edit your subscription" }),
        h("p", { class: "lead", text: kept === null ? "Describe it. Every item that arrives is compared with it, and you see why it matched." : "The id, the ticket and the addresses stay the same." }),
        this.builder.element, this.editor.element, this.#help()),
      this.preview.element,
      h("div", { class: "registration" }, this.options, this.result));
    this.#begin();
  }

  stop() {
    this.checked = -1;
  }

  #begin() {
    const draft = this.kept ?? savedDraft();
    this.#setForm(draft.form === "sparql" ? "sparql" : "short");
    this.editor.text = draft.text ?? "";
    this.options.hidden = this.editor.text.trim() === "";
    if (this.editor.text.trim() === "") this.preview.showNewest();
    else this.#check();
  }

  #formChoice(form, label) {
    const input = h("input", { type: "radio", name: "form", id: `form-${form}`, value: form, onchange: () => this.#chooseForm(form) });
    return h("span", { class: "segment" }, input, h("label", { for: input.id, text: label }));
  }

  // The translation of a line in the short form is a good beginning of a query; the reverse does not exist.
  #chooseForm(form) {
    const text = this.editor.text;
    this.#setForm(form);
    if (form === "sparql" && text.trim() === "") this.editor.text = SPARQL_BEGINNING;
    else if (form === "sparql" && this.translation?.text === text) this.editor.text = this.translation.query;
    this.#changed();
  }

  #setForm(form) {
    this.form = form;
    this.forms.querySelector(`#form-${form}`).checked = true;
    this.editor.element.dataset.form = form;
  }

  #write(text, form) {
    this.#setForm(form);
    this.editor.write(text);
  }

  #changed() {
    if (this.kept === null) saveDraft({ text: this.editor.text, form: this.form });
    this.options.hidden = this.editor.text.trim() === ""; // there is nothing to subscribe to yet
    fill(this.result);
    if (this.editor.text.trim() === "") {
      this.checked += 1;
      this.editor.showProblem(null);
      this.preview.element.classList.remove("outdated");
      this.preview.showNewest();
    } else {
      this.preview.showBusy();
      this.check();
    }
  }

  async #check() {
    const number = (this.checked += 1);
    const { text, form } = { text: this.editor.text, form: this.form };
    if (text.trim() === "") return;
    try {
      const found = await api.check(text, form);
      if (number !== this.checked) return;
      this.editor.showProblem(null);
      this.preview.show(found, text, form);
      this.translation = form === "short" ? { text, query: found.query } : null;
    } catch (problem) {
      if (number !== this.checked) return;
      this.editor.showProblem(problem);
      this.preview.showMistake();
    }
  }

  #help() {
    const examples = EXAMPLES.map(([text, meaning]) => h("li", {}, button(h("code", { text }), () => this.#write(text, "short"), "link"), h("span", { class: "note", text: meaning })));
    return h("details", { class: "help", open: this.kept === null && (savedDraft().text ?? "") === "" }, h("summary", { text: "What can I write?" }),
      h("p", { text: "Words, “two words”, title:, topic:, category:, author:, source:, after:2026-01-31, language:en; OR, a minus for not, and parentheses." }),
      h("ul", { class: "examples" }, examples));
  }

  #options() {
    const validity = h("select", { id: "validity" }, VALIDITIES.map(([label, seconds]) => h("option", { value: String(seconds), text: label })));
    validity.value = "604800";
    const name = h("input", { id: "name", type: "text", maxlength: "80", autocomplete: "off", placeholder: "as written", value: this.kept?.name ?? "" });
    const backfill = h("input", { id: "backfill", type: "checkbox", checked: true });
    this.submit = h("button", { class: "button primary", text: this.kept === null ? "Subscribe" : "Save the change" });
    const fields = this.kept === null
      ? [h("div", { class: "inline" }, field("Name, for you alone", name), field("Valid for", validity)),
        h("div", { class: "check" }, backfill, h("label", { for: "backfill", text: "Begin with the recent items that match" }))]
      : [field("Name, for you alone", name)];
    const actions = h("div", { class: "actions" }, this.submit, this.kept !== null && h("a", { class: "button quiet", href: `#/s/${this.kept.id}`, text: "Cancel" }));
    return h("form", {
      class: "options", onsubmit: (event) => {
        event.preventDefault();
        this.#submit({ name: name.value.trim(), validity: Number(validity.value), backfill: backfill.checked });
      },
    }, fields, actions);
  }

  async #submit({ name, validity, backfill }) {
    const { text, form } = { text: this.editor.text, form: this.form };
    if (text.trim() === "") return this.editor.input.focus();
    this.submit.disabled = true;
    try {
      const id = this.kept === null ? await register({ text, form, name, validity, backfill }) : await replace(this.kept, { text, form, name });
      announce(this.kept === null ? "Subscribed." : "Changed.");
      if (this.kept === null) saveDraft({ text: "", form });
      location.hash = `#/s/${id}`;
    } catch (problem) {
      this.submit.disabled = false;
      if (problem.line) this.editor.showProblem(problem);
      else fill(this.result, h("div", { role: "alert" }, problemBlock(problem, text)));
    }
    return undefined;
  }
}

async function register({ text, form, name, validity, backfill }) {
  const made = await api.subscribe({ text, form, validity, backfill });
  tickets.keep({ id: made.id, ticket: made.ticket, text, form, name, addresses: made.read_address, renewCommand: made.renew_command });
  return made.id;
}

async function replace(kept, { text, form, name }) {
  await api.replace(kept, text, form);
  tickets.update(kept.id, { text, form, name });
  return kept.id;
}

function savedDraft() {
  try {
    return JSON.parse(sessionStorage.getItem(DRAFT_KEY)) ?? { text: "", form: "short" };
  } catch {
    return { text: "", form: "short" };
  }
}

function saveDraft(draft) {
  try {
    sessionStorage.setItem(DRAFT_KEY, JSON.stringify(draft));
  } catch {
    // Without storage a draft is lost with the page.
  }
}

// A field that finds classes of the ontology by their labels: a combobox with a list, as WAI-ARIA describes it.

import { clean, debounce, fill, foreign, h } from "./dom.js";
import { count } from "./format.js";

const DELAY_MILLISECONDS = 150;

let pickers = 0; // for ids

/** Finds classes with `search(words)`, and calls `onpick(class, found)` with the one that was chosen, and all that were found. */
export class ClassPicker {
  constructor({ label, placeholder, search, onpick }) {
    const id = `picker-${(pickers += 1)}`;
    this.search = search;
    this.onpick = onpick;
    this.found = [];
    this.active = -1;
    this.asked = 0;
    this.list = h("ul", { id: `${id}-list`, class: "picker-list", role: "listbox", "aria-label": label, hidden: true });
    this.status = h("p", { class: "note", role: "status" });
    this.input = h("input", {
      id, type: "text", role: "combobox", autocomplete: "off", spellcheck: "false", placeholder,
      "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": `${id}-list`,
      oninput: debounce(() => this.#look(), DELAY_MILLISECONDS),
      onkeydown: (event) => this.#key(event),
      onblur: () => setTimeout(() => this.#close(), 150), // a click on an option comes first
    });
    this.element = h("div", { class: "field picker" }, h("label", { for: id, text: label }),
      h("div", { class: "picker-box" }, this.input, this.list), this.status);
  }

  async #look() {
    const words = this.input.value.trim();
    const asked = (this.asked += 1);
    if (words === "") {
      this.status.textContent = "";
      return this.#close();
    }
    let found;
    try {
      found = await this.search(words);
    } catch (problem) {
      this.status.textContent = problem.message;
      return this.#close();
    }
    if (asked !== this.asked) return undefined; // a newer question was asked meanwhile
    return this.#show(found, words);
  }

  #show(found, words) {
    this.found = found;
    this.active = -1;
    fill(this.list, found.map((each, place) => this.#option(each, place)));
    this.list.hidden = found.length === 0;
    this.input.setAttribute("aria-expanded", String(found.length > 0));
    this.input.removeAttribute("aria-activedescendant");
    this.status.textContent = found.length > 0 ? count(found.length, "class", "classes") + " found" : `No class is called “${clean(words, 60)}”.`;
  }

  #option(each, place) {
    const detail = [each.parents?.length ? `in ${each.parents.join(", ")}` : "", each.below ? `${count(each.below, "term")} below it` : ""];
    return h("li", {
      id: `${this.list.id}-${place}`, role: "option", "aria-selected": "false",
      onmousedown: (event) => event.preventDefault(), // keeps the focus in the field
      onclick: () => this.#pick(place),
    }, h("span", { class: "picker-label" }, foreign(each.label ?? each.iri)),
    h("span", { class: "note" }, foreign(detail.filter(Boolean).join(" · "))));
  }

  #key(event) {
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in steps && this.found.length > 0 && !this.list.hidden) {
      event.preventDefault();
      this.#move((this.active + steps[event.key] + this.found.length) % this.found.length);
    } else if (event.key === "Enter" && !this.list.hidden) {
      event.preventDefault();
      this.#pick(Math.max(0, this.active));
    } else if (event.key === "Escape" && !this.list.hidden) {
      event.preventDefault();
      this.#close();
    }
  }

  #move(place) {
    if (this.active === -1 && place === this.found.length - 2) place = this.found.length - 1; // up, from no option
    this.active = place;
    for (const [number, option] of [...this.list.children].entries()) {
      option.setAttribute("aria-selected", String(number === place));
      if (number === place) option.scrollIntoView({ block: "nearest" });
    }
    this.input.setAttribute("aria-activedescendant", `${this.list.id}-${place}`);
  }

  #pick(place) {
    const chosen = this.found[place];
    this.input.value = "";
    this.status.textContent = "";
    this.#close();
    this.onpick(chosen, this.found);
  }

  #close() {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }
}

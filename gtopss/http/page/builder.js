// The templates above the editor: choose what to filter by, fill in one field, and the text is written.

import { button, field, fill, h } from "./dom.js";
import { ClassPicker } from "./class_picker.js";
import * as api from "./api.js";
import { classQuery, placeQuery, quoted, REGIONS, topicCondition, withCondition } from "./templates.js";

/** `write(text, form)` gives the editor a text; `current()` returns { text, form }. */
export class Builder {
  constructor({ write, current }) {
    this.write = write;
    this.current = current;
    this.panel = h("div", { class: "template", id: "template" });
    const kinds = [
      ["Words", () => this.#words("Words in the title or the text", "open source", (text) => quoted(text))],
      ["Topic", () => this.#topic()],
      ["Author", () => this.#words("Part of the author’s name", "jacobsen", (text) => `author:${quoted(text)}`)],
      ["Place", () => this.#place()],
      ["Class", () => this.#class()],
      ["Example", () => this.#example()],
    ];
    this.buttons = kinds.map(([name, open]) => button(name, (event) => this.#toggle(event.currentTarget, open), "chip", { "aria-expanded": "false", "aria-controls": "template" }));
    this.element = h("div", { class: "builder" },
      h("div", { class: "chips", role: "group", "aria-labelledby": "builder-label" },
        h("span", { class: "label", id: "builder-label", text: "Start with" }), this.buttons),
      this.panel);
  }

  #toggle(pressed, open) {
    const wasOpen = pressed.getAttribute("aria-expanded") === "true";
    for (const each of this.buttons) each.setAttribute("aria-expanded", "false");
    if (wasOpen) return fill(this.panel);
    pressed.setAttribute("aria-expanded", "true");
    fill(this.panel, open());
    this.panel.querySelector("input, select")?.focus();
    return undefined;
  }

  #add(condition) {
    const { text, form } = this.current();
    this.write(form === "short" ? withCondition(text, condition) : condition, "short");
  }

  #words(label, example, condition) {
    const input = h("input", { id: "template-words", type: "text", placeholder: example, autocomplete: "off", required: true });
    return h("form", {
      class: "inline", onsubmit: (event) => {
        event.preventDefault();
        if (input.value.trim() === "") return input.focus();
        this.#add(condition(input.value));
        input.value = "";
        return undefined;
      },
    }, field(label, input), h("button", { class: "button", text: "Add" }));
  }

  #topic() {
    return new ClassPicker({
      label: "A topic of the ontology; everything below it counts too", placeholder: "health", search: api.terms,
      onpick: (topic, found) => this.#add(topicCondition(topic, found)),
    }).element;
  }

  #class() {
    return new ClassPicker({
      label: "A class of the ontology: RDF publications about a thing of this class", placeholder: "conference", search: api.terms,
      onpick: (chosen) => this.write(classQuery(chosen), "sparql"),
    }).element;
  }

  #example() {
    const chosen = h("select", { id: "template-example" });
    const about = h("p", { class: "note", role: "status", text: "Loading…" });
    let found = [];
    const describe = () => { about.textContent = found[chosen.selectedIndex]?.description ?? "The service has no examples."; };
    chosen.addEventListener("change", describe);
    api.templates().then((given) => {
      found = given;
      fill(chosen, found.map((each) => h("option", { text: each.title })));
      describe();
    }, (problem) => { about.textContent = problem.message; });
    return h("form", {
      class: "inline", onsubmit: (event) => {
        event.preventDefault();
        const example = found[chosen.selectedIndex];
        if (example) this.write(example.query.trim(), example.form);
      },
    }, field("A subscription that exists", chosen, about), h("button", { class: "button", text: "Use it" }));
  }

  #place() {
    const inputs = ["south", "west", "north", "east"].map((name) => h("input", {
      id: `place-${name}`, type: "number", step: "any", min: "-180", max: "180", required: true, inputmode: "decimal",
    }));
    const set = (box) => inputs.forEach((input) => { input.value = box[input.id.slice("place-".length)]; });
    const region = h("select", { id: "place-region", onchange: () => set(REGIONS[region.selectedIndex]) }, REGIONS.map((each) => h("option", { text: each.name })));
    set(REGIONS[0]);
    return h("form", {
      class: "inline place", onsubmit: (event) => {
        event.preventDefault();
        const [south, west, north, east] = inputs.map((input) => Number(input.value));
        this.write(placeQuery({ south, west, north, east }), "sparql");
      },
    }, field("Items with a position inside", region),
    inputs.map((input) => field(input.id.slice("place-".length).replace(/^./, (letter) => letter.toUpperCase()), input)),
    h("button", { class: "button", text: "Write it" }));
  }
}

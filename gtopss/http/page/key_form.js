// The API key of a person or an operator, for a service that wants one.

import { announce, field, fill, h } from "./dom.js";
import * as tickets from "./tickets.js";

/** Return a form for the key. `onchange` is called after it was changed. */
export function keyForm(onchange) {
  const input = h("input", { id: "key", type: "password", autocomplete: "off", placeholder: "gk_…", value: tickets.apiKey() });
  const said = h("p", { class: "note", role: "status" });
  const form = h("form", {
    class: "inline", onsubmit: (event) => {
      event.preventDefault();
      tickets.setApiKey(input.value.trim());
      fill(said, input.value.trim() === "" ? "No key is used." : "The key is used until you close this tab.");
      announce(said.textContent);
      onchange();
    },
  }, field("API key, if the service wants one", input), h("button", { class: "button", text: "Use it" }));
  return h("section", { class: "card quiet-card", "aria-labelledby": "key-title" }, h("h2", { id: "key-title", text: "Your key" }), form, said);
}

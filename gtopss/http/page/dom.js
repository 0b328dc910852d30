// Build elements. Text becomes text nodes, never markup, so that nothing from a feed can become an element or a script.

// Control characters, and embeddings, overrides and isolates of bidirectional text: they would show a text in another
// order than it has. Marks (such as U+200F) stay, because names in right-to-left scripts need them.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/g;
const MAX_TEXT_CHARACTERS = 1000; // a longer text of a feed is cut

/** Create an element. `attributes` may have `class`, `text`, event listeners (`onclick`) and any attribute. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function setAttribute(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name === "text") element.textContent = value;
  else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name === "value") element.value = value;
  else if (name === "href" && !isSafeHref(value)) return;
  else element.setAttribute(name, value === true ? "" : value);
}

function isSafeHref(href) {
  return webAddress(href, location.href) !== null;
}

/** Return the address if it is http or https, otherwise null. Without `base` it must be absolute. */
export function webAddress(text, base = undefined) {
  try {
    const url = new URL(text, base);
    return url.protocol === "http:" || url.protocol === "https:" ? url.href : null;
  } catch {
    return null;
  }
}

/** Return a stranger's text without control characters, cut to a readable length. */
export function clean(text, limit = MAX_TEXT_CHARACTERS) {
  const plain = String(text ?? "").replace(CONTROLS, "");
  return plain.length > limit ? `${plain.slice(0, limit)}…` : plain;
}

/** Return a stranger's text as an element that cannot change the direction of the text around it. */
export function foreign(text) {
  return h("bdi", { text: clean(text) });
}

/** Return a link to a page of a stranger; only its text, if the address is not http or https. */
export function foreignLink(address, text) {
  const href = address ? webAddress(address) : null;
  if (href === null) return foreign(text);
  return h("a", { href, rel: "noreferrer noopener", target: "_blank" }, foreign(text));
}

/** Replace the children of an element. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Return a button. `kind` is "", "primary", "quiet" or "danger". */
export function button(label, onclick, kind = "", attributes = {}) {
  return h("button", { type: "button", class: `button ${kind}`.trim(), onclick, ...attributes }, label);
}

/** Return a labelled input: `<label>` above, then the input, then a hint that describes it. */
export function field(label, input, hint = null) {
  if (hint !== null) {
    hint.id ||= `${input.id}-hint`;
    input.setAttribute("aria-describedby", hint.id);
  }
  return h("div", { class: "field" }, h("label", { for: input.id, text: label }), input, hint);
}

/** Tell users of screen readers what has happened. */
export function announce(text) {
  const region = document.getElementById("announcer");
  region.textContent = "";
  requestAnimationFrame(() => { region.textContent = text; });
}

/** Return a text that can be copied with a button: an address, a command, a secret. */
export function copyable(label, text) {
  const copy = button("Copy", async () => {
    try {
      await navigator.clipboard.writeText(text);
      copy.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(value);
      copy.textContent = "Selected: press Ctrl+C";
    }
    announce(`${label}: ${copy.textContent}`);
    setTimeout(() => { copy.textContent = "Copy"; }, 2500);
  }, "quiet small", { "aria-label": `Copy: ${label}` });
  const value = h("code", { class: "value", tabindex: "0", text });
  return h("div", { class: "copyable" }, h("span", { class: "label", text: label }), h("div", { class: "row" }, value, copy));
}

/** Return a function that calls `action` after `delay` milliseconds without a further call. */
export function debounce(action, delay) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...given), delay);
  };
}

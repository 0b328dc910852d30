// The one dialog of the page: a question before something is deleted, and explanations.

import { button, fill, h } from "./dom.js";

const dialog = () => document.getElementById("dialog");

/** Show a dialog with a title, a body and a button that closes it. */
export function showDialog(title, body, actions = []) {
  const element = dialog();
  fill(element,
    h("div", { class: "dialog-head" }, h("h2", { id: "dialog-title" }, title), button("Close", closeDialog, "quiet")),
    h("div", { class: "dialog-body" }, body),
    actions.length > 0 && h("div", { class: "actions" }, actions));
  if (!element.open) element.showModal();
  return element;
}

export function closeDialog() {
  if (dialog().open) dialog().close();
}

/** Ask before something that cannot be undone. Returns a promise of true or false. */
export function confirmed(question, detail, action) {
  return new Promise((resolve) => {
    const answer = (value) => () => { resolve(value); closeDialog(); };
    const element = showDialog(question, h("p", { text: detail }), [
      button(action, answer(true), "danger"), button("Keep it", answer(false), "", { autofocus: true }),
    ]);
    element.addEventListener("close", () => resolve(false), { once: true });
  });
}

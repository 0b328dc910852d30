// The editor of a subscription's text: a text field that grows, and a mark at the place of a mistake.

import { fill, h } from "./dom.js";

const MAX_LINE_CHARACTERS = 72; // of the line that is shown with a mistake; more of it is cut on both sides

/** A text field in which one place can be marked. `onchange` is called with every change of the text. */
export class Editor {
  /** `tools` are shown beside the label. */
  constructor({ label, tools, onchange }) {
    this.input = h("textarea", {
      id: "editor", class: "editor-input", rows: "3", spellcheck: "false", autocapitalize: "off", autocomplete: "off",
      "aria-describedby": "editor-problem",
      oninput: () => { this.#draw(null); onchange(this.text); },
    });
    this.backdrop = h("pre", { class: "editor-backdrop", "aria-hidden": "true" });
    this.problem = h("div", { id: "editor-problem", class: "problem-place", role: "status" });
    this.element = h("div", { class: "editor" },
      h("div", { class: "spread" }, h("label", { for: "editor", text: label }), tools),
      h("div", { class: "editor-box" }, this.backdrop, this.input),
      this.problem);
    this.onchange = onchange;
    this.#draw(null);
  }

  get text() {
    return this.input.value;
  }

  set text(value) {
    this.input.value = value;
    this.#draw(null);
  }

  /** Change the text as if the person had typed it, and select a part of it. */
  write(text, start = text.length, end = text.length) {
    this.text = text;
    this.input.focus();
    this.input.setSelectionRange(start, end);
    this.onchange(text);
  }

  /** Show a mistake: its message, and the line with a caret below the column. null removes it. */
  showProblem(problem) {
    this.input.setAttribute("aria-invalid", problem === null ? "false" : "true");
    this.#draw(problem);
    if (problem === null) return fill(this.problem);
    return fill(this.problem, problemBlock(problem, this.text));
  }

  #draw(problem) {
    const offset = problem === null ? null : offsetOf(this.text, problem.line, problem.column);
    if (offset === null) {
      fill(this.backdrop, `${this.text}\n`);
      return;
    }
    const end = endOfWord(this.text, offset);
    const marked = this.text.slice(offset, end).trim() === "" ? " " : this.text.slice(offset, end);
    fill(this.backdrop, this.text.slice(0, offset), h("mark", { text: marked }), `${this.text.slice(end)}\n`);
  }
}

/** Return an error with the line of the text and a caret below its column, if the place is known. */
export function problemBlock(problem, text) {
  const line = text.split("\n")[problem.line - 1];
  if (line === undefined || !problem.column) return h("div", { class: "problem" }, h("p", { text: problem.message }));
  const reason = problem.message.split("\n")[0].replace(/ ?\(line \d+, column \d+\)/, ""); // the place is shown below
  const block = h("div", { class: "problem" }, h("p", { text: reason }));
  const characters = Array.from(line); // the service counts characters, not UTF-16 units
  const place = Math.min(problem.column - 1, characters.length);
  const start = Math.max(0, place - MAX_LINE_CHARACTERS / 2);
  const end = Math.min(characters.length, start + MAX_LINE_CHARACTERS);
  block.append(h("pre", { class: "problem-line" },
    start > 0 ? "…" : "",
    characters.slice(start, place).join(""),
    h("span", { class: "caret", text: characters[place] ?? " " }),
    characters.slice(place + 1, end).join(""),
    end < characters.length ? "…" : ""));
  block.append(h("p", { class: "note", text: `Line ${problem.line}, column ${problem.column}` }));
  return block;
}

function offsetOf(text, line, column) {
  const lines = text.split("\n");
  if (!line || !column || line > lines.length) return null;
  const before = lines.slice(0, line - 1).reduce((total, each) => total + each.length + 1, 0);
  return before + Array.from(lines[line - 1]).slice(0, column - 1).join("").length;
}

function endOfWord(text, offset) {
  const rest = /^[\p{L}\p{N}_]+|^\S/u.exec(text.slice(offset));
  return offset + (rest === null ? (text[offset] === undefined || text[offset] === "\n" ? 0 : 1) : rest[0].length);
}

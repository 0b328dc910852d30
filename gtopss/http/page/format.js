// Write times and numbers as people read them.

const NUMBER = new Intl.NumberFormat("en");
const SHORT = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const DATE = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
const UNITS = [["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600], ["minute", 60]];

export const number = (value) => (Number.isInteger(value) ? NUMBER : SHORT).format(value);

/** Return "1 match", "3 matches". */
export function count(value, one, many = `${one}s`) {
  return `${number(value)} ${value === 1 ? one : many}`;
}

/** Return a Date for a time of the service: ISO 8601 or Unix seconds; null for none. */
export function toDate(time) {
  if (time === null || time === undefined) return null;
  const date = new Date(typeof time === "number" ? time * 1000 : time);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** Return "3 hours ago", "in 2 days", "just now". */
export function relative(time, now = Date.now()) {
  const date = toDate(time);
  if (date === null) return "never";
  const seconds = (date.getTime() - now) / 1000;
  const found = UNITS.find(([, length]) => Math.abs(seconds) >= length);
  if (found === undefined) return seconds > 0 ? "in less than a minute" : "just now";
  const amount = Math.abs(seconds) / found[1];
  // What was just made valid for a week ends in 7 days, although a second of them is over.
  return seconds > 0 ? `in ${count(Math.round(amount), found[0])}` : `${count(Math.floor(amount), found[0])} ago`;
}

export function exact(time) {
  const date = toDate(time);
  return date === null ? "" : DATE.format(date);
}

/** Return a `<time>` element: relative words, with the exact time as a tooltip. */
export function timeElement(time) {
  const date = toDate(time);
  const element = document.createElement("time");
  element.textContent = relative(time);
  if (date !== null) {
    element.dateTime = date.toISOString();
    element.title = exact(time);
  }
  return element;
}

/** Return a validity in words: 86400 is "1 day". */
export function duration(seconds) {
  const found = UNITS.find(([, length]) => seconds >= length && seconds % length === 0) ?? UNITS.find(([, length]) => seconds >= length);
  return found === undefined ? count(seconds, "second") : count(Math.round((seconds / found[1]) * 10) / 10, found[0]);
}

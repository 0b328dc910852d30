// Keep the subscriptions of this browser in localStorage: id, ticket, text and a name that the person may choose.

const STORAGE_KEY = "gtopss.subscriptions";
const KEY_STORAGE_KEY = "gtopss.api-key"; // in sessionStorage: forgotten when the tab is closed

let unstored = null; // the subscriptions, if this browser stores nothing: they last until the page is closed

/** Say whether the subscriptions survive a reload. */
export function isLasting() {
  return unstored === null;
}

/** Return the kept subscriptions, the newest first. Damaged storage counts as empty. */
export function all() {
  if (unstored !== null) return unstored;
  try {
    const kept = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isSubscription) : [];
  } catch {
    return [];
  }
}

function isSubscription(each) {
  return typeof each?.id === "string" && typeof each?.ticket === "string";
}

export function get(id) {
  return all().find((each) => each.id === id) ?? null;
}

/** Add a subscription, or change what is kept of it. */
export function keep(subscription) {
  const others = all().filter((each) => each.id !== subscription.id);
  write([{ ...get(subscription.id), ...subscription }, ...others]);
}

/** Change fields of a kept subscription in its place. */
export function update(id, fields) {
  write(all().map((each) => (each.id === id ? { ...each, ...fields } : each)));
}

export function forget(id) {
  write(all().filter((each) => each.id !== id));
}

export function forgetAll() {
  write([]);
}

/** Return all kept subscriptions as the text of a file. */
export function exported() {
  return JSON.stringify({ service: location.origin, subscriptions: all() }, null, 2);
}

/** Keep the subscriptions of an exported file as well. Return how many there were. Throws an Error with a reason. */
export function importText(text) {
  let given;
  try {
    given = JSON.parse(text).subscriptions;
  } catch {
    throw new Error("This is not a file that “Export tickets” has written: it is not JSON.");
  }
  const found = (Array.isArray(given) ? given : []).filter(isSubscription);
  if (found.length === 0) throw new Error("This file has no subscriptions with a ticket.");
  for (const each of found.reverse()) {
    keep({ id: each.id, ticket: each.ticket, text: String(each.text ?? ""), form: each.form === "sparql" ? "sparql" : "short", name: String(each.name ?? ""), addresses: each.addresses ?? null, renewCommand: each.renewCommand ?? null });
  }
  return found.length;
}

function write(subscriptions) {
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(subscriptions));
  } catch {
    unstored = subscriptions;
  }
}

export function apiKey() {
  try {
    return sessionStorage.getItem(KEY_STORAGE_KEY) ?? "";
  } catch {
    return "";
  }
}

export function setApiKey(key) {
  try {
    if (key) sessionStorage.setItem(KEY_STORAGE_KEY, key);
    else sessionStorage.removeItem(KEY_STORAGE_KEY);
  } catch {
    // The key then lasts for no request; the service's answer says what is missing.
  }
}

// Every request of the page to the service. Errors are problem details (RFC 9457), thrown as `Problem`.

import * as tickets from "./tickets.js";

export const OPML_ADDRESS = "feeds.opml"; // relative, so that the service may have a path of its own behind a proxy

/** An error of the service, with the place in the text where there is one. */
export class Problem extends Error {
  constructor(status, detail, { line = null, column = null, type = "" } = {}) {
    super(detail);
    this.status = status;
    this.line = line;
    this.column = column;
    this.type = type;
  }

  /** Say whether the subscription has ended or was deleted, or the ticket is not that of this subscription. */
  get isUnknownSubscription() {
    return this.type.endsWith(":invalid-ticket");
  }
}

async function request(method, path, { body, ticket, type = "application/json", accept = "application/json" } = {}) {
  const headers = { Accept: `${accept}, application/problem+json` };
  const key = tickets.apiKey();
  if (ticket) headers.Authorization = `Bearer ${ticket}`;
  if (key) headers["X-API-Key"] = key;
  if (body !== undefined) headers["Content-Type"] = type;
  let response;
  try {
    response = await fetch(path, { method, headers, body: type === "application/json" && body !== undefined ? JSON.stringify(body) : body, credentials: "omit" });
  } catch {
    throw new Problem(0, "The service cannot be reached. Is it running, and are you connected?");
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

async function problemOf(response) {
  try {
    const found = await response.json();
    const fields = (found.errors ?? []).map((each) => `${each.field}: ${each.reason}`).join("; ");
    return new Problem(response.status, found.detail || fields || found.title, found);
  } catch {
    return new Problem(response.status, `The service answered ${response.status} ${response.statusText}.`);
  }
}

async function json(method, path, options) {
  const response = await request(method, path, options);
  return response.status === 204 ? null : response.json();
}

const subscriptionPath = (kept, rest = "") => `subscriptions/${encodeURIComponent(kept.id)}${rest}`;
const publicationPath = (id, rest = "") => `publications/${encodeURIComponent(id)}${rest}`;

// --- subscriptions ---

export const check = (text, form) => json("POST", "subscriptions/check", { body: { query: text, form } });

export function subscribe({ text, form, validity, backfill }) {
  return json("POST", "subscriptions", { body: { query: text, form, validity, backfill } });
}

export const subscription = (kept) => json("GET", subscriptionPath(kept), { ticket: kept.ticket });
export const replace = (kept, text, form) => json("PUT", subscriptionPath(kept), { ticket: kept.ticket, body: { query: text, form } });
export const renew = (kept) => json("POST", subscriptionPath(kept, "/renew"), { ticket: kept.ticket, body: {} });
export const pause = (kept) => json("POST", subscriptionPath(kept, "/pause"), { ticket: kept.ticket });
export const resume = (kept) => json("POST", subscriptionPath(kept, "/resume"), { ticket: kept.ticket });
export const remove = (kept) => json("DELETE", subscriptionPath(kept), { ticket: kept.ticket });

// --- notifications ---

/** Return the newest retained notifications, in the order of their numbers. */
export async function newestMatches(kept, limit) {
  const { notifications } = await subscription(kept); // the number of the last one
  const after = Math.max(0, notifications - limit);
  return (await json("GET", subscriptionPath(kept, `/matches?after=${after}&limit=${limit}`), { ticket: kept.ticket })).notifications;
}

/** Return the addresses for feed readers. They are shown once, so this browser keeps them with the ticket. */
export async function readAddresses(kept) {
  return tickets.get(kept.id)?.addresses ?? replaceReadAddresses(kept);
}

export async function replaceReadAddresses(kept) {
  const made = await json("POST", subscriptionPath(kept, "/read-address"), { ticket: kept.ticket });
  tickets.update(kept.id, { addresses: made });
  return made;
}

/** Return the address of the event stream after a notification. */
export async function eventsAddress(kept, after) {
  const { events } = await readAddresses(kept);
  const path = /read\/[^/]+\/[^/]+\/events$/.exec(events); // without the host, which may be another name of this one
  return `${path === null ? events : path[0]}?last_event_id=${after}`;
}

// --- targets ---

export const targets = async (kept) => (await json("GET", subscriptionPath(kept, "/targets"), { ticket: kept.ticket })).targets;
export const addTarget = (kept, address) => json("POST", subscriptionPath(kept, "/targets"), { ticket: kept.ticket, body: { kind: "webhook", address } });
export const removeTarget = (kept, target) => json("DELETE", subscriptionPath(kept, `/targets/${target}`), { ticket: kept.ticket });
export const enableTarget = (kept, target) => json("POST", subscriptionPath(kept, `/targets/${target}/enable`), { ticket: kept.ticket });
export const rotateSecret = async (kept, target) => (await json("POST", subscriptionPath(kept, `/targets/${target}/rotate-secret`), { ticket: kept.ticket })).secret;
export const deadLetters = async (kept) => (await json("GET", subscriptionPath(kept, "/dead-letters"), { ticket: kept.ticket })).dead_letters;

export function replay(kept, target, firstSequence = null) {
  return json("POST", subscriptionPath(kept, `/targets/${target}/replay`), { ticket: kept.ticket, body: { first_sequence: firstSequence } });
}

/** Return the dead letters of all subscriptions, for the operator. */
export const allDeadLetters = async () => (await json("GET", "dead-letters")).dead_letters;

export function replayAsOperator({ subscription: id, target, first_sequence }) {
  return json("POST", "dead-letters/replay", { body: { subscription: id, target, first_sequence } });
}

// --- publications ---

export const items = async (limit) => (await json("GET", `publications?limit=${limit}`)).publications;

/** Explain an item for a registered subscription: words, bindings and a picture. */
export function explain(kept, publication) {
  const path = publicationPath(publication, `/explain/${encodeURIComponent(kept.id)}`);
  return explanation((accept) => request("GET", path, { ticket: kept.ticket, accept }));
}

/** Explain an item for a text that is not registered. */
export function explainText(publication, text, form) {
  return explanation((accept) => request("POST", publicationPath(publication, "/explain"), { body: { query: text, form }, accept }));
}

async function explanation(ask) {
  const [found, picture] = await Promise.all([ask("application/json").then((response) => response.json()), ask("image/svg+xml").then((response) => response.blob())]);
  return { matched: found.matched, text: found.text, bindings: bindingsOf(found.explanation), picture };
}

// The solutions of all branches, as in SPARQL's results in JSON.
function bindingsOf(found) {
  return (found.branches ?? []).flatMap((branch) => (branch.solutions ?? []).map((solution) => solution.bindings ?? {}));
}

// --- ontology, feeds, service ---

export async function terms(words) {
  return (await json("GET", `terms?q=${encodeURIComponent(words)}&limit=20`)).terms;
}

export const templates = async () => (await json("GET", "templates")).templates;
export const feeds = async () => (await json("GET", "feeds")).feeds;
export const addFeed = (url) => json("POST", "feeds", { body: { url } });
export const removeFeed = (url) => json("DELETE", `feeds?url=${encodeURIComponent(url)}`);
export const importOpml = (data) => json("POST", "feeds.opml", { body: data, type: "text/x-opml" });
/** Return what a service that starts waits for; null if it is ready, or does not say so. */
export async function notReadyReason() {
  try {
    await request("GET", "readyz");
  } catch (problem) {
    if (problem.type.endsWith(":not-ready")) return problem.message;
  }
  return null;
}

export const costs = () => json("GET", "costs");
export const stats = () => json("GET", "stats");

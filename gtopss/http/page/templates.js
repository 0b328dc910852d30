// Beginnings of subscriptions: by words, topic, author, place or class. Each adds to the text in the editor, or begins a
// new one.

const GEORSS = "http://www.georss.org/georss";

/** Return a value of the short form: a word as it is, anything else in quotation marks. */
export function quoted(text) {
  const plain = text.trim().replaceAll('"', " ").replace(/\s+/g, " ").trim();
  return /^[\p{L}\p{N}]+\*?$/u.test(plain) && !/^(AND|OR|NOT)$/.test(plain) ? plain : `"${plain}"`;
}

/** Return the text with a condition of the short form added. */
export function withCondition(text, condition) {
  const before = text.trim();
  return before === "" ? condition : `${before} ${condition}`;
}

/** Return a condition for a topic of the ontology: by its label, if no other one of those found has the same. */
export function topicCondition(topic, found) {
  const isAmbiguous = found.some((each) => each.iri !== topic.iri && each.labels.some((label) => sameLabel(label, topic.label)));
  return topic.label && !isAmbiguous ? `topic:${quoted(topic.label)}` : `topic:<${topic.iri}>`;
}

function sameLabel(one, other) {
  return one.trim().toLowerCase() === String(other).trim().toLowerCase();
}

/** Return a query for everything of a class, or of a class below it. */
export function classQuery(chosen) {
  const comment = (chosen.label ?? chosen.iri).replace(/[\r\n]+/g, " ");
  return `# Things of the class “${comment}”, or of a class below it\nSELECT ?thing ?class WHERE {\n  ?thing a ?class\n  FILTER isA(?class, <${chosen.iri}>)\n}`;
}

/** Return a query for items with a position inside a box, in degrees. */
export function placeQuery({ south, west, north, east }) {
  const latitude = 'xsd:decimal(STRBEFORE(?where, " "))';
  const longitude = 'xsd:decimal(STRAFTER(?where, " "))';
  return `# Items from ${south}° to ${north}° north, ${west}° to ${east}° east
PREFIX georss: <${GEORSS}>
SELECT ?title ?where WHERE {
  ?item rss:title ?title ; georss:point ?where
  FILTER (${latitude} >= ${decimal(south)} && ${latitude} <= ${decimal(north)})
  FILTER (${longitude} >= ${decimal(west)} && ${longitude} <= ${decimal(east)})
}`;
}

function decimal(value) {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

export const SPARQL_BEGINNING = `SELECT ?item ?title WHERE {
  ?item rss:title ?title
  FILTER words(?title, "open source")
}`;

/** Boxes that a person can begin with. */
export const REGIONS = [
  { name: "California", south: 32, west: -125, north: 42, east: -114 },
  { name: "Alaska", south: 51, west: -170, north: 72, east: -130 },
  { name: "Europe", south: 35, west: -11, north: 71, east: 40 },
  { name: "Japan", south: 30, west: 129, north: 46, east: 146 },
  { name: "South America", south: -56, west: -82, north: 13, east: -34 },
];

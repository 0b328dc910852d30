"""Match a block of documents with one call: bytes in, arrays out, on all processors."""

import numpy as np

from gtopss import Engine

engine = Engine()  # Engine(threads=2) for two threads; by default as many as there are processors
engine.add("SELECT ?item { ?item <urn:topic> <urn:topic:health> }", id="health")
engine.add('SELECT ?item ?title { ?item <urn:title> ?title FILTER(CONTAINS(LCASE(?title), "flood")) }', id="floods")

# N-Triples documents one after the other, and where each of them begins: as they come from a log or a queue.
documents = [
    b'<urn:1> <urn:title> "Flood in Ghent" .\n',
    b"this is not N-Triples\n",
    b'<urn:2> <urn:topic> <urn:topic:health> .\n<urn:2> <urn:title> "After the flood" .\n',
]
offsets = np.cumsum([0, *map(len, documents)])
found = engine.match_batch(b"".join(documents), "nt", offsets=offsets)

for publication, subscription in zip(found.publication, found.subscription, strict=True):
    print(f"document {publication} matches {found.subscription_ids[subscription]}")
for number, error in found.errors.items():
    print(f"document {number} was refused: {type(error).__name__}")

# The solutions, as reports. `to_arrow()` and `to_pandas()` return them as a table.
for report in found.reports():
    for match in report:
        print(report.publication_id, match.subscription_id, *match.rows)

# N-Quads: one publication per graph.
quads = b"<urn:3> <urn:topic> <urn:topic:health> <urn:graph:a> .\n<urn:4> <urn:topic> <urn:topic:art> <urn:graph:b> .\n"
found = engine.match_batch(quads, "nq", bindings=False)
print(dict(zip(found.publication_ids, found.ids(), strict=True)))

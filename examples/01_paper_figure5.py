"""The worked example of the G-ToPSS paper (Figure 5): one event, two subscriptions, both match."""

import json
from pathlib import Path

from gtopss import Engine, Subscription

DATA = Path(__file__).parent.parent / "data"

engine = Engine(taxonomy=DATA / "ontologies" / "bibliography.ttl")
for line in (DATA / "figure5" / "subscriptions.jsonl").read_text().splitlines():
    engine.add(Subscription.from_json(json.loads(line)))

for match in engine.match((DATA / "figure5" / "event.ttl").read_bytes(), format="turtle"):
    print(match.subscription_id)
    for solution, bindings in zip(match.solutions, match.bindings, strict=True):
        for name, value in bindings.items():
            print(f"  ?{name} = {value}")
        for triple in solution.triples():
            print("  because", *triple)

"""Add and remove subscriptions between publications, find the most expensive one, and save and reopen the engine."""

import tempfile
from pathlib import Path

from gtopss import Engine, Publication, Subscription
from ontology import Taxonomy

NEWS = "<http://example.org/news#{}>".format


def item(number: int, author: int, words: int) -> Publication:
    name = NEWS(f"item{number}")
    return Publication(f"item{number}", [
        (name, NEWS("author"), NEWS(f"person{author}")),
        (name, NEWS("words"), words),
        (name, NEWS("about"), NEWS("Sparrow")),
    ])  # fmt: skip


birds = Taxonomy([("http://example.org/news#Sparrow", "http://example.org/news#Bird")])
engine = Engine(taxonomy=birds)
engine.add_many(Subscription(f"author{n}", [("?item", NEWS("author"), NEWS(f"person{n}"))]) for n in range(10_000))
engine.add("PREFIX n: <http://example.org/news#> SELECT ?item { ?item n:words ?w FILTER (?w > 900) }", id="long")
engine.add("PREFIX n: <http://example.org/news#> SELECT ?t { ?item n:about ?t FILTER isA(?t, n:Animal) }", id="animals")
print(f"{len(engine):,} subscriptions")

for report in engine.match_many([item(1, author=7, words=100), item(2, author=8, words=1000)], bindings=False):
    print(report.publication_id, "matches", ", ".join(report.subscription_ids))

birds.add_subclass("http://example.org/news#Bird", "http://example.org/news#Animal")
print("affected by the edit:", ", ".join(engine.affected_by_taxonomy()))
engine.remove("author7")
print("item3 matches", ", ".join(engine.match(item(3, author=7, words=1)).subscription_ids))
print("most expensive:", next(iter(engine.costs())))

with tempfile.TemporaryDirectory() as folder:
    engine.save(Path(folder) / "engine")
    again = Engine.open(Path(folder) / "engine")
    print("after a restart:", ", ".join(sorted(again.match(item(4, author=8, words=950)).subscription_ids)))

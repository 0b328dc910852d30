"""is-a over schema.org: a subscription to creative works matches a podcast episode, three classes below."""

from pathlib import Path

from rdflib import RDF, Literal, Namespace, URIRef, Variable

from gtopss import Engine, Subscription
from gtopss.model.expressions import instance_of

SCHEMA = Namespace("https://schema.org/")
DATA = Path(__file__).parent.parent / "data"

engine = Engine(taxonomy=DATA / "ontologies" / "schemaorg-30.0-current-https.ttl")
thing, name = Variable("thing"), Variable("name")
for cls in (SCHEMA.CreativeWork, SCHEMA.Event):
    engine.add(Subscription(str(cls), [(thing, SCHEMA.name, name, [instance_of("thing", cls)], [])]))

episode = URIRef("urn:episode:1")
published = [(episode, RDF.type, SCHEMA.PodcastEpisode), (episode, SCHEMA.name, Literal("Graphs, at last"))]
for match in engine.match(published):
    print(match.subscription_id, "matches", match.bindings[0]["name"])
print("path:", " < ".join(engine.taxonomy.path(SCHEMA.PodcastEpisode, SCHEMA.CreativeWork)))

"""Find mistakes in subscriptions that are valid and yet cannot match, and what nearly matched."""

import warnings

from gtopss import Engine, Publication
from gtopss.checking.nearest import nearest_subscriptions
from gtopss.checking.run_observer import RunObserver
from ontology import Taxonomy

HEALTH = "http://example.org/topics#Health"
taxonomy = Taxonomy([("http://example.org/topics#Vaccine", HEALTH)])
taxonomy.add_label(HEALTH, "health", "en")

engine = Engine(taxonomy=taxonomy, matcher="naive")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    engine.add("SELECT ?titel { ?item rss:title ?title }", id="variable")
engine.add("SELECT ?t { ?item a rss:item ; rss:titel ?t }", id="property")
engine.add('SELECT ?topic { ?item dcterms:subject ?topic FILTER isA(?topic, "health") }', id="class")
for warning in caught:
    print(warning.message)

title, kind = "<http://purl.org/rss/1.0/title>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
item = Publication("urn:1", [("<urn:1>", kind, "<http://purl.org/rss/1.0/item>"), ("<urn:1>", title, '"A vaccine"')])
observer = RunObserver(engine)
observer.observe(item, engine.match(item))
for finding in observer.findings():
    print(finding)
print("nothing matched", ", ".join(observer.unmatched()))
print(nearest_subscriptions(engine, item, 1)[0])

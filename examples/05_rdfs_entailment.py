"""entailment="rdfs": patterns also match subclasses and subproperties, without an is-a constraint."""

from rdflib import RDF, Namespace, Variable

from gtopss import Engine, Subscription
from ontology import Taxonomy

EX = Namespace("http://example.org/")
taxonomy = Taxonomy([(EX.Novel, EX.Book)], subproperties=[(EX.wrote, EX.created)])

subscription = Subscription(
    "books", [(Variable("who"), EX.created, Variable("what")), (Variable("what"), RDF.type, EX.Book)]
)
published = [(EX.ann, EX.wrote, EX.emma), (EX.emma, RDF.type, EX.Novel)]
for entailment in (None, "rdfs"):
    engine = Engine(taxonomy=taxonomy, entailment=entailment)
    engine.add(subscription)
    print(f"entailment={entailment}:", [dict(row) for match in engine.match(published) for row in match.bindings])

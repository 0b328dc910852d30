"""entailment="rdfs": patterns match what follows by RDFS: subclasses, subproperties, domains and ranges."""

from rdflib import RDF, Namespace, Variable

from gtopss import Engine, Subscription
from ontology import Taxonomy

EX = Namespace("http://example.org/")
taxonomy = Taxonomy([(EX.Novel, EX.Book)], subproperties=[(EX.wrote, EX.created)])
taxonomy.add_range(EX.wrote, EX.Text)

subscription = Subscription(
    "books",
    [
        (Variable("who"), EX.created, Variable("what")),
        (Variable("what"), RDF.type, EX.Book),
        (Variable("what"), RDF.type, EX.Text),
    ],
)
published = [(EX.ann, EX.wrote, EX.emma), (EX.emma, RDF.type, EX.Novel)]
for entailment in (None, "rdfs"):
    engine = Engine(taxonomy=taxonomy, entailment=entailment)
    engine.add(subscription)
    print(f"entailment={entailment}:", [dict(row) for match in engine.match(published) for row in match.bindings])

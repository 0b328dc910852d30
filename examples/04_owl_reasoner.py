"""A reasoner completes the taxonomy: HermiT infers which pizzas have cheese, which the ontology does not state."""

from pathlib import Path

from rdflib import Namespace, URIRef, Variable

from gtopss import Engine, Subscription
from gtopss.model.expressions import is_a
from ontology import load

PIZZA = Namespace("https://raw.githubusercontent.com/owlcs/pizza-ontology/refs/heads/master/pizza.owl#")
MENU = Namespace("urn:menu:")
DATA = Path(__file__).parent.parent / "data"

asserted = load(DATA / "ontologies" / "pizza.owl")
inferred = load(DATA / "ontologies" / "pizza.owl", reasoner="hermit")

today = [(URIRef("urn:today"), MENU.offers, PIZZA[name]) for name in ("Margherita", "American", "Rosa")]
for label, taxonomy in (("asserted", asserted), ("inferred", inferred)):
    engine = Engine(taxonomy=taxonomy)
    dish = Variable("dish")
    constraints = [is_a("dish", PIZZA.CheeseyPizza)]
    engine.add(Subscription("with cheese", [(Variable("day"), MENU.offers, dish, [], constraints)]))
    dishes = [row["dish"].fragment for match in engine.match(today) for row in match.bindings]
    print(f"{label}: {', '.join(sorted(dishes)) or 'nothing'}")

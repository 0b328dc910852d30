"""Explain why a subscription matches one offer, and what is missing in three others."""

from rdflib import RDF, Literal, Namespace, Variable

from gtopss import Subscription
from gtopss.explain import explain
from gtopss.model import Publication
from gtopss.model.expressions import compare, is_a
from ontology import Taxonomy

SHOP = Namespace("http://example.org/shop#")
item, price, seller = Variable("item"), Variable("price"), Variable("seller")

taxonomy = Taxonomy([(SHOP.DeskLamp, SHOP.Lamp), (SHOP.Lamp, SHOP.Furniture), (SHOP.Bicycle, SHOP.Vehicle)])
subscription = Subscription(
    "cheap furniture",
    [
        (item, SHOP.price, price, [is_a("item", SHOP.Furniture)], [compare("price", "<", 50)]),
        (item, SHOP.seller, seller),
        (seller, SHOP.city, Literal("Toronto")),
    ],
)


def offer(name: str, kind: str, cost: int, city: str) -> Publication:
    shop = SHOP[f"{name}-shop"]
    return Publication(
        name,
        [
            (SHOP[name], RDF.type, SHOP[kind]),
            (SHOP[name], SHOP.price, cost),
            (SHOP[name], SHOP.seller, shop),
            (shop, SHOP.city, Literal(city)),
        ],
    )


prefixes = {"shop": str(SHOP)}
for publication in (
    offer("lamp", "DeskLamp", 45, "Toronto"),
    offer("expensive-lamp", "DeskLamp", 55, "Toronto"),
    offer("bike", "Bicycle", 30, "Toronto"),
    offer("misspelled-lamp", "DeskLamp", 20, "Torontoo"),
):
    explanation = explain(subscription, publication, taxonomy)
    print(explanation.text(prefixes), end="\n\n")

# A notebook shows the explanation as a diagram. Other pages can use explanation.svg(prefixes) or .mermaid(prefixes).
assert explanation.svg(prefixes).startswith("<svg")
assert explanation.to_json()["branches"][0]["failure"]["kind"] == "edge"

"""A subscription in plain Python: 5-tuples, constraints, a constraint on two variables, and its JSON form."""

import json

from rdflib import Literal, Namespace, Variable

from gtopss import Engine, Subscription
from gtopss.model.expressions import call, compare, contains

SHOP = Namespace("http://example.org/shop#")
item, title, price, usual = (Variable(name) for name in ("item", "title", "price", "usual"))

bargain = Subscription(
    "bargains",
    [
        (item, SHOP.title, title, [], [contains("title", "lamp")]),
        (item, SHOP.price, price, [], [compare("price", "<", 100)]),
        (item, SHOP.usualPrice, usual),
    ],
    where=[compare(call("*", 2, "?price"), "<", usual)],
    select=["item", "price"],
)
text = json.dumps(bargain.to_json())
assert Subscription.from_json(json.loads(text)) == bargain

engine = Engine()
engine.add(bargain)
for number, (name, now, before) in enumerate([("desk lamp", 20, 45), ("floor lamp", 40, 60), ("chair", 5, 90)]):
    offer = SHOP[f"offer{number}"]
    triples = [(offer, SHOP.title, Literal(name)), (offer, SHOP.price, now), (offer, SHOP.usualPrice, before)]
    found = [row["item"] for match in engine.match(triples) for row in match.bindings]
    print(f"{name}: {'a bargain' if found else 'no'}")

"""Expensive operators: the five UAV subscriptions of the DEBS 2007 paper on 200 images, with each strategy."""

import random

from gtopss import Publication
from gtopss.model.expressions import call, compare
from gtopss.model.terms import literal
from gtopss.operators import STRATEGIES, OperatorStage, Registry

# name: probability, cost, and highest count. Simulated; a real operator would analyse the image.
TESTS = {"locIn": (0.2, 1), "locWithin": (0.1, 1), "trafficPattern": (0.3, 20), "chasePattern": (0.05, 50)}
COUNTS = {
    "mobPattern": (0.1, 30, 100),
    "pedestrianCount": (0.8, 30, 400),
    "policeCarCount": (0.3, 30, 4),
    "tourBoatCount": (0.2, 30, 9),
    "coastGuardBoatCount": (0.2, 30, 4),
    "distanceFrom": (1.0, 1, 9000),
}
registry = Registry()


def seen(image: Publication, name: str, *what: str) -> random.Random:
    return random.Random(f"{image.id} {name} {what}")  # deterministic for each image


for name, (chance, cost) in TESTS.items():

    @registry.operator(name, arity=(1, 2), cost=cost, timeout=None)
    def recognise(image: Publication, *what: str, name: str = name, chance: float = chance) -> bool:
        return seen(image, name, *what).random() < chance


for name, (chance, cost, most) in COUNTS.items():

    @registry.operator(name, arity=1, binds=0, cost=cost, timeout=None)
    def count(image: Publication, name: str = name, chance: float = chance, most: int = most) -> list[int]:
        look = seen(image, name)
        return [look.randrange(1, most)] if look.random() < chance else []


bronx, jam = call("locIn", literal("Bronx")), call("trafficPattern", literal("congestion"))
square, crash = call("locWithin", literal("TimesSquare"), 5000), call("trafficPattern", literal("accident"))
boats = [call("distanceFrom", "?x"), call("tourBoatCount", "?y"), call("coastGuardBoatCount", "?z")]
subscriptions = {
    "S1": ([bronx, call("chasePattern", literal("policeCar"), literal("anyCar"))], []),
    "S2": ([bronx, call("mobPattern", "?people")], [compare("people", ">", 50)]),
    "S3": ([square, jam, call("pedestrianCount", "?ped")], [compare("ped", ">", 250)]),
    "S4": ([bronx, jam, crash, call("policeCarCount", "?pol")], [compare("pol", "<", 2)]),
    "S5": (boats, [compare("x", "<", 1000), compare("y", ">", call("*", 2, "?z"))]),
}
for strategy in STRATEGIES:
    stage = OperatorStage(registry, strategy=strategy)
    for id, (calls, where) in subscriptions.items():
        stage.add((id, 0), calls[::-1], where=where)  # the expensive calls first, the worst order
    images = (Publication(f"snapshot-{number}", []) for number in range(200))
    reports = [stage.evaluate(image, {(id, 0): [{}] for id in subscriptions}) for image in images]
    cost, matches = sum(each.cost for each in reports), sum(len(each.matched) for each in reports)
    print(f"{strategy}: {sum(each.calls for each in reports)} calls that cost {cost:.0f}, {matches} matches")

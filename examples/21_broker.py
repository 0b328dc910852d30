"""A broker with two publishers and three subscribers, a renewal and an expiry, on a clock that the example sets."""

from gtopss import Engine, Publication
from gtopss.broker.broker import Acknowledgement, Broker
from gtopss.broker.errors import InvalidTicket
from gtopss.broker.store.sqlite import memory_store

HOUR = 3_600.0
NEWS, MARKET = "https://news.example/", "https://market.example/"


def item(number: int, source: str, subject: str, title: str) -> Publication:
    node = f"<{source}{number}>"
    triples = [
        (node, "<http://purl.org/dc/elements/1.1/subject>", f'"{subject}"'),
        (node, "<http://purl.org/rss/1.0/title>", f'"{title}"'),
    ]
    return Publication(f"{source}{number}", triples, source=source)


def about(subject: str) -> str:
    return f'SELECT ?title {{ ?item dc:subject "{subject}" ; rss:title ?title }}'


def show(broker: Broker, name: str, of: Acknowledgement) -> None:
    for each in broker.notifications(of.id, of.ticket):
        titles = ", ".join(row["title"]["value"] for row in each.bindings())
        print(f"  {name} {each.row.sequence}: {each.row.kind} {titles}".rstrip())


now = 1_800_000_000.0
with memory_store() as store, Broker(store, Engine(matcher="reference"), clock=lambda: now) as broker:
    publisher = broker.create_owner("market.example")  # the other publisher is anonymous
    ann = broker.subscribe(about("health"))  # for a day, the default
    bob = broker.subscribe(about("wheat"), validity=2 * HOUR)
    eve = broker.subscribe(about("wheat"), validity=2 * HOUR)

    broker.publish([item(1, NEWS, "health", "A vaccine"), item(2, NEWS, "sport", "A goal")])
    broker.publish([item(1, MARKET, "wheat", "Wheat rises")], key=publisher.key)
    again = broker.publish([item(1, MARKET, "wheat", "Wheat rises")], key=publisher.key)
    print("published again:", "a duplicate" if again[0].publications[0].is_duplicate else "accepted")
    broker.run_pending()

    now += 1.9 * HOUR  # less than a tenth of two hours is left
    broker.run_pending()
    broker.renew(bob.id, bob.ticket)
    print("Bob renews with his ticket; Eve does not")

    now += 1 * HOUR
    broker.publish([item(2, MARKET, "wheat", "Wheat falls"), item(3, NEWS, "health", "A cure")])
    broker.run_pending()
    for name, of in (("Ann", ann), ("Bob", bob), ("Eve", eve)):
        show(broker, name, of)
    try:
        broker.renew(eve.id, eve.ticket)
    except InvalidTicket as error:
        print(f"Eve: {error}")

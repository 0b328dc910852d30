"""Two brokers hold a share of the subscriptions each; a publication goes only to shares in which it may match."""

from gtopss import Engine
from gtopss.broker.broker import Broker
from gtopss.broker.store.sqlite import memory_store

TITLE = "<http://purl.org/rss/1.0/title>"


def words(text: str) -> str:
    return f'SELECT ?title {{ ?item rss:title ?title FILTER words(?title, "{text}") }}'


with memory_store() as store:  # brokers on several machines share a postgresql:// store
    engine = Engine(matcher="reference")
    ann, bob = (Broker(store, engine.without_subscriptions()) for _ in range(2))
    made = {text: ann.subscribe(words(text)) for text in ("wheat", "maize", "football", "tennis")}
    ann.set_shares(2)
    for _ in range(2):  # a broker divides the subscriptions; then each takes a share
        ann.run_pending()
        bob.run_pending()
    for number, broker in enumerate((ann, bob), start=1):
        broker.start()  # reads its subscriptions now, and not before the first match
        for held in broker.shares.current():
            print(f"broker {number} holds share {held.share} with {len(held.follower.engine)} subscriptions")

    titles = ("Wheat rises", "A tennis match", "Elections")
    ann.publish([[(f"<urn:item:{place}>", TITLE, f'"{title}"')] for place, title in enumerate(titles)])
    ann.routing.route_step()
    waiting = sum(status.waiting for status in ann.shares.status())
    print(f"{len(titles)} publications, {waiting} tasks instead of {2 * len(titles)}")
    for broker in (ann, bob):
        broker.run_pending()
    for text, of in made.items():
        for each in ann.notifications(of.id, of.ticket):
            print(f"{text}: {each.bindings()[0]['title']['value']}")
    for broker in (ann, bob):
        broker.close()

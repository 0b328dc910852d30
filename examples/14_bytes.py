"""High throughput: N-Triples bytes in, subscription ids out, with one subscription for each publisher of news.

Terms are converted to strings only when they are read. A malformed document does not affect the others.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from gtopss import Engine, Subscription

NEWS = Path(__file__).parents[1] / "data" / "news" / "news.nq"
PUBLISHER = "<http://purl.org/dc/elements/1.1/publisher>"
TOPIC = "<http://purl.org/dc/terms/subject>"
ECONOMY = "<http://cv.iptc.org/newscodes/mediatopic/04000000>"


def documents() -> Iterator[bytes]:
    """Yield each graph of the file as one N-Triples document."""
    lines = (line.rsplit(b" ", 2) for line in NEWS.read_bytes().splitlines())
    for _, graph in groupby(lines, key=lambda parts: parts[1]):
        yield b"".join(triple + b" .\n" for triple, _, _ in graph)


news = list(documents())
triples = (line.decode().removesuffix(" .").split(" ", 2) for each in news for line in each.splitlines())
publishers = sorted({o for _, p, o in triples if p == PUBLISHER})
engine = Engine()
engine.add_many(Subscription(name, [("?news", PUBLISHER, name), ("?news", TOPIC, ECONOMY)]) for name in publishers)
print(f"{len(engine):,} subscriptions, {len(news):,} documents")

counts: Counter[str] = Counter()
for report in engine.match_many([*news, b"<urn:a> <urn:p> oops .\n"], "nt", bindings=False):
    if report.error:
        print("refused:", report.error)
    counts.update(report.subscription_ids)
print("most about the economy:", ", ".join(f"{name} {count}" for name, count in counts.most_common(3)))

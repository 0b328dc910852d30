"""Measure how many publications routing spares the shares of a broker, on real feeds and news.

    python -m gtopss.experiments.benchmark.broker_shares data --subscriptions 1000

Subscriptions are made from the items themselves: words, classes of an ontology, graph patterns. The division into
shares knows half of the items. The other half is routed and counted, and matched once with all subscriptions and once
share by share: both must find the same.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from gtopss.broker.shares.assignment import PublicationSample, divide
from gtopss.broker.shares.key_table import KeyTable
from gtopss.broker.shares.routing_keys import FeatureReader, KeyRules, Keys, keys_of
from gtopss.broker.store.share_rows import default_share
from gtopss.broker.subscription_texts import read_text
from gtopss.engine import Engine
from gtopss.engine.preparation import prepare_subscription
from gtopss.errors import GtopssError
from gtopss.model import Publication, Subscription
from gtopss.model.terms import is_iri, is_literal, literal_parts
from gtopss.reading.reader_pool import ReaderPool
from gtopss.semantics.words import SEPARATOR, words_text
from ontology import Taxonomy, load

KINDS = ("words", "classes", "graphs", "mixed")
SHARES = (2, 4, 8)
RSS_TITLE = "<http://purl.org/rss/1.0/title>"
MIN_WORD = 4
"""Characters of a word that a subscription asks for."""


@dataclass(frozen=True, slots=True)
class Spared:
    """The tasks that publications became, as parts of sending each of them to every share."""

    items: str
    kind: str
    shares: int
    subscriptions: int
    publications: int
    routed: float
    """Tasks of the division by `divide`."""
    routed_by_id: float
    """Tasks if subscriptions were divided by their ids."""
    needed: float
    """Shares in which something matched."""
    largest_share: float
    """Subscriptions of the largest share, as a multiple of the average."""
    key_bytes: float
    """Bytes of the routing table for a subscription."""
    microseconds: float
    """Time to route a publication."""


def items_of(folder: Path) -> list[Publication]:
    """Return the items of all feeds of a folder."""
    readers, found = ReaderPool(1), list[Publication]()
    try:
        for path in sorted(each for each in folder.iterdir() if each.suffix != ".csv"):
            found += readers.read_document(path.read_bytes(), path.absolute().as_uri()).publications
    finally:
        readers.close()
    return found


def _words(item: Publication, chance: random.Random) -> str | None:
    titles = [literal_parts(term)[0] for _, property, term in item.triples if property == RSS_TITLE]
    words = sorted({word for text in titles for word in words_text(text).split(SEPARATOR) if len(word) >= MIN_WORD})
    if len(words) < 2:
        return None
    tests = " && ".join(f'words(?t, "{word}")' for word in chance.sample(words, 2))
    return f"SELECT ?x {{ ?x {RSS_TITLE} ?t FILTER({tests}) }}"


def _classes(item: Publication, chance: random.Random, taxonomy: Taxonomy) -> str | None:
    names = [term[1:-1] for triple in item.triples for term in triple[1:] if is_iri(term)]
    for _, _, term in item.triples:
        if is_literal(term):
            names += taxonomy.labels.with_label(literal_parts(term)[0])
    known = sorted({above for name in names for above in (name, *taxonomy.ancestors(name)) if name in taxonomy})
    if not known:
        return None
    cls = chance.choice(known)
    return f"SELECT ?x {{ ?x ?p ?y FILTER(isA(?y, <{cls}>) || labelled(?y, <{cls}>)) }}"


def _graph(item: Publication, chance: random.Random) -> str | None:
    triples = [each for each in item.triples if len(each[2]) < 100]
    if len(triples) < 3:
        return None
    variables: dict[str, str] = {}
    pattern: list[str] = []
    for subject, property, object_ in chance.sample(triples, chance.randint(2, 3)):
        name = variables.setdefault(subject, f"?s{len(variables)}")
        end = object_ if chance.random() < 0.6 and not object_.startswith("_:") else f"?o{len(pattern)}"
        pattern.append(f"{name} {property} {end}")
    return f"SELECT * {{ {' . '.join(pattern)} }}"


def subscription_texts(
    kind: str, items: Sequence[Publication], count: int, engine: Engine, seed: int = 20
) -> Iterator[str]:
    """Yield queries of a kind that items satisfy."""
    chance, made = random.Random(seed), 0
    makers: dict[str, Callable[[Publication], str | None]] = {
        "words": lambda item: _words(item, chance),
        "classes": lambda item: _classes(item, chance, engine.taxonomy),
        "graphs": lambda item: _graph(item, chance),
    }
    for attempt in range(3 * count):
        text = makers[kind if kind != "mixed" else KINDS[attempt % 3]](chance.choice(items))
        if text is None:
            continue
        try:
            read_text(text, "sparql", "s", engine)
        except GtopssError:  # two parts without a common variable
            continue
        yield text
        made += 1
        if made == count:
            return


@dataclass(frozen=True, slots=True)
class _Case:
    """Subscriptions of a kind with their keys, items to route, and what each item matches."""

    items: str
    kind: str
    empty: Engine
    features: FeatureReader
    sample: PublicationSample
    subscriptions: Sequence[Subscription]
    keys: Sequence[Keys | None]
    new: Sequence[Publication]
    expected: Sequence[set[str]]


def measure(name: str, items: Sequence[Publication], count: int, taxonomy: Taxonomy) -> Iterator[Spared]:
    """Yield the figures of each kind of subscription and number of shares. Raises AssertionError for a lost match."""
    empty, features = Engine(taxonomy=taxonomy), FeatureReader(taxonomy)
    shuffled = random.Random(20).sample(items, len(items))
    known, new = shuffled[: len(items) // 2], shuffled[len(items) // 2 :]
    sample = PublicationSample(map(features, known))
    for kind in KINDS:
        texts = enumerate(subscription_texts(kind, items, count, empty))
        subscriptions = [read_text(text, "sparql", f"{kind}-{number}", empty).subscription for number, text in texts]
        if not subscriptions:
            continue
        keys = [_keys(each, empty, sample) for each in subscriptions]
        case = _Case(name, kind, empty, features, sample, subscriptions, keys, new, _matches(empty, subscriptions, new))
        for shares in SHARES:
            yield _measure(case, shares)


def _keys(subscription: Subscription, engine: Engine, sample: PublicationSample) -> Keys | None:
    prepared = prepare_subscription(subscription, None, engine.operators, allow_cartesian=False)
    return keys_of(prepared.normal or subscription, KeyRules(), sample.frequency)


def _matches(
    empty: Engine, subscriptions: Iterable[Subscription], publications: Sequence[Publication]
) -> list[set[str]]:
    engine = empty.without_subscriptions()
    engine.add_many(subscriptions)
    reports = engine.match_many(publications, bindings=False)
    return [{match.subscription_id for match in report} for report in reports]


def _measure(case: _Case, shares: int) -> Spared:
    divided = divide(case.keys, shares, case.sample)
    table = KeyTable((1 << share, each) for share, each in zip(divided, case.keys, strict=True))
    began = time.perf_counter()
    bits = [table.bits_of(case.features(each)) for each in case.new]
    seconds = time.perf_counter() - began
    assert _by_share(case, divided, bits, shares) == list(case.expected), "routing has lost a match"
    by_id = [default_share(each.id, shares) for each in case.subscriptions]
    other = KeyTable((1 << share, each) for share, each in zip(by_id, case.keys, strict=True))
    of_id = {each.id: share for each, share in zip(case.subscriptions, divided, strict=True)}
    all_tasks = shares * len(case.new)
    return Spared(
        case.items,
        case.kind,
        shares,
        len(case.subscriptions),
        len(case.new),
        sum(each.bit_count() for each in bits) / all_tasks,
        sum(other.bits_of(case.features(each)).bit_count() for each in case.new) / all_tasks,
        sum(len({of_id[id] for id in ids}) for ids in case.expected) / all_tasks,
        max(divided.count(share) for share in range(shares)) * shares / len(divided),
        table.nbytes() / len(case.subscriptions),
        seconds / len(case.new) * 1e6,
    )


def _by_share(case: _Case, divided: Sequence[int], bits: Sequence[int], shares: int) -> list[set[str]]:
    """Match each share with what is routed to it, and return what all find together."""
    found: list[set[str]] = [set() for _ in case.new]
    for share in range(shares):
        places = [place for place, each in enumerate(bits) if each >> share & 1]
        mine = (each for each, own in zip(case.subscriptions, divided, strict=True) if own == share)
        matches = _matches(case.empty, mine, [case.new[place] for place in places])
        for place, ids in zip(places, matches, strict=True):
            found[place] |= ids
    return found


def main() -> None:
    """Run the measurement, and print a line of JSON for each figure."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("data", type=Path, help="the folder with feeds/, news/ and ontologies/")
    arguments.add_argument("--subscriptions", type=int, default=1_000)
    given = arguments.parse_args()
    taxonomy = load(given.data / "ontologies" / "iptc-mediatopics-en-GB.ttl")
    for name in ("feeds", "news"):
        for each in measure(name, items_of(given.data / name), given.subscriptions, taxonomy):
            print(json.dumps(asdict(each)), flush=True)


if __name__ == "__main__":
    main()

"""Measure reading and filtering of feeds: the shares of parsing, XML checks, isolation and matching, in one run."""

from __future__ import annotations

import contextlib
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import feedparser

from gtopss.engine import Engine
from gtopss.model import Publication, Subscription
from gtopss.reading.detect import detect
from gtopss.reading.documents import read_document
from gtopss.reading.isolation import IsolatedReader
from ontology.xml_safety import MalformedXML, check_xml


def measure_feeds(folder: Path, *, subscriptions: int = 1_000, rounds: int = 5) -> dict[str, Any]:
    """Measure the seconds for all documents of a folder: medians over alternating rounds."""
    documents = [(str(path), path.read_bytes()) for path in sorted(folder.iterdir()) if path.is_file()]
    publications = [each for name, data in documents for each in read_document(data, source=name).publications]
    engine = Engine()
    for subscription in subscriptions_from(publications, subscriptions):
        engine.add(subscription)
    as_rdf = [(name, data) for name, data in documents if detect(data, name=name).value == "rss10"]
    triples = [
        "".join(f"{' '.join(triple)} .\n" for triple in each.triples).encode()
        for name, data in as_rdf
        for each in read_document(data, source=name).publications
    ]
    times: dict[str, list[float]] = {}
    with IsolatedReader() as reader:
        reader.read_document(documents[0][1])  # starts the worker
        tasks: dict[str, Callable[[], object]] = {
            "read": lambda: [read_document(data, source=name) for name, data in documents],
            "read_isolated": lambda: [reader.read_document(data, source=name) for name, data in documents],
            "guard": lambda: _guard(documents),
            "match": lambda: [engine.match(each) for each in publications],
            "rss10_read": lambda: [read_document(data, source=name) for name, data in as_rdf],
            "rdf_read": lambda: [read_document(data, source="item.nt") for data in triples],
            "rss10_feedparser": lambda: [feedparser.parse(data) for _, data in as_rdf],
        }
        for _ in range(rounds):
            for name, task in tasks.items():
                times.setdefault(name, []).append(_seconds(task))
    seconds = {name: statistics.median(values) for name, values in times.items()}
    return {
        "documents": len(documents),
        "items": len(publications),
        "subscriptions": subscriptions,
        "seconds": seconds,
        "items_per_second": len(publications) / (seconds["read_isolated"] + seconds["match"]),
        "guard_and_isolation_share": (seconds["read_isolated"] - seconds["read"] + seconds["guard"]) / seconds["read"],
        "rdf_times_feedparser": seconds["rss10_feedparser"] / seconds["rdf_read"],
        "rss10_times_feedparser": seconds["rss10_feedparser"] / seconds["rss10_read"],
    }


def subscriptions_from(publications: list[Publication], count: int) -> list[Subscription]:
    """Draw subscriptions from the publications' triples: two edges of one subject, one of them with any object."""
    generator = random.Random(2005)
    made: list[Subscription] = []
    while len(made) < count:
        triples = generator.choice(publications).triples
        subject = generator.choice(triples)[0]
        about = [triple for triple in triples if triple[0] == subject]
        if len(about) < 2:
            continue
        one, other = generator.sample(about, 2)
        made.append(Subscription(f"s{len(made)}", [("?item", one[1], one[2]), ("?item", other[1], "?value")]))
    return made


def _guard(documents: list[tuple[str, bytes]]) -> None:
    for _, data in documents:
        with contextlib.suppress(MalformedXML):  # some documents are not XML, or not well-formed
            check_xml(data)


def _seconds(task: Callable[[], object]) -> float:
    started = time.perf_counter()
    task()
    return time.perf_counter() - started

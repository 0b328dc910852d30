"""An engine with operators that count their calls and fail, for tests of operators in the executors."""

from __future__ import annotations

from pathlib import Path

from gtopss import Engine
from gtopss.model import Publication, Term
from gtopss.operators import REGISTRY, OperatorLimits, Registry

WORDS = "SELECT ?item ?title { ?item rss:title ?title FILTER hasWords(?title, 'the') }"
LONG = "SELECT ?item { ?item rss:title ?title FILTER longerThan(?title, 30) FILTER mentions('Linux') }"
LONG_TOO = "SELECT ?item ?title { ?item rss:title ?title FILTER longerThan(?title, 30) }"
FRAGILE = "SELECT ?item { ?item rss:title ?title FILTER unreliable(?title) }"
PLAIN = "SELECT ?item { ?item rss:title ?title FILTER CONTAINS(?title, 'a') }"


def registry(calls: Path) -> Registry:
    """Return the shipped operators and two more. Each call of the first appends a line to a file."""
    made = Registry(REGISTRY.values())

    @made.operator("longerThan", timeout=None)
    def longer_than(publication: Publication, text: Term, size: Term) -> bool:
        with calls.open("a") as file:
            file.write(f"{publication.id} {text}".replace("\n", " ") + "\n")
        return len(text) > int(size.split('"')[1])

    @made.operator("unreliable", timeout=None)
    def unreliable(publication: Publication, text: Term) -> bool:
        if len(text) % 3 == 0:
            raise RuntimeError("no camera")
        return len(text) % 3 == 1

    return made


def engine_for(calls: Path) -> Engine:
    engine = Engine(operators=registry(calls), strategy="sequential", operator_limits=OperatorLimits(concurrency=2))
    for name, text in {"words": WORDS, "long": LONG, "too": LONG_TOO, "fragile": FRAGILE, "plain": PLAIN}.items():
        engine.add(text, id=name)
    return engine

"""A corpus of generated vocabularies: as many classes as a real collection has, written as N-Triples.

Each vocabulary has classes below each other and below those of earlier vocabularies, properties with domains and
ranges, labels in two languages, comments, and some of OWL's restrictions, which make blank nodes.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

_RDF, _RDFS = "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "http://www.w3.org/2000/01/rdf-schema#"
_OWL, _XSD = "http://www.w3.org/2002/07/owl#", "http://www.w3.org/2001/XMLSchema#"
CLASSES_PER_VOCABULARY = 40
PROPERTIES_PER_VOCABULARY = 50
_WORDS = (
    "agent",
    "animal",
    "book",
    "city",
    "concept",
    "date",
    "event",
    "food",
    "health",
    "image",
    "law",
    "map",
    "news",
)


def write_corpus(path: Path, vocabularies: int, seed: int = 7) -> int:
    """Write so many vocabularies into one file. Return the number of triples."""
    count = 0
    with path.open("w") as file:
        for line in corpus_lines(vocabularies, random.Random(seed)):
            file.write(line)
            count += 1
    return count


def corpus_lines(vocabularies: int, random: random.Random) -> Iterator[str]:
    """Yield the triples of so many vocabularies as lines of N-Triples."""
    classes: list[str] = []
    for number in range(vocabularies):
        base = f"http://vocabulary{number}.example.org/terms"
        own = [f"<{base}#Class{each}>" for each in range(CLASSES_PER_VOCABULARY)]
        yield f"<{base}> <{_RDF}type> <{_OWL}Ontology> .\n"
        for place, cls in enumerate(own):
            yield from _described(cls, f"<{_OWL}Class>", base, random)
            for parent in random.sample(own[:place], min(place, random.choice((1, 1, 1, 2)))):
                yield f"{cls} <{_RDFS}subClassOf> {parent} .\n"
            if classes and random.random() < 0.1:
                yield f"{cls} <{_RDFS}subClassOf> {random.choice(classes)} .\n"
            if random.random() < 0.3:
                yield from _restricted(cls, f"_:r{number}x{place}", base, random)
        for each in range(PROPERTIES_PER_VOCABULARY):
            name = f"<{base}#property{each}>"
            yield from _described(name, f"<{_OWL}ObjectProperty>", base, random)
            yield f"{name} <{_RDFS}domain> {random.choice(own)} .\n"
            yield f"{name} <{_RDFS}range> {random.choice(own)} .\n"
            if each and random.random() < 0.3:
                yield f"{name} <{_RDFS}subPropertyOf> <{base}#property{random.randrange(each)}> .\n"
        classes += own


def _described(name: str, kind: str, base: str, random: random.Random) -> Iterator[str]:
    words = " ".join(random.choices(_WORDS, k=3))
    yield f"{name} <{_RDF}type> {kind} .\n"
    yield f'{name} <{_RDFS}label> "{words}"@en .\n'
    yield f'{name} <{_RDFS}label> "{words[::-1]}"@fr .\n'
    yield f'{name} <{_RDFS}comment> "{" ".join(random.choices(_WORDS, k=20))}"@en .\n'
    yield f"{name} <{_RDFS}isDefinedBy> <{base}> .\n"
    yield f'{name} <http://purl.org/dc/terms/issued> "20{random.randrange(10, 26)}-05-17"^^<{_XSD}date> .\n'


def _restricted(cls: str, blank: str, base: str, random: random.Random) -> Iterator[str]:
    yield f"{cls} <{_RDFS}subClassOf> {blank} .\n"
    yield f"{blank} <{_RDF}type> <{_OWL}Restriction> .\n"
    yield f"{blank} <{_OWL}onProperty> <{base}#property{random.randrange(PROPERTIES_PER_VOCABULARY)}> .\n"
    yield f'{blank} <{_OWL}minCardinality> "1"^^<{_XSD}nonNegativeInteger> .\n'

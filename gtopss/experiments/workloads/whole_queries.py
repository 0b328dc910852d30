"""News items, and subscriptions of which half have OPTIONAL, NOT EXISTS or HAVING; or the same without.

The patterns are those of `few_shapes`. In place of every second one stands, in turns,

    OPTIONAL { ?i news:link ?link }
    FILTER NOT EXISTS { ?i news:retracted ?when }     every third item is retracted
    GROUP BY ?i HAVING (COUNT(?subject) >= 2)         with the pattern ?i dc:subject ?subject

after its pattern. Without these parts, the last one has its further pattern all the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from gtopss.experiments.workloads.news_items import DATE, LINK, NEWS, SUBJECT, few_shapes
from gtopss.experiments.workloads.workload import Workload
from gtopss.language import subscription_from_text
from gtopss.model import Publication, Subscription
from gtopss.model.terms import iri

RETRACTED = iri(NEWS + "retracted")
ITEMS_PER_RETRACTION = 3


def half_whole_queries(size: int) -> Workload:
    """Return the workload in which half of the subscriptions are more than graph patterns."""
    return _workload("j", "half with OPTIONAL, NOT EXISTS or HAVING", size, whole=True)


def only_patterns(size: int) -> Workload:
    """Return the same workload without OPTIONAL, NOT EXISTS and HAVING."""
    return _workload("j-plain", "the same without OPTIONAL, NOT EXISTS and HAVING", size, whole=False)


def _workload(name: str, title: str, size: int, *, whole: bool) -> Workload:
    items = few_shapes(size)

    def subscriptions() -> Iterator[Subscription]:
        for number, each in enumerate(items.subscriptions()):
            pattern = " ".join(f"{s} {p} {o} ." for s, p, o in each.branches[0].edges())
            yield subscription_from_text(_query(number, pattern, whole=whole), each.id)

    def publications(count: int) -> list[Publication]:
        return [
            _retracted(each) if number % ITEMS_PER_RETRACTION == 0 else each
            for number, each in enumerate(items.publications(count))
        ]

    return Workload(name, title, size, subscriptions, publications)


def _query(number: int, pattern: str, *, whole: bool) -> str:
    kind = number % 6 if number % 2 == 0 else -1
    if kind == 4:
        pattern += f" ?i {SUBJECT} ?subject ."
        if whole:
            having = "GROUP BY ?i HAVING (COUNT(?subject) >= 2)"
            return f"SELECT ?i (COUNT(?subject) AS ?subjects) {{ {pattern} }} {having}"
    elif whole and kind == 0:
        return f"SELECT * {{ {pattern} OPTIONAL {{ ?i {LINK} ?link }} }}"
    elif whole and kind == 2:
        return f"SELECT * {{ {pattern} FILTER NOT EXISTS {{ ?i {RETRACTED} ?when }} }}"
    return f"SELECT * {{ {pattern} }}"


def _retracted(item: Publication) -> Publication:
    """Return an item that was retracted when it was published."""
    date = next(triple for triple in item.triples if triple[1] == DATE)
    return Publication.trusted(item.id, (*item.triples, (date[0], RETRACTED, date[2])))

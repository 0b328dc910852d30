"""Batches in several threads against one thread and against single publications, set for set, also amid changes."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from random import Random

import pytest
from conftest import SOAK
from support.answers import answers
from support.text_cases import text_case

from gtopss import Engine, MatchBatch, Publication, Subscription
from gtopss.errors import NeverMatches
from gtopss.experiments.workloads import WORKLOADS, Workload

ITEMS = 3_000 if SOAK else 300
SIZE = 20_000 if SOAK else 500


def engine_with(workload: Workload, threads: int) -> Engine:
    engine = Engine(taxonomy=workload.taxonomy, allow_cartesian=True, threads=threads)
    assert not engine.add_many(workload.subscriptions())
    return engine


def document(publication: Publication) -> bytes:
    return "".join(f"{' '.join(triple)} .\n" for triple in publication.triples).encode()


def found_in(batch: MatchBatch) -> set[tuple[int, str]]:
    ids = batch.subscription_ids
    return {(int(number), ids[place]) for number, place in zip(batch.publication, batch.subscription, strict=True)}


@pytest.mark.parametrize("letter", WORKLOADS)
def test_threads_find_what_one_thread_finds(letter: str) -> None:
    workload = WORKLOADS[letter](SIZE)
    publications = workload.publications(ITEMS)
    documents = [document(each) for each in publications]
    documents[7] = b"not N-Triples"
    one, several = engine_with(workload, 1), engine_with(workload, 3)
    for bindings in (False, True):
        expected = one.match_batch(documents, "nt", bindings=bindings)
        found = several.match_batch(documents, "nt", bindings=bindings)
        assert list(expected.errors) == list(found.errors) == [7]
        assert found_in(found) == found_in(expected)
        assert len(found) == len(expected) > (0 if letter == "c" else ITEMS / 10)  # few match in c at this size
        pairs = zip(found.reports(), expected.reports(), strict=True)
        assert all(list(map(str, a.subscription_ids)) == list(b.subscription_ids) for a, b in pairs)
    for number in range(0, ITEMS, 10):
        if number != 7:
            single = answers(one.match(publications[number]))
            assert {id for place, id in found_in(expected) if place == number} == set(single)
    some = [*range(5), *range(ITEMS - 5, ITEMS)]
    reports = list(found.reports())
    assert all(answers(reports[number]) == answers(one.match(publications[number])) for number in some)


def test_texts_in_threads() -> None:
    cases = [text_case(Random(seed)) for seed in range(2_000 if SOAK else 150)]
    one, several = Engine(threads=1, allow_cartesian=True), Engine(threads=3, allow_cartesian=True)
    for seed, case in enumerate(cases):
        for number, each in enumerate(case.subscriptions):
            made = Subscription(f"{seed} {number}", branches=each.branches, distinct=each.distinct)
            for engine in (one, several):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", NeverMatches)
                    engine.add_many([made])
    publications = [case.publication for case in cases]
    expected, found = one.match_batch(publications), several.match_batch(publications)
    assert found_in(found) == found_in(expected)
    assert len(found) > len(cases)
    pairs = zip(publications, found.reports(), expected.reports(), strict=True)
    assert all(answers(a) == answers(b) == answers(one.match(each)) for each, a, b in pairs)


def test_batches_of_several_callers_while_subscriptions_come_and_go() -> None:
    """Subscriptions that stay are found always; those that come and go, only in publications that they match."""
    workload = WORKLOADS["a"](SIZE)
    subscriptions = list(workload.subscriptions())
    staying, changing = subscriptions[::2], subscriptions[1::2]
    documents = [document(each) for each in workload.publications(ITEMS)]
    everything = found_in(engine_with(workload, 1).match_batch(documents, "nt", bindings=False))
    names = {each.id for each in staying}
    expected = {pair for pair in everything if pair[1] in names}
    engine = Engine(threads=2, allow_cartesian=True)
    assert not engine.add_many(staying)
    is_over, failures = threading.Event(), list[str]()

    def match() -> None:
        for _ in range(20 if SOAK else 6):
            found = found_in(engine.match_batch(documents, "nt", bindings=False))
            if not expected <= found <= everything:
                failures.append(f"missing {expected - found}, wrong {found - everything}")

    def change() -> None:
        for each in _again_and_again(changing):
            if is_over.is_set():
                return
            engine.add(each)
            engine.remove(each.id)

    changer, callers = threading.Thread(target=change), [threading.Thread(target=match) for _ in range(3)]
    for thread in (changer, *callers):
        thread.start()
    for thread in callers:
        thread.join()
    is_over.set()
    changer.join()
    assert not failures
    assert len(expected) > ITEMS / 10


def _again_and_again(subscriptions: list[Subscription]) -> Iterator[Subscription]:
    while True:
        yield from subscriptions

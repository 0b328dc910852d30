"""The fast index through everything that happens to it, against a new naive engine for each publication.

Subscriptions come and go, the taxonomy is edited, segments are merged, terms get new numbers, the engine is saved and
opened again; at any moment the answers are those of a matcher that has never seen any of this.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from conftest import SOAK
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test
from support.answers import answers, ask_directly
from support.machines import AddRemoveMatch, text_publications
from support.strategies import CLASSES, NODES, labels, publications

from gtopss import Engine, Publication
from gtopss.matching.index import buffer, merging, renumbering, writer
from gtopss.model.terms import iri_text
from ontology import CyclicTaxonomy


class Index(AddRemoveMatch):
    matcher = "gm"
    ids = AddRemoveMatch.ids

    @rule(id=ids)
    def read_back(self, id: str) -> None:
        assert self.engine.subscription(id) == self.registered[id]

    @rule(child=st.sampled_from(CLASSES), parent=st.sampled_from(CLASSES))
    def edit_classes(self, child: str, parent: str) -> None:
        child, parent = iri_text(child), iri_text(parent)
        if self.engine.taxonomy.remove_subclass(child, parent):
            return
        try:
            self.engine.taxonomy.add_subclass(child, parent)
        except CyclicTaxonomy:
            return

    @rule(instance=st.sampled_from(NODES), cls=st.sampled_from(CLASSES))
    def edit_instances(self, instance: str, cls: str) -> None:
        instance, cls = iri_text(instance), iri_text(cls)
        if not self.engine.taxonomy.remove_instance(instance, cls):
            self.engine.taxonomy.add_instance(instance, cls)

    @rule(label=labels())
    def edit_labels(self, label: tuple[str, str]) -> None:
        if not self.engine.taxonomy.remove_label(*label):
            self.engine.taxonomy.add_label(*label)

    @rule()
    def touched(self) -> None:
        assert set(self.engine.affected_by_taxonomy()) <= set(self.registered)

    @rule()
    def merge(self) -> None:
        self.engine.optimise()

    @rule()
    def save_and_open(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.engine.save(Path(folder) / "engine")
            self.engine = Engine.open(Path(folder) / "engine")

    @rule(arrived=st.lists(st.one_of(publications(), text_publications()), min_size=2, max_size=3))
    def match_many(self, arrived: list[Publication]) -> None:
        reports = self.engine.match_many(arrived)
        for publication, report in zip(arrived, reports, strict=True):
            expected = ask_directly("naive", self.engine.taxonomy, self.registered.values(), publication)
            assert answers(report) == expected

    @rule(publication=st.one_of(publications(), text_publications()))
    def match_facts(self, publication: Publication) -> None:
        expected = ask_directly("naive", self.engine.taxonomy, self.registered.values(), publication)
        facts = self.engine.match(publication, bindings=False)
        assert sorted(facts.subscription_ids) == sorted(expected)


@pytest.mark.parametrize(("room", "at_once"), [(1, 1), (3, 64), (64, 512)])
def test_the_index_answers_as_naive_whatever_happens_to_it(
    room: int, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `at_once=1` every flush makes a segment of its own: many are searched, and merged behind the scenes. With
    more room than a run adds, only what may match leaves the buffer."""
    monkeypatch.setattr(buffer, "MIN_CAPACITY", room)
    monkeypatch.setattr(merging, "MAX_FLUSH_ENTRIES", at_once)
    monkeypatch.setattr(renumbering, "MIN_DEAD_TERMS", room)
    monkeypatch.setattr(writer, "MAX_USED_TO_RENUMBER", 1.0)
    run_state_machine_as_test(
        Index, settings=settings(max_examples=1_000 if SOAK else 25, stateful_step_count=30, deadline=None)
    )

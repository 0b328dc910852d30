from __future__ import annotations

import pickle
from datetime import UTC, datetime

from gtopss.model import Publication, Term
from gtopss.model.dataset_publication import DatasetPublication, named_graphs

MADE = DatasetPublication(
    "d", [("<urn:a>", "<urn:p>", 1)], {"<urn:g>": [("<urn:a>", "<urn:q>", 2), ("<urn:a>", "<urn:q>", 2)]}
)


def test_terms_of_named_graphs_are_converted_and_equal_triples_are_one() -> None:
    (triple,) = MADE.graphs[Term("<urn:g>")]
    assert triple == ("<urn:a>", "<urn:q>", '"2"^^<http://www.w3.org/2001/XMLSchema#integer>')
    assert named_graphs(MADE) == MADE.graphs


def test_a_plain_publication_has_no_named_graphs() -> None:
    assert named_graphs(Publication("p", [])) == {}


def test_it_equals_only_datasets_with_the_same_graphs() -> None:
    plain = MADE.without_graphs()
    assert type(plain) is Publication
    assert DatasetPublication.of(plain, MADE.graphs) == MADE
    assert DatasetPublication.of(plain, {}) != MADE
    assert plain != MADE
    assert hash(DatasetPublication.of(plain, {})) == hash(MADE)  # it may be equal: a hash says no more


def test_named_graphs_survive_replacements_and_pickling() -> None:
    time = datetime(2026, 1, 1, tzinfo=UTC)
    changed = MADE.replace(id="other", received_at=time)
    assert (changed.id, changed.received_at, named_graphs(changed)) == ("other", time, MADE.graphs)
    assert pickle.loads(pickle.dumps(MADE)) == MADE

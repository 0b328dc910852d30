"""Errors as they arrive from another process."""

from __future__ import annotations

import copy
import pickle

import pytest

from ontology import errors
from ontology.errors import (
    CyclicTaxonomy,
    InconsistentOntology,
    MalformedOntology,
    MalformedXML,
    OntologyError,
    ReasonerFailed,
    RemoteContextRefused,
    UnsafeXML,
)

EXAMPLES = [
    OntologyError("no use"),
    CyclicTaxonomy(tuple(f"c{number}" for number in range(40))),
    MalformedOntology("expected '.'", source="zoo.ttl", line=3, column=9, remedy="add the dot"),
    RemoteContextRefused("http://elsewhere/", source="zoo.jsonld"),
    MalformedXML("mismatched tag", source="zoo.owl", line=3, column=9),
    UnsafeXML("nested", source="zoo.owl", line=3, column=9, remedy="flatten it"),
    ReasonerFailed("hermit", "no Java", remedy="install it"),
    InconsistentOntology("hermit", source="zoo.owl"),
]


def test_there_is_an_example_of_each() -> None:
    assert {type(example).__name__ for example in EXAMPLES} == set(errors.__all__)


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_errors_survive_pickling_and_copying(error: OntologyError) -> None:
    error.add_note("while loading the zoo")
    copies = [pickle.loads(pickle.dumps(error, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
    for again in (*copies, copy.copy(error), copy.deepcopy(error)):
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert again.args == error.args
        assert vars(again) == vars(error)

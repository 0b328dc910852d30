from __future__ import annotations

import warnings

import pytest

from gtopss import Engine
from gtopss.broker.errors import InvalidSetting
from gtopss.broker.subscription_texts import add_many_quietly, add_quietly, parse_text, read_text
from gtopss.errors import InvalidQuery
from ontology import Taxonomy

NEVER = "SELECT ?x ?unbound { ?x <urn:p> ?y FILTER(?y = 1) FILTER(?y = 2) }"


def test_warnings_are_returned_and_not_raised() -> None:
    engine = Engine(matcher="reference")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read = read_text(NEVER, "sparql", "s", engine)
        add_quietly(engine, read.subscription)
        assert add_many_quietly(engine, [parse_text(NEVER, "sparql", "t", engine), read.subscription])
    assert len(read.warnings) == 2
    assert any("unbound" in each for each in read.warnings)
    assert read.normal is None
    assert len(engine) == 2


def test_topics_of_the_short_form_are_looked_up_in_the_ontology() -> None:
    taxonomy = Taxonomy([("urn:flu", "urn:health")])
    taxonomy.add_label("urn:health", "Health")
    with_ontology = read_text("topic:health", "short", "s", Engine(matcher="reference", taxonomy=taxonomy))
    without = read_text("topic:health", "short", "s", Engine(matcher="reference"))
    assert "urn:health" in with_ontology.query
    assert "urn:health" not in without.query


def test_a_short_form_given_as_sparql_says_so() -> None:
    engine = Engine(matcher="reference")
    with pytest.raises(InvalidQuery, match='use form="short"') as error:
        read_text("\n  vaccine", "sparql", "s", engine)
    assert (error.value.line, error.value.column) == (2, 3)
    with pytest.raises(InvalidQuery) as error:
        read_text("SELECT vaccine", "sparql", "s", engine)
    assert "short" not in error.value.reason


def test_an_unknown_form_is_refused() -> None:
    with pytest.raises(InvalidSetting, match="one of sparql, short"):
        read_text("x", "sql", "s", Engine(matcher="reference"))


@pytest.mark.parametrize("form", ["sparql", "short"])
def test_a_text_that_a_database_cannot_hold_is_refused(form: str) -> None:
    with pytest.raises(InvalidQuery, match="NUL"):
        read_text('SELECT ?s { ?s ?p "a\0b" }', form, "s", Engine(matcher="reference"))

from __future__ import annotations

import logging

import pytest

from ontology import NothingLoaded, load


def test_what_was_loaded_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "ontology"):
        taxonomy = load(b"<urn:tom> a <urn:Cat> .")
    assert caplog.messages == ["<bytes>: loaded 1 class, 1 instance, 0 properties"]
    assert taxonomy.summary() in repr(taxonomy)


def test_a_document_without_an_ontology_is_announced() -> None:
    with pytest.warns(NothingLoaded, match="has no classes"):
        assert load(b"<urn:tom> <urn:p> <urn:Cat> .").is_empty

from __future__ import annotations

from pathlib import Path

import pytest

from gtopss.errors import MalformedPublication
from gtopss.rdf.formats import FORMAT_NAMES, RdfFormat, require_format


@pytest.mark.parametrize("format", RdfFormat)
def test_every_name_media_type_and_extension_leads_to_its_format(format: RdfFormat) -> None:
    for name in (*format.names, format.names[0].upper(), format.media_type, str(format)):
        assert RdfFormat.from_name(name) is format
    for extension in format.extensions:
        assert RdfFormat.from_path(Path(f"folder.nt/a{extension.upper()}")) is format


def test_no_name_or_extension_is_used_twice() -> None:
    extensions = [extension for each in RdfFormat for extension in each.extensions]
    assert len(set(FORMAT_NAMES)) == len(FORMAT_NAMES)
    assert len(set(extensions)) == len(extensions)


def test_quad_formats_have_named_graphs_and_triple_formats_do_not() -> None:
    with_graphs = {each for each in RdfFormat if each.has_named_graphs}
    assert {RdfFormat.N_QUADS, RdfFormat.TRIG} <= with_graphs
    assert with_graphs.isdisjoint({RdfFormat.TURTLE, RdfFormat.N_TRIPLES, RdfFormat.RDF_XML})


@pytest.mark.parametrize("name", ["docx", "", "image/png"])
def test_an_unknown_format_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(MalformedPublication, match=r"use one of turtle, ttl") as caught:
        require_format(name, publication_id="p")
    assert caught.value.publication_id == "p"


def test_a_path_without_a_known_extension_names_no_format() -> None:
    assert RdfFormat.from_path("README.md") is RdfFormat.from_path("noextension") is None

"""Triples by way of N-Triples text: serialise what a parser found, then split the lines.

The terms of an N-Triples line are already in our own form. Splitting the text takes half the time of converting each
term object.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, cast

import pyoxigraph as ox

from gtopss.model.terms import Triple
from gtopss.rdf.output import OutputBudget

_RDF_12_SIGNS = (b"> <<(", b"--ltr .\n", b"--rtl .\n")  # triple terms and directions, or a literal that contains them


def serialize_ntriples(quads: Iterable[ox.Quad], budget: OutputBudget) -> bytes | None:
    """Serialise quads as N-Triples; None if the text may contain features of RDF 1.2, which need a closer look."""
    ox.serialize(quads, cast("IO[bytes]", budget), format=ox.RdfFormat.N_TRIPLES)
    lines = budget.written()
    return None if any(sign in lines for sign in _RDF_12_SIGNS) else lines


def split_ntriples(lines: bytes) -> list[Triple]:
    """Split N-Triples that pyoxigraph wrote into triples."""
    return cast("list[Triple]", [tuple(line[:-2].split(" ", 2)) for line in lines.decode().split("\n") if line])

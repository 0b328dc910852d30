"""Diagrams in SVG: long labels and large patterns."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from support.explanations import A, P, Q, X

from gtopss.explain import (
    explain,
)
from gtopss.model import Publication, Subscription
from gtopss.model.terms import iri
from ontology import Taxonomy

SVG = "{http://www.w3.org/2000/svg}"


def test_long_labels_are_shortened_and_whole_in_the_tooltip() -> None:
    long = iri("http://example.org/" + "x" * 200)
    made = explain(Subscription("s", [(X, P, long)]), Publication("p", [(A, P, long)]), Taxonomy())
    texts = [each for each in ET.fromstring(made.svg()).iter(SVG + "text") if each.find(SVG + "title") is not None]
    assert [each.find(SVG + "title").text for each in texts] == [long]  # type: ignore[union-attr]
    assert all(len(each.find(SVG + "title").tail or "") <= 36 for each in texts)  # type: ignore[union-attr]


def test_large_pattern_is_drawn_in_part() -> None:
    pattern = [(f"?a{i}", P, f"?a{i + 1}") for i in range(300)]
    made = explain(Subscription("s", [*pattern, (X, Q, X)]), Publication("p", [(A, P, A)]), Taxonomy())
    root = ET.fromstring(made.svg())
    assert len(root.findall(f".//{SVG}polygon")) == 40
    assert "261 more edges are not drawn" in made.svg()
    assert 'stroke-dasharray="5 4"' in made.svg()  # the failing one is drawn all the same

"""Diagrams in SVG and Mermaid for hostile labels, and for patterns that are hard to draw."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from hypothesis import given, settings
from hypothesis import strategies as st
from support.explanations import A, B, P, Q, R, X, Y
from support.strategies import LITERALS, Case, cases

from gtopss.explain import (
    Explanation,
    explain,
)
from gtopss.model import Publication, Subscription
from gtopss.model.terms import literal
from ontology import Taxonomy

HOSTILE = [
    literal(text)
    for text in (
        "<script>alert(1)</script>", "]]>", "&amp;", "\"'`", "a\nb\r\t\x00\x1b[31m", "\u202eltr\u200f", "%%{init}%%",
        'x"] --> y["', "#quot;", "漢字" * 30, "end", "--\u2028>", "{{}}|[(", "",
    )
]  # fmt: skip
SVG = "{http://www.w3.org/2000/svg}"
MERMAID = re.compile(r"[^\n\"\[\](){}|<>`;]*")


def check_diagrams(made: Explanation) -> None:
    for number in range(len(made.branches)):
        root = ET.fromstring(made.svg(branch=number))
        assert root.tag == SVG + "svg"
        assert {each.tag for each in root.iter()} <= {
            SVG + n for n in ("svg", "g", "title", "rect", "text", "path", "polygon")
        }
        names = {name for each in root.iter() for name in each.attrib}
        assert not any(name.startswith("on") or "href" in name or name in ("style", "id") for name in names)
        for line in made.mermaid(branch=number).splitlines():
            # every line is one of ours, and what is quoted is harmless
            bare = re.sub(r"#\d+;|<br/>", "", line)
            assert re.fullmatch(
                r'flowchart LR|    (n\d+|notes)(\(\["[^"]*"\]\)|\["[^"]*"\])|    n\d+ -\.?-?->\|"[^"]*"\| n\d+'
                r"|    (style|linkStyle) \S+ \S+",
                bare,
            ), line
            for quoted in re.findall(r'"([^"]*)"', bare):
                assert MERMAID.fullmatch(quoted), line
    shown = made._repr_html_()
    assert "<script" not in shown
    assert not set("\u202e\u200f\u2028\x1b") & set(shown + str(made) + made.mermaid())
    (str(made) + shown + made.mermaid()).encode()


@settings(max_examples=settings().max_examples // 2)
@given(cases(LITERALS + 3 * HOSTILE), st.sampled_from(["s", '<b>"x\n\u202e', "'; drop"]))
def test_diagrams_are_well_formed_for_hostile_labels(case: Case, id: str) -> None:
    for subscription in case.subscriptions:
        renamed = Subscription(id, branches=subscription.branches)
        check_diagrams(explain(renamed, case.publication, case.taxonomy))


def test_diagram_shows_loops_parallel_edges_and_the_failing_edge() -> None:
    pattern = [(X, P, X), (X, Q, X), (X, P, Y), (X, Q, Y), (Y, P, X), (Y, R, "<urn:nowhere>")]
    made = explain(Subscription("s", pattern), Publication("p", [(A, P, A), (A, Q, A), (A, R, B)]), Taxonomy())
    root = ET.fromstring(made.svg())
    assert len(root.findall(f".//{SVG}polygon")) == len(pattern)  # an arrow's head each
    dashed = [each for each in root.iter(SVG + "path") if each.get("stroke-dasharray")]
    assert [each.get("stroke") for each in dashed] == ["#cf222e"]
    assert made.mermaid().count("-.->") == 1
    check_diagrams(made)

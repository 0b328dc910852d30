"""Whole queries, as text, against pyoxigraph running the very same text: scoping, UNION, VALUES, BIND, FILTER.

The oracle shares neither our parser nor our lowering. Literals are canonical and comparisons within SPARQL's table,
since Oxigraph rewrites other literals and orders more than the table does.
"""

from __future__ import annotations

import warnings
from collections import Counter

import pyoxigraph as ox
import pytest
from conftest import SOAK
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.matchers import SLOW_MATCHERS, every_matcher
from support.strategies import NODES, NUMBERS, PROPERTIES, publications

from gtopss import Engine, Publication
from gtopss.errors import InvalidQuery, NeverMatches
from gtopss.matching.sparql_engines import Oxigraph
from gtopss.model.terms import Term, from_rdflib, literal

VARIABLES = ["?x", "?y", "?z"]
COMPUTED = ["?a", "?b"]
LITERALS = [*NUMBERS[:4], literal("abc"), literal("b")]
TERMS = st.sampled_from([*NODES, *LITERALS])
NAMES = st.sampled_from([*VARIABLES, *COMPUTED])


@st.composite
def expressions(draw: st.DrawFn) -> str:
    one, other = draw(NAMES), draw(st.one_of(NAMES, TERMS))
    return draw(
        st.sampled_from(
            [
                f"{one} = {other}", f"{one} != {other}", f"{one} < {other}", f"sameTerm({one}, {other})",
                f"BOUND({one})", f"!BOUND({one})", f"isIRI({one}) || {one} = {other}", f"isLiteral({one})",
                f"{one} = {other} && BOUND({one})", f"COALESCE({one}, {other}) = {other}",
                f"IF(BOUND({one}), {one}, {other}) = {other}", f"{one} IN ({other}, <urn:n1>)", "true", "false",
            ]
        )
    )  # fmt: skip


@st.composite
def values(draw: st.DrawFn) -> str:
    names = draw(st.lists(NAMES, min_size=1, max_size=2, unique=True))
    cell = st.one_of(TERMS, st.just("UNDEF"))
    rows = draw(st.lists(st.lists(cell, min_size=len(names), max_size=len(names)), max_size=2))
    return f"VALUES ({' '.join(names)}) {{ {' '.join('(' + ' '.join(row) + ')' for row in rows)} }}"


@st.composite
def patterns(draw: st.DrawFn, publication: Publication) -> str:
    """Mostly a triple of the publication with some terms made variables, so that a fair share matches."""
    if draw(st.integers(0, 9)) < 8:
        subject, predicate, object_ = draw(st.sampled_from(publication.triples))
        if subject.startswith("_") or draw(st.integers(0, 9)) < 7:
            subject = draw(st.sampled_from([*VARIABLES, *VARIABLES, *COMPUTED[:1]]))  # type: ignore[assignment]
        if object_.startswith("_") or draw(st.integers(0, 9)) < 7:
            object_ = draw(NAMES)  # type: ignore[assignment]
        return f"{subject} {predicate} {object_} ."
    subject = draw(st.sampled_from([*VARIABLES, *NODES[:2]]))
    predicate = draw(st.sampled_from([*PROPERTIES[:3], "?x"]))
    return f"{subject} {predicate} {draw(st.one_of(NAMES, NAMES, TERMS))} ."


@st.composite
def groups(draw: st.DrawFn, publication: Publication, depth: int = 2) -> str:
    elements = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.integers(0, 9 if depth else 6))
        if kind <= 3:
            elements.append(draw(patterns(publication)))
        elif kind == 4:
            elements.append(f"FILTER({draw(expressions())})")
        elif kind == 5:
            computed = draw(st.sampled_from(["?x", "?y", "1", "?x + 1", "STR(?y)", "<urn:n0>", "COALESCE(?z, 2)"]))
            elements.append(f"BIND({computed} AS {draw(st.sampled_from(COMPUTED))})")
        elif kind == 6:
            elements.append(draw(values()))
        elif kind <= 8:
            elements.append(" UNION ".join(f"{{ {draw(groups(publication, depth - 1))} }}" for _ in range(2)))
        else:
            elements.append(f"{{ {draw(groups(publication, depth - 1))} }}")
    return " ".join(elements)


def oxigraph(text: str, publication: Publication) -> Counter[frozenset[tuple[str, Term]]]:
    engine = Oxigraph()
    engine.load(publication.triples, [])
    found = engine.store.query(text)
    assert isinstance(found, ox.QuerySolutions)
    names = [variable.value for variable in found.variables]
    return Counter(frozenset((name, Term(str(row[name]))) for name in names if row[name] is not None) for row in found)


@pytest.mark.parametrize("matcher", every_matcher("language"))
def test_the_same_text_means_the_same_to_oxigraph(matcher: str) -> None:
    tally: Counter[str] = Counter()

    @settings(max_examples=50_000 if SOAK else 60 if matcher in SLOW_MATCHERS else 250)
    @given(st.data(), publications(LITERALS))
    def same(data: st.DataObject, publication: Publication) -> None:
        group = data.draw(groups(publication))
        text = f"SELECT * WHERE {{ {group} }}"
        try:
            expected = oxigraph(text, publication)
        except SyntaxError:
            with pytest.raises(InvalidQuery):
                Engine().add(text)
            assume(False)
        engine = Engine(matcher=matcher, allow_cartesian=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NeverMatches)
            engine.add(text, id="q")
        found = Counter(
            frozenset((name, from_rdflib(value)) for name, value in row.items())
            for match in engine.match(publication)
            for row in match.bindings
        )
        assert found == expected
        tally["cases"] += 1
        tally["matching"] += bool(expected)

    same()
    assert tally["matching"] >= 0.2 * tally["cases"], tally

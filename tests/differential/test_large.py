"""Many rows: a small pattern over a large publication, the matchers row by row the same."""

from __future__ import annotations

import pytest
from conftest import SOAK
from support.matchers import matcher_names

from gtopss import Engine, Publication, Subscription
from gtopss.model.expressions import compare
from gtopss.model.terms import iri

SIDE = 1_000 if SOAK else 60  # squared: a million rows, or a sample of them


@pytest.fixture(scope="module")
def rows() -> dict[str, set[tuple[str, ...]]]:
    """Every (author, cited author) pair that a citation graph with one hub gives."""
    hub, cites, author = iri("urn:hub"), iri("urn:cites"), iri("urn:author")
    triples = [(iri(f"urn:paper{i}"), cites, hub) for i in range(SIDE)]
    triples += [(iri(f"urn:paper{i}"), author, i) for i in range(SIDE)]
    triples += [(hub, author, i) for i in range(SIDE)]
    subscription = Subscription(
        "pairs",
        [("?paper", cites, "?hub"), ("?paper", author, "?a", [], [compare("a", ">=", 0)]), ("?hub", author, "?b")],
        where=[compare("a", "!=", "?b")],
    )
    found = {}
    for matcher in matcher_names("many rows"):
        engine = Engine(matcher=matcher, row_limit=2 * SIDE**2)
        engine.add(subscription)
        (match,) = engine.match(Publication("p", triples))
        assert not match.truncated
        found[matcher] = {tuple(row.values()) for row in match.rows}
    return found


def test_every_matcher_finds_a_million_rows(rows: dict[str, set[tuple[str, ...]]]) -> None:
    assert len(rows["reference"]) == SIDE**2 - SIDE
    assert {"reference", "gm", "sparql"} <= rows.keys()
    assert all(found == rows["reference"] for found in rows.values())

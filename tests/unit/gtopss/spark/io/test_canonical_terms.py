from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from gtopss.errors import GtopssError
from gtopss.model import Publication
from gtopss.spark.io.canonical_terms import canonical_batches
from gtopss.spark.io.rows import arrow_batch
from gtopss.spark.io.table_schemas import READ_ROWS_ARROW

XSD = "http://www.w3.org/2001/XMLSchema#"
PARTS = [
    "a",
    " ",
    "é",
    "\t",
    "\x01",
    "\x7f",
    "\\t",
    "\\u0041",
    "\\U0001F600",
    "\\'",
    '\\"',
    "\\\\",
    "\\x",
    "\n",
    "\ufffe",
]
LITERALS = st.builds(
    lambda parts, end: f'"{"".join(parts)}"{end}',
    st.lists(st.sampled_from(PARTS), max_size=4),
    st.sampled_from(["", "@en", "@EN", "@en-US", "@", f"^^<{XSD}string>", f"^^<{XSD}integer>", "^^<a b>", "x"]),
)
OTHERS = st.sampled_from(["<urn:a>", "<urn:é>", "<a b>", "<>", "_:b", "_:b.1", "_:b-c", "_:", "?x", "", "abc", None])
TERMS = st.one_of(OTHERS, LITERALS)
LISTS = st.one_of(st.none(), st.lists(st.tuples(TERMS, st.one_of(OTHERS, st.just("<urn:p>")), TERMS), max_size=2))


@settings(max_examples=300)
@given(st.lists(LISTS, max_size=4))
def test_rows_become_what_the_model_makes_of_them(lists: list[list[tuple[str, str, str]] | None]) -> None:
    rows = [
        {
            "publication_id": f"p{number}",
            "triples": None if each is None else [dict(zip("spo", t, strict=True)) for t in each],
        }
        for number, each in enumerate(lists)
    ]
    found = [row for batch in canonical_batches(arrow_batch(rows, READ_ROWS_ARROW)) for row in batch.to_pylist()]
    made: dict[str, object] = {}
    for number, each in enumerate(lists):
        try:
            made[f"p{number}"] = None if each is None else set(Publication(f"p{number}", each).triples)
        except GtopssError:
            made[f"p{number}"] = None
    assert len(found) == len(lists)
    for row in found:
        wanted = made[row["publication_id"]]
        assert (row["error"] is not None) is (wanted is None), row
        if wanted is not None:
            assert {tuple(triple.values()) for triple in row["triples"]} == wanted


def test_a_row_without_an_id_is_an_error() -> None:
    rows = [{"publication_id": id, "source": "s", "triples": []} for id in (None, "", "p")]
    found = [row for batch in canonical_batches(arrow_batch(rows, READ_ROWS_ARROW)) for row in batch.to_pylist()]
    assert sorted((row["publication_id"] or "", row["error"] is None) for row in found) == [
        ("", False),
        ("", False),
        ("p", True),
    ]

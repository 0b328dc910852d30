"""Publications as one text."""

from __future__ import annotations

import pytest

from gtopss.model import Publication
from gtopss.model.publication import TextPublication
from gtopss.model.text_block import TextBlock, TextBlockBuilder, ids_of, lines_of


def publications() -> list[Publication]:
    return [
        Publication("one", [("<urn:a>", "<urn:p>", '"été"'), ("<urn:a>", "<urn:p>", 5)]),
        Publication("none", []),
        TextPublication("two", b"<urn:b>\n<urn:p>\n<urn:c>\n", 1),
    ]


def block() -> TextBlock:
    builder = TextBlockBuilder()
    for each in publications():
        builder.add_publication(each)
    return builder.build()


def test_a_block_has_the_publications_that_were_added() -> None:
    assert list(block()) == publications()
    assert ids_of(block()) == ids_of(publications()) == ["one", "none", "two"]
    assert block().text == b"".join(lines_of(each.triples) for each in publications())
    assert block()[-1] == publications()[-1]


@pytest.mark.parametrize(("first", "end"), [(0, 3), (0, 1), (1, 3), (2, 3), (1, 1), (3, 3)])
def test_a_slice_is_a_block(first: int, end: int) -> None:
    part = block()[first:end]
    assert isinstance(part, TextBlock)
    assert list(part) == publications()[first:end]
    assert part.text == b"".join(lines_of(each.triples) for each in publications()[first:end])
    assert list(part[1:]) == publications()[first:end][1:]


def test_a_block_has_no_other_slices() -> None:
    with pytest.raises(ValueError, match="neighbours"):
        block()[::2]
    with pytest.raises(IndexError):
        block()[3]


def test_an_empty_block() -> None:
    made = TextBlockBuilder().build()
    assert (len(made), made.text, list(made)) == (0, b"", [])

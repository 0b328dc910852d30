"""The tables of the text mappings: made once, small, and numbered as the kernels read them."""

from __future__ import annotations

from gtopss.matching.index.kernels import text_mappings
from gtopss.matching.index.text_tables import text_tables
from gtopss.semantics.html_text import NAMED_CHARACTERS
from gtopss.semantics.words import SEPARATOR, Role


def test_roles_and_names_are_numbered_as_the_kernels_read_them() -> None:
    roles = (Role.SEPARATOR, Role.LETTER, Role.MARK, Role.SOLO, Role.POINT, Role.IGNORED)
    kernels = text_mappings
    assert roles == (
        kernels.SEPARATES, kernels.LETTER, kernels.MARK, kernels.SOLO, kernels.POINT, kernels.IGNORED
    )  # fmt: skip
    assert ord(SEPARATOR) == kernels.SEPARATOR_BYTE
    assert max(map(len, NAMED_CHARACTERS)) <= kernels.MAX_REFERENCE_NAME
    assert all(len(characters) <= 2 for characters in NAMED_CHARACTERS.values())


def test_the_tables_are_made_once_and_are_small() -> None:
    tables = text_tables(words=True)
    assert text_tables(words=True) is tables
    assert sum(array.nbytes for table in tables for array in table) < 1_000_000

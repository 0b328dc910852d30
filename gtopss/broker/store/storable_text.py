"""Texts of strangers as every database can hold them."""

from __future__ import annotations

MAX_STORED_CHARACTERS = 1_000
"""Characters of an error or a title that is stored; the middle of a longer one is left out."""


def storable_text(text: str) -> str:
    """Return a text of limited length, without NUL and lone surrogates, which PostgreSQL refuses.

    >>> storable_text("a\\0b\\ud800"), len(storable_text("x" * 5000))
    ('a?b?', 1000)
    """
    if len(text) > MAX_STORED_CHARACTERS:
        half = MAX_STORED_CHARACTERS // 2
        text = f"{text[: half - 2]}...{text[1 - half :]}"
    return text.replace("\0", "?").encode("utf-8", "replace").decode()

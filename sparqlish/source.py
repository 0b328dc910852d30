r"""Codepoint escapes: `\uXXXX` and `\UXXXXXXXX` become characters before the tokenizer (SPARQL 1.1, section 19.2).

An escaped backslash is read as one unit, so that `"\\u0041"` is a backslash and `u0041`. String literals need this
reading; without it, the printer could not write that string.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from sparqlish.errors import SparqlishError

__all__ = ["Source", "decode_escapes"]

_ESCAPE = re.compile(r"\\(?:\\|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Source:
    """A text as written and decoded, with a map from decoded to written offsets.

    From the decoded offset `marks[i]` on, the written offset is larger by `shifts[i]`.
    """

    written: str
    decoded: str
    marks: tuple[int, ...] = ()
    shifts: tuple[int, ...] = ()

    def places(self, offsets: list[int]) -> list[int]:
        """Return the written offsets of decoded ones; the same list if the text has no escapes."""
        if not self.marks:
            return offsets
        shifts = (0, *self.shifts)
        return [offset + shifts[bisect_right(self.marks, offset)] for offset in offsets]


def decode_escapes(text: str) -> Source:
    r"""Decode codepoint escapes; raise an error for a codepoint that is not a character.

    >>> decode_escapes(r"ASK { ?x \u003Chttp://e/> 1 }").decoded
    'ASK { ?x <http://e/> 1 }'
    """
    if not text.isascii():
        surrogate = _SURROGATE.search(text)
        if surrogate is not None:
            raise SparqlishError.at(text, surrogate.start(), "a lone surrogate is not a character")
    if "\\u" not in text and "\\U" not in text:
        return Source(text, text)
    pieces: list[str] = []
    marks: list[int] = []
    shifts: list[int] = []
    end = shift = 0
    for escape in _ESCAPE.finditer(text):
        digits = escape[1] or escape[2]
        if digits is None:
            continue
        codepoint = int(digits, 16)
        if codepoint > 0x10FFFF or 0xD800 <= codepoint <= 0xDFFF:
            raise SparqlishError.at(text, escape.start(), f"`{escape[0]}` is not a character")
        pieces += (text[end : escape.start()], chr(codepoint))
        end = escape.end()
        shift += end - escape.start() - 1
        marks.append(end - shift)
        shifts.append(shift)
    pieces.append(text[end:])
    return Source(text, "".join(pieces), tuple(marks), tuple(shifts))

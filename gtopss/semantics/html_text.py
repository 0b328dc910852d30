"""The text of HTML, without its markup: what `words` reads of a description that a feed brings as HTML.

| in the HTML                                         | in the text                                         |
|-----------------------------------------------------|-----------------------------------------------------|
| a tag of an inline element (`<b>`, `</a>`)          | nothing: `wo<b>rd</b>` is one word                  |
| any other tag of HTML (`<p>`, `<br/>`, `<td>`)      | a blank                                             |
| `<script>`, `<style>` and what is in them           | a blank                                             |
| a comment                                           | nothing                                             |
| a declaration (`<!DOCTYPE html>`, `<?xml ...?>`)    | a blank; of `<![CDATA[...]]>` the text stays        |
| a character reference (`&amp;`, `&#8217;`)          | its character; it must end with a semicolon         |
| anything else (`a < b`, `List<String>`, `AT&T`)     | itself                                              |

A tag begins with the name of an element of HTML, ends with `>`, which a quoted attribute may contain, and has no `<` in
it. What a comment, a script or a style leaves open extends to the end of the text, as in a browser. So a text is read
once, in linear time, and any text has a meaning. The tables are public because the compiled mapping is made from them
(`gtopss.matching.index.kernels.text_mappings`), which must give the same text.
"""

from __future__ import annotations

import re
from html.entities import html5

INLINE_ELEMENTS = frozenset(
    """
    a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span strike
    strong sub sup time tt u var wbr
    """.split()  # noqa: SIM905
)
"""Elements of HTML, also of its older versions, whose tags may stand inside a word."""

RAW_ELEMENTS = frozenset(("script", "style"))
"""Elements whose contents are no text."""

SEPARATING_ELEMENTS = frozenset(
    """
    address applet area article aside audio base basefont blockquote body br button canvas caption center col colgroup
    datalist dd details dialog dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5
    h6 head header hgroup hr html iframe img input legend li link main map marquee math menu meta meter nav noframes
    noscript object ol optgroup option output p param picture pre progress rb rp rt rtc ruby search section select slot
    source summary svg table tbody td template textarea tfoot th thead title tr track ul video
    """.split()  # noqa: SIM905
)
"""Elements whose tags separate words."""

NAMED_CHARACTERS = {name[:-1]: value for name, value in html5.items() if name.endswith(";")}
"""The characters that HTML has names for, by name."""

_BLANKS = r"[\t\n\f\r ]"
_ATTRIBUTES = rf"""(?:[^<>"'=]++|={_BLANKS}*+(?:"[^"<]*+"|'[^'<]*+')|["'=])*+"""
_MARKUP = re.compile(
    r"<!--(?:>|->|.*?(?:-->|\Z))"
    r"|<!\[CDATA\["
    r"|<[!?][A-Za-z][^<>]*+>"
    rf"|<(/?)([A-Za-z][A-Za-z0-9]{{0,11}})(?=[\t\n\f\r />]){_ATTRIBUTES}>"
    r"|&#([0-9]+|[xX][0-9A-Fa-f]+);"
    r"|&([A-Za-z][A-Za-z0-9]{0,31});",
    re.DOTALL,
)
_RAW_END = {name: re.compile(rf"</{name}(?=[\t\n\f\r />])|\Z", re.IGNORECASE) for name in RAW_ELEMENTS}
_LONGEST_NUMBER = 7  # digits of 1114111, the last code point
REPLACEMENT = "\ufffd"
"""What the number of no character stands for."""
WINDOWS_1252 = {code: bytes([code]).decode("cp1252", "replace") for code in range(0x80, 0xA0)}
"""What references to control characters stand for in HTML: those of Windows, as their authors meant."""


def html_text(html: str) -> str:
    """Return the text of a piece of HTML; a text without markup is its own.

    >>> html_text("<p>Wo<b>rd</b>s &amp; more<br>List<String>")
    ' Words & more List<String>'
    """
    if "<" not in html and "&" not in html:
        return html
    parts: list[str] = []
    start = 0
    while found := _MARKUP.search(html, start):
        parts.append(html[start : found.start()])
        start = found.end()
        closing, name, number, reference = found.groups()
        if name is not None:
            name = name.lower()
            if name in RAW_ELEMENTS:
                parts.append(" ")
                if not closing:
                    end = _RAW_END[name].search(html, start)
                    assert end is not None
                    start = end.start()
            elif name in SEPARATING_ELEMENTS:
                parts.append(" ")
            elif name not in INLINE_ELEMENTS:
                parts.append("<")  # no element of HTML: what follows is text, or other markup
                start = found.start() + 1
        elif number is not None:
            parts.append(numbered_character(number))
        elif reference is not None:
            character = NAMED_CHARACTERS.get(reference)
            parts.append("&" if character is None else character)
            start = start if character is not None else found.start() + 1
        elif not found[0].startswith("<!--"):
            parts.append(" ")
    parts.append(html[start:])
    return "".join(parts)


def numbered_character(number: str) -> str:
    """Return the character of a numeric reference, decimal or after an x hexadecimal.

    >>> numbered_character("8217"), numbered_character("x41"), numbered_character("146"), numbered_character("0")
    ('’', 'A', '’', '�')
    """
    base = 16 if number[0] in "xX" else 10
    digits = number.lstrip("xX").lstrip("0") or "0"
    code = int(digits, base) if len(digits) <= _LONGEST_NUMBER else 0
    if code == 0 or code > 0x10FFFF or 0xD800 <= code < 0xE000:
        return REPLACEMENT
    return WINDOWS_1252.get(code) or chr(code)

"""Random hostile publications: documents that are small and make much, or that are odd in every way."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

from ontology import Taxonomy
from support.hostile_queries import CLASSES

XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
ILL_TYPED = (
    f'"x"^^<{XSD}integer>', f'"2020-13-45T99:00:00"^^<{XSD}dateTime>', f'"maybe"^^<{XSD}boolean>',
    f'"{"9" * 5_000}"^^<{XSD}integer>', f'"1e99999"^^<{XSD}double>', f'"P1Y"^^<{XSD}duration>',
    f'"{"<a/>" * 20_000}"^^<{RDF}XMLLiteral>', f'"<a>"^^<{RDF}XMLLiteral>', f'"<b"^^<{RDF}HTML>', '"a"@x-private',
    f'"-99999-01-01"^^<{XSD}date>', f'"AA=="^^<{XSD}base64Binary>', f'"zz"^^<{XSD}hexBinary>', '"a"^^<urn:unknown>',
)  # fmt: skip
ODD = ("\ud800", "\udfff", "\u0000", "\ufffe", "\u202e", "\u0301" * 5_000, "\\uD800", "\\u0000", "\x7f")
ODD_PLACES = ('<urn:a> <urn:p> "{}"', "<urn:a{}> <urn:p> <urn:b>", '<urn:a> <urn:p> "x"@e{}', "_:a{} <urn:p> 1")
Document = tuple[bytes | str, str]
"""The content and the format of a document."""


def document(chance: random.Random) -> Document:
    """Return one document. Some are not valid."""
    return chance.choice(_SHAPES)(chance)


@cache
def taxonomy(kind: int) -> Taxonomy:
    """Return a taxonomy: none, a chain, a star, or a random graph with several parents for each class."""
    chance = random.Random(kind)
    match kind:
        case 0:
            return Taxonomy()
        case 1:
            return Taxonomy((f"urn:C{n + 1}", f"urn:C{n}") for n in range(CLASSES))
        case 2:
            return Taxonomy((f"urn:C{n}", "urn:C0") for n in range(1, CLASSES))
    edges = [(n, chance.randrange(n)) for n in range(1, 10 * CLASSES) for _ in range(chance.choice((1, 3)))]
    return Taxonomy((f"urn:C{one}", f"urn:C{other}") for one, other in edges)


TAXONOMIES = 4


def _nt(lines: list[str]) -> Document:
    return "".join(f"{line} .\n" for line in lines).encode("utf-8", "surrogatepass"), "nt"


def _objects(chance: random.Random) -> Document:
    """Give one subject very many objects."""
    value = chance.choice((lambda n: f"<urn:n{n}>", lambda n: f'"{n}"^^<{XSD}integer>', lambda n: f'"a{n}"'))
    properties = chance.choice((["<urn:p>"], ["<urn:p>", "<urn:q>", "<urn:r>"]))
    count = chance.choice((10, 100, 300, 2_000))
    return _nt([f"<urn:s{n % chance.choice((1, 1, 3))}> {chance.choice(properties)} {value(n)}" for n in range(count)])


def _clique(chance: random.Random) -> Document:
    size = chance.choice((5, 20, 45))
    return _nt([f"<urn:n{i}> <urn:p> <urn:n{j}>" for i in range(size) for j in range(size)])


def _properties(chance: random.Random) -> Document:
    """Use few or very many properties."""
    count, kinds = chance.choice((50, 500, 2_000)), chance.choice((1, 3, 1_000))
    return _nt([f"<urn:n{n % 50}> <urn:p{n % kinds if n % 2 else ''}> <urn:n{n}>" for n in range(count)])


def _long_texts(chance: random.Random) -> Document:
    size, count = chance.choice(((1_000_000, 3), (100_000, 20), (5_000, 200), (3, 4)))
    piece = chance.choice(("a", "ab", "é", "\U0001f600", "9", "aaaaaaab", "$1", "(", "<a/>"))
    text = piece * (size // len(piece.encode()))
    return _nt([f'<urn:s> <urn:p> "{text[n:]}"' for n in range(count)])


def _html(chance: random.Random) -> Document:
    """Write texts that are read as HTML: large, deep, broken, or nothing but markup."""
    piece = chance.choice((
        "<p>a b", "<div>", "</p>", "<!-- a ", "<script>a</script>", "&amp;", "&#97;", "<a href='b'>a</a> ", "<",
        "&lt;p&gt;", "a\u0301 ", "日本", "a-b.c ", "<![CDATA[a]]>",
    ))  # fmt: skip
    size, count = chance.choice(((1_000_000, 2), (50_000, 20), (500, 500)))
    text = piece * (size // len(piece.encode()))
    property = chance.choice(("urn:p", "http://purl.org/rss/1.0/description"))
    return _nt([f'<urn:s> <{property}> "{text[n:]}"' for n in range(count)])


def _ill_typed(chance: random.Random) -> Document:
    values = chance.choices(ILL_TYPED, k=chance.choice((1, 5, 50)))
    return _nt([f"<urn:s> <urn:p> {value}" for value in values])


def _odd_characters(chance: random.Random) -> Document:
    """Use characters that some layer may not take: surrogates, controls, combining marks, bytes that are no text."""
    odd = chance.choice(ODD)
    place = chance.choice(ODD_PLACES)
    text = place.format(odd) + " .\n<urn:a> <urn:p> <urn:b> .\n"
    format = chance.choice(("nt", "turtle", "nquads", "trig"))
    return (text if chance.random() < 0.5 else text.encode("utf-8", "surrogatepass")), format


def _typed(chance: random.Random) -> Document:
    """Give very many nodes a class, deep in the taxonomy."""
    count = chance.choice((10, 500, 3_000, 10_000))
    lines = [f"<urn:n{n}> <{RDF}type> <urn:C{CLASSES - 1 - n % 50}>" for n in range(count)]
    return _nt(lines + [f"<urn:n{n}> <urn:p> <urn:n{n + 1}>" for n in range(min(count, 1_000))])


def _triple_terms(chance: random.Random) -> Document:
    """Nest triple terms, or other brackets, closed or not."""
    depth = chance.choice((1, 10, 200, 5_000, 40_000))
    opening, closing = chance.choice((
        (b"<<( <urn:a> <urn:p> ", b" )>>"), (b"<< <urn:a> <urn:p> ", b" >>"), (b"[ <urn:p> ", b" ]"), (b"( ", b" )"),
        (b"{| <urn:p> ", b" |}"),
    ))  # fmt: skip
    closed = depth if chance.random() < 0.8 else 0
    data = b"<urn:a> <urn:p> " + opening * depth + b"<urn:o>" + closing * closed + b" .\n"
    return data, chance.choice(("nt", "turtle", "nquads", "trig"))


def _prefixes(chance: random.Random) -> Document:
    """Let short names stand for long ones."""
    size, uses = chance.choice(((200_000, 10_000), (20_000, 2_000), (100, 50_000), (1_000_000, 50)))
    if chance.random() < 0.5:
        return f"@prefix x: <urn:{'a' * size}> .\n".encode() + b"x:s <urn:p> x:o .\n" * uses, "turtle"
    base = f"@base <http://e/{'a' * size}/> .\n".encode()
    return base + b"<s> <urn:p> <o> .\n" * uses, chance.choice(("turtle", "trig"))


def _xml(chance: random.Random) -> Document:
    match chance.randrange(3):
        case 0:
            body = "".join(f' xmlns:n{n}="urn:{n}"' for n in range(chance.choice((10, 1_000, 100_000))))
            return f'<rdf:RDF xmlns:rdf="{RDF}"{body}/>'.encode(), "xml"
        case 1:
            depth = chance.choice((10, 300, 50_000))
            inner = "<rdf:Description><a:p>" * depth + "</a:p></rdf:Description>" * depth
            return f'<rdf:RDF xmlns:rdf="{RDF}" xmlns:a="urn:">{inner}</rdf:RDF>'.encode(), "xml"
    value = "<b/>" * chance.choice((10, 100_000))
    literal = f'<a:p rdf:parseType="Literal">{value}</a:p>'
    about = f'<rdf:Description rdf:about="urn:s">{literal}</rdf:Description>'
    return f'<rdf:RDF xmlns:rdf="{RDF}" xmlns:a="urn:">{about}</rdf:RDF>'.encode(), "xml"


def _json(chance: random.Random) -> Document:
    depth = chance.choice((10, 900, 100_000))
    match chance.randrange(3):
        case 0:
            return ('{"@id": "urn:a", "urn:p": ' * depth + "1" + "}" * depth).encode(), "json-ld"
        case 1:
            return ('{"@id": "urn:a", "urn:p": ' + "[" * depth + "]" * depth + "}").encode(), "json-ld"
    context = ", ".join(f'"k{n}": "urn:{"a" * 1_000}{n}"' for n in range(min(depth, 2_000)))
    return f'{{"@context": {{{context}}}, "@id": "urn:a", "k1": "x"}}'.encode(), "json-ld"


def _noise(chance: random.Random) -> Document:
    data = bytearray(_clique(random.Random(5))[0] if chance.random() < 0.5 else chance.randbytes(2_000))  # type: ignore[arg-type]
    for _ in range(chance.choice((1, 5, 100))):
        data[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(data), chance.choice(("nt", "turtle", "nquads", "trig", "xml", "json-ld"))


_SHAPES: tuple[Callable[[random.Random], Document], ...] = (
    _objects, _objects, _objects, _clique, _properties, _long_texts, _long_texts, _html, _html, _ill_typed,
    _odd_characters, _typed, _typed, _triple_terms, _prefixes, _xml, _json, _noise,
)  # fmt: skip

"""RDF documents that would end the process, or fill its memory, if a parser got them."""

from __future__ import annotations

import json

RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
DEEP = 40_000
LONG = "x" * 200_000


def nested(before: str, opening: str, middle: str, closing: str, after: str) -> bytes:
    return (before + opening * DEEP + middle + closing * DEEP + after).encode()


def rdf_xml(attributes: str = "", body: str = "") -> bytes:
    return f"<rdf:RDF {RDF} {attributes}>{body}</rdf:RDF>".encode()


def json_ld(context: object, **members: object) -> bytes:
    return json.dumps({"@context": context, "@id": "urn:a", **members}).encode()


TRIPLE_TERMS = nested("<urn:a> <urn:p> ", "<<( <urn:a> <urn:p> ", "<urn:o>", " )>>", " .\n")
DISGUISED = b"".join(
    [
        b'\xef\xbb\xbf# )>> )>> \' "\n<urn:a)\\u003E\'#> <urn:p> """ )>> \\""" # """ . ',
        b"<urn:a> <urn:p> ",
        b"<<(<urn:a><urn:p>#)>> \" ' <\n" * DEEP,
        b"<urn:o>" + b")>>" * DEEP + b" .\n",
    ]
)
USES = ",".join(f"p:a{n}" for n in range(10_000))
RELATIVE = ",".join(f"<a{n}>" for n in range(10_000))
TERMS = {f"t{n}": f"t{n - 1}:x" for n in range(20_000, 0, -1)} | {"t0": "http://a.example/"}
MANY_TERMS = {f"k{n}": f"http://a.example/{n}" for n in range(20_000)}

TOO_DEEP: dict[str, tuple[bytes, str]] = {
    **{f"triple terms, {name}": (TRIPLE_TERMS, name) for name in ("nt", "nq", "turtle", "trig", "n3")},
    "triple terms, disguised": (DISGUISED, "turtle"),
    "triple terms in a graph": (b"<urn:g> { " + TRIPLE_TERMS + b" }", "trig"),
    "triple terms as subjects": (nested("", "<< ", "<urn:a> <urn:p> <urn:o>", " >> <urn:p> <urn:o>", " ."), "turtle"),
    "reified triples": (nested("<urn:a> <urn:p> ", "<< <urn:a> <urn:p> ", "1", " >>", " ."), "turtle"),
    "collections": (nested("<urn:a> <urn:p> ", "(", "", ")", " ."), "turtle"),
    "blank nodes": (nested("<urn:a> <urn:p> ", "[ <urn:p> ", "1", "]", " ."), "turtle"),
    "annotations": (nested("<urn:a> <urn:p> 1 ", "{| <urn:p> 1 ", "", "|}", " ."), "turtle"),
    "formulas": (nested("", "{", "<urn:a> <urn:p> 1", "}", " <urn:p> 1 ."), "n3"),
    "JSON objects": (nested("", '{"urn:p":', "1", "}", ""), "json-ld"),
    "JSON arrays": (nested('{"urn:p":', "[", "1", "]", "}"), "json-ld"),
    "JSON-LD terms": (json_ld(TERMS, t9="x"), "json-ld"),
    "JSON-LD terms, repeated key": (b'{"@context": {}, ' + json_ld(TERMS)[1:-1] + b', "@context": {}}', "json-ld"),
    "JSON-LD terms, escaped key": (json_ld(TERMS).replace(b"@context", b"\\u0040context"), "json-ld"),
    "XML elements": (rdf_xml(body="<rdf:li>" * DEEP + "</rdf:li>" * DEEP), "xml"),
}
TOO_LARGE: dict[str, tuple[bytes, str]] = {
    "triples of a list": (b"<a:> <a:> (" + b"1 " * 600_000 + b").", "turtle"),
    "triples of a list, TriG": (b"<a:> <a:> (" + b"1 " * 600_000 + b").", "trig"),
    "triples of blank nodes": (b"<a:> <a:> [] " + b",[]" * 1_000_000 + b".", "n3"),
    "values of a list, JSON-LD": (b'{"a:": {"@list": [0' + b",1" * 3_000_000 + b"]}}", "json-ld"),
    "members of an object, JSON-LD": (b'{"a:": 1' + b',"a:":1' * 3_000_000 + b"}", "json-ld"),
    "members without triples, JSON-LD": (b'{"a:": 1' + b',"a":1' * 3_000_000 + b"}", "json-ld"),
    "prefix": (f"@prefix p: <http://a.example/{LONG}> . p:a p:a {USES} .".encode(), "turtle"),
    "prefix in a graph": (f"@prefix p: <http://a.example/{LONG}> . p:g {{ p:a p:a {USES} }}".encode(), "trig"),
    "prefix, N3": (f"@prefix p: <http://a.example/{LONG}> . p:a p:a {USES} .".encode(), "n3"),
    "base": (
        f"@base <http://a.example/{LONG}/> . <a> <a> {USES.replace('p:', '<').replace(',', '>,')}> .".encode(),
        "turtle",
    ),
    "prefixes under a base": (
        f"@base <http://a.example/{LONG}/> .\n".encode()
        + b"".join(b"@prefix p%d: # <urn:>\n <x> . # @base <urn:>\n" % n for n in range(10_000)),
        "turtle",
    ),
    "prefixes under a base, N3": (
        f"@base <http://a.example/{LONG}/> .\n".encode()
        + b"".join(b"_:a <= _:b . @prefix p%d: <x> .\n" % n for n in range(10_000)),
        "n3",
    ),
    "bases upon bases": (b"@base <http://a.example/> .\n" + b"BASE <x/>\n" * 100_000, "turtle"),
    "XML namespace": (rdf_xml(f'xmlns:p="urn:{LONG}"', '<rdf:Description p:a="1"/>' * 10_000), "xml"),
    "XML base": (
        rdf_xml(f'xml:base="http://a.example/{LONG}/"', '<a:b xmlns:a="urn:" rdf:about="a"/>' * 10_000),
        "xml",
    ),
    "XML IDs": (
        rdf_xml(
            f'xml:base="http://a.example/{LONG}/"',
            "".join(f'<rdf:Description rdf:ID="a{n}"/>' for n in range(10_000)),
        ),
        "xml",
    ),
    "XML literals": (
        rdf_xml(
            f'xmlns:p="urn:{LONG}"',
            f'<rdf:Description><rdf:li rdf:parseType="Literal">{"<a/>" * 10_000}</rdf:li></rdf:Description>',
        ),
        "xml",
    ),
    "XML namespace of many names": (
        rdf_xml(f'xmlns:p="urn:{LONG}"', "".join(f"<p:a{n}/>" for n in range(10_000))),
        "xml",
    ),
    "XML namespaces on one element": (rdf_xml(" ".join(f'xmlns:a{n}="urn:{n}"' for n in range(100_000))), "xml"),
    "XML attributes of one element": (rdf_xml(" ".join(f'rdf:a{n}="x"' for n in range(100_000))), "xml"),
    "JSON-LD vocabulary": (
        json_ld({"@vocab": f"http://a.example/{LONG}/"}, **{f"a{n}": n for n in range(10_000)}),
        "json-ld",
    ),
    "JSON-LD prefix": (
        json_ld({"p": f"http://a.example/{LONG}/", "q": "p:a"}, **{f"q:{n}": {"@id": "p:b"} for n in range(10_000)}),
        "json-ld",
    ),
    "JSON-LD base": (
        json_ld({"@base": f"http://a.example/{LONG}/"}, **{"urn:p": [{"@id": "a"}] * 10_000}),
        "json-ld",
    ),
    "JSON-LD types": (
        json_ld({"@vocab": f"http://a.example/{LONG}/"}, **{"@type": ["a"] * 10_000}),
        "json-ld",
    ),
    "JSON-LD contexts in contexts": (
        b'{"@context":' + json.dumps(MANY_TERMS).encode() + b',"k1":{"@context":{}' * 200 + b"}" * 201,
        "json-ld",
    ),
    "JSON-LD shipped contexts": (
        b"[" + b",".join([b'{"@context":"http://schema.org"}'] * 200_000) + b"]",
        "json-ld",
    ),
    "JSON values": (b'{"@context":{},"urn:p":[' + b",".join([b"{}"] * 5_000_000) + b"]}", "json-ld"),
    "JSON-LD contexts in a list": (
        json_ld(MANY_TERMS, k1=[{"@context": {}, "k2": n} for n in range(2_000)]),
        "json-ld",
    ),
}
HOSTILE_RDF = TOO_DEEP | TOO_LARGE

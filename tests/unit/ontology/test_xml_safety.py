"""XML that must not reach a parser, and XML that must."""

from __future__ import annotations

import builtins
import tracemalloc
from pathlib import Path

import pytest

from ontology import MalformedOntology, MalformedXML, UnsafeXML, load, xml_safety
from ontology.limits import DEFAULT_LIMITS, DocumentLimits
from ontology.xml_safety import check_xml

LEVELS = "".join(f"<!ENTITY l{level} '{f'&l{level - 1};' * 10}'>\n" for level in range(1, 10))
LAUGHS = f"<!DOCTYPE a [\n<!ENTITY l0 'laugh'>\n{LEVELS}]>\n<a>&l9;</a>"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"


def with_dtd(declarations: str, body: str = "<a/>") -> bytes:
    return f"<!DOCTYPE a [{declarations}]>{body}".encode()


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, no_network: list[str]) -> list[str]:
    """What is opened by name; the network is closed as well."""
    names: list[str] = []
    real = builtins.open

    def recording(file: object, *arguments: object, **options: object) -> object:
        names.append(str(file))
        return real(file, *arguments, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(builtins, "open", recording)
    return names


@pytest.fixture
def parsed_pieces(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The length of each piece that expat is given: a bound of the work, where a clock would measure the machine."""
    pieces: list[int] = []
    create = xml_safety.expat.ParserCreate

    class CountingParser:
        def __init__(self, encoding: str | None) -> None:
            object.__setattr__(self, "_parser", create(encoding))

        def __getattr__(self, name: str) -> object:
            return getattr(self._parser, name)

        def __setattr__(self, name: str, value: object) -> None:
            setattr(self._parser, name, value)

        def Parse(self, piece: bytes, final: bool) -> int:  # noqa: N802
            pieces.append(len(piece))
            return self._parser.Parse(piece, final)

    monkeypatch.setattr(xml_safety.expat, "ParserCreate", CountingParser)
    return pieces


@pytest.mark.parametrize("name", ["pizza.owl", "univ-bench.owl"])
def test_real_ontologies_pass(name: str, ontologies: Path) -> None:
    check_xml((ontologies / name).read_bytes())


@pytest.mark.parametrize(
    "data",
    [
        b"<a/>",
        b"\xef\xbb\xbf<a/>",
        b'<?xml version="1.0" encoding="ISO-8859-1"?><a>\xe9</a>',
        b'<?xml version="1.0" encoding="windows-1252"?><a>\x80</a>',
        '<?xml version="1.0" encoding="utf-16"?><a>é</a>'.encode("utf-16"),
        '\ufeff<?xml version="1.0" encoding="utf-16"?><a>é</a>'.encode("utf-16-be"),
        "<a/>".encode("utf-16-le"),
        b'<!DOCTYPE a SYSTEM "http://elsewhere.invalid/a.dtd"><a>&amp;&#65;<![CDATA[&nbsp;]]><!-- &b; --></a>',
        with_dtd("<!ENTITY b 'fish &amp; chips &lt;&#65;'>", "<a>&b;</a>"),
        with_dtd("<!ENTITY b 'x>y'><!-- > --><!ELEMENT a ANY><!ATTLIST a c CDATA #IMPLIED>", "<a c='&b;'/>"),
        with_dtd("<!ENTITY é 'e'>", "<a>&é;</a>"),
        "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>".encode("utf-16"),
        b"<!-- <!DOCTYPE --><?p <!DOCTYPE ?><a><![CDATA[<!DOCTYPE]]></a>",
    ],
)
@pytest.mark.usefixtures("no_network")
def test_harmless_documents_pass(data: bytes) -> None:
    check_xml(data)


def test_small_entities_may_be_used_thousands_of_times() -> None:
    body = "<a>" + '<b c="&owl;Thing"/>' * 50_000 + "</a>"
    check_xml(with_dtd('<!ENTITY owl "http://www.w3.org/2002/07/owl#">', body))


@pytest.mark.parametrize(
    ("data", "line", "reason"),
    [
        (LAUGHS.encode(), 3, "'l1' refers to an entity"),
        (LAUGHS.encode("utf-16"), 3, "'l1' refers to an entity"),
        (LAUGHS.replace("<a>&l9;</a>", "<a b='&l9;'/>").encode(), 3, "'l1' refers to an entity"),
        (with_dtd("<!ENTITY b 'c'>\n<!ENTITY d '&#38;b;'>"), 2, "'d' refers to an entity"),
        (with_dtd(f"<!ENTITY b '{'x' * 50_000}'>", "<a>" + "&b;" * 10_000 + "</a>"), 1, "50000 characters"),
        (with_dtd(f"<!ENTITY b '{'x' * 1_000}'>", "<a>" + "&b;" * 10_000 + "</a>"), 1, "expand to more than"),
        (with_dtd(f"<!ENTITY b '{'x' * 1_000}'>", f"<a c='{'&b;' * 10_000}'/>"), 1, "expand to more than"),
        (with_dtd(f"<!ENTITY é '{'x' * 1_000}'>", "<a>" + "&é;" * 10_000 + "</a>"), 1, "expand to more than"),
        (
            with_dtd("".join(f"<!ENTITY b{n} 'c'>" for n in range(DEFAULT_LIMITS.max_entities + 1))),
            1,
            "more than 256 entities",
        ),
        (with_dtd("<!ENTITY lt 'and other things'>"), 1, "a name that XML predefines"),
        (with_dtd("<!ENTITY b 'c'>\n<!ENTITY b '&b;&b;'>"), 2, "declared twice"),
        (with_dtd('<!-- <!ENTITY b "c"><!ENTITY d "&b;&b;"> -->'), 1, "in a comment"),
        (with_dtd('<!ENTITY b "c">', '<a><![CDATA[<!ENTITY d "&b;&b;">]]></a>'), 1, "in a comment"),
        (with_dtd("<!ATTLIST a b CDATA 'c'>"), 1, "has a default"),
        (with_dtd("<!ATTLIST a xmlns CDATA #FIXED 'c'>"), 1, "has a default"),
        (with_dtd("<!-- " + ">" * 1_000_000 + " -->"), 1, "declaration is too long"),
        (with_dtd("<!-- " + "-" + " " * 100_000 + " -->"), 1, "declaration is too long"),
        (with_dtd("<!ENTITY % b 'c'>"), 1, "parameter entity 'b'"),
        (with_dtd("<!ENTITY % b SYSTEM 'http://elsewhere.invalid/'> %b;"), 1, "parameter entity 'b'"),
        (with_dtd("%b; <!ENTITY c 'd'>"), 1, "parameter entity %b;"),
        (b'<?xml version="1.0" standalone="yes"?>\n' + with_dtd("%b;"), 2, "parameter entity %b;"),
        (b'<!DOCTYPE a SYSTEM "http://elsewhere.invalid/a.dtd">\n<a>&b;</a>', 2, "'b' is declared outside"),
        (b'<!DOCTYPE a SYSTEM "http://elsewhere.invalid/a.dtd">\n<a c="&b;"/>', 2, "'b' is declared outside"),
        (b'<!DOCTYPE a PUBLIC "-//A//B" "http://elsewhere.invalid/">\n<a c="&b;"/>', 2, "'b' is declared outside"),
        (b'<?xml version="1.0" encoding="UTF-7"?><a/>', 1, "UTF-7"),
        (b'<?xml version="1.0" encoding="unicode-1-1-utf-7"?><a/>', 1, "UTF-7"),
    ],
)
@pytest.mark.usefixtures("no_network")
def test_unsafe_documents_are_refused_in_one_pass(
    data: bytes, line: int, reason: str, parsed_pieces: list[int]
) -> None:
    with pytest.raises(UnsafeXML) as caught:
        check_xml(data, source="zoo.owl")
    assert len(parsed_pieces) <= xml_safety._MAX_DTD_PIECES + len(data) // xml_safety._PIECE_BYTES + 3
    assert sum(parsed_pieces) <= 2 * len(data)  # a UTF-16 document may grow when it is converted to UTF-8
    assert reason in caught.value.reason
    assert (caught.value.source, caught.value.line) == ("zoo.owl", line)
    assert caught.value.column is not None
    assert str(caught.value).startswith(f"zoo.owl, line {line}, column {caught.value.column}: {caught.value.reason}; ")


@pytest.mark.parametrize("scheme", ["file", "http"])
@pytest.mark.parametrize(
    "declaration",
    [
        "<!ENTITY b SYSTEM '{}'>",
        "<!ENTITY b PUBLIC '-//A//B' '{}'>",
        "<!NOTATION n SYSTEM 'n'><!ENTITY b SYSTEM '{}' NDATA n>",
    ],
)
def test_external_entities_are_refused_and_not_opened(
    scheme: str, declaration: str, tmp_path: Path, opened: list[str]
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("http://zoo/Secret")
    address = secret.as_uri() if scheme == "file" else "http://elsewhere.invalid/secret"
    with pytest.raises(UnsafeXML, match="'b' lies outside the document"):
        check_xml(with_dtd(declaration.format(address), "<a>&b;</a>"))
    assert opened == []


@pytest.mark.parametrize("depth", [257, 100_000, 1_000_000])
@pytest.mark.parametrize("end_tag", [b"</a>", b""])
def test_deep_nesting_is_refused_in_one_pass_and_little_memory(
    depth: int, end_tag: bytes, parsed_pieces: list[int]
) -> None:
    data = b"<a>" * depth + end_tag * depth
    tracemalloc.start()
    try:
        with pytest.raises(MalformedXML):
            check_xml(data)
        assert sum(parsed_pieces) <= len(data)
        assert tracemalloc.get_traced_memory()[1] < 16 * 2**20  # expat's own, which pyexpat takes from Python
    finally:
        tracemalloc.stop()


def test_depth_is_counted_exactly_also_in_entities() -> None:
    nested = "<b><b><b/></b></b>"
    check_xml(b"<a>" * 256 + b"</a>" * 256)
    check_xml(f"<a>{nested * 300}</a>".encode(), limits=DocumentLimits(max_depth=4))
    with pytest.raises(UnsafeXML, match="more than 3 deep"):
        check_xml(f"<a>{nested * 300}</a>".encode(), limits=DocumentLimits(max_depth=3))
    with pytest.raises(UnsafeXML, match="more than 3 deep") as caught:
        check_xml(with_dtd(f"<!ENTITY c '{nested}'>", "<a>&c;</a>"), limits=DocumentLimits(max_depth=3))
    assert caught.value.line == 1


@pytest.mark.parametrize(
    ("data", "line", "column", "reason"),
    [
        (b"", 1, 1, "document is empty"),
        (b" \n ", 2, 2, "document is empty"),
        (b"<a>\n<b/>", 2, 5, "ends before its root element does"),
        (b"<a>\n<b c='d", 2, 1, "ends before its root element does"),
        (b"<a>\n<!-- ", 2, 1, "ends before its root element does"),
        (b"<a><![CDATA[", 1, 13, "ends before its root element does"),
        (b"<!DOCTYPE a [\n<!ENTITY b 'c'>", 2, 16, "ends before its root element does"),
        (b"<a>\n</b>", 2, 3, "mismatched tag"),
        (b"<a/>\n<b/>", 2, 1, "junk after document element"),
        (b"<a>&b;</a>", 1, 4, "undefined entity"),
        (b"\x00", None, None, ""),
        (b'<?xml version="1.0" encoding="klingon"?><a/>', 1, None, "encoding"),
        (b'<?xml version="1.0" encoding="shift_jis"?><a/>', 1, None, "encoding"),
        (b'<?xml version="1.0" encoding="utf-16"?><a/>', 1, None, "encoding"),
        (b'<?xml version="1.0" encoding="cp037"?><a/>', 1, None, "encoding"),
        (b"\xff\xfe<\x00a", 1, None, "not utf-16"),
        (b"<a>\xff</a>", 1, 4, "invalid token"),
    ],
)
def test_what_is_not_whole_xml_is_located(data: bytes, line: int | None, column: int | None, reason: str) -> None:
    with pytest.raises(MalformedXML) as caught:
        check_xml(data)
    assert not isinstance(caught.value, UnsafeXML)
    assert reason in caught.value.reason
    if line is not None:
        assert caught.value.line == line
    if column is not None:
        assert caught.value.column == column


def test_every_cut_of_a_document_is_noticed() -> None:
    whole = b'<?xml version="1.0"?>\n<!DOCTYPE a [<!ENTITY b "c">]>\n<a d="&b;"><!-- e --><f>g</f></a>'
    check_xml(whole)
    for end in range(len(whole)):
        with pytest.raises(MalformedXML):
            check_xml(whole[:end])


def test_limits_are_the_callers() -> None:
    check_xml(
        with_dtd(f"<!ENTITY b '{'x' * (DEFAULT_LIMITS.max_entity_length + 1)}'>"),
        limits=DocumentLimits(max_entity_length=DEFAULT_LIMITS.max_entity_length + 1),
    )
    with pytest.raises(UnsafeXML):
        check_xml(with_dtd("<!ENTITY b 'c'><!ENTITY d 'e'>"), limits=DocumentLimits(max_entities=1))
    with pytest.raises(UnsafeXML):
        check_xml(
            with_dtd(f"<!ENTITY b '{'x' * 900}'>", "<a>" + "&b;" * 20 + "</a>"),
            limits=DocumentLimits(max_expansion=10_000),
        )


@pytest.mark.parametrize("format", ["xml", "owl-xml"])
@pytest.mark.parametrize(
    ("data", "error"),
    [
        (LAUGHS.encode(), UnsafeXML),
        (with_dtd("<!ENTITY b SYSTEM 'file:///etc/hostname'>", "<a>&b;</a>"), UnsafeXML),
        (f'<rdf:RDF xmlns:rdf="{RDF}"><rdf:Description rdf:about="urn:a"/>'.encode(), MalformedXML),
        (b"", MalformedXML),
    ],
)
def test_loading_checks_first(format: str, data: bytes, error: type[MalformedOntology]) -> None:
    with pytest.raises(error) as caught:
        load(data, format)
    assert caught.value.source == "<bytes>"


def test_a_utf_16_ontology_loads() -> None:
    content = f'<?xml version="1.0" encoding="utf-16"?><rdf:RDF xmlns:rdf="{RDF}"><rdf:Description rdf:about="urn:Tom">'
    content += '<rdf:type rdf:resource="urn:Kätzchen"/></rdf:Description></rdf:RDF>'
    assert load(content.encode("utf-16")).directly_a("urn:Tom", "urn:Kätzchen")


def declarations(count: int) -> str:
    return " ".join(f'xmlns:a{n}="urn:{n}"' for n in range(count))


@pytest.mark.parametrize(
    ("document", "is_safe"),
    [
        (f"<a {declarations(1_000)}/>", True),
        (f"<a {declarations(1_001)}/>", False),
        ("<a " + " ".join(f"b{n}='>'" for n in range(1_001)) + "/>", False),
        ("<a>" + "".join(f"<b {declarations(900)}></b>" for _ in range(5)) + "</a>", True),
        (f"<a {declarations(900)}><b {declarations(900)}/></a>", False),
        (f"<a>{'=' * 5_000}<!-- {'= ' * 5_000} --></a>", True),
        (f"<!DOCTYPE a [<!ENTITY b '='>]><a>{'&b;' * 5_000}</a>", True),
    ],
)
def test_attributes_and_namespaces_in_scope_are_counted(document: str, is_safe: bool) -> None:
    for data in (document.encode(), document.encode("utf-16")):
        if is_safe:
            check_xml(data)
        else:
            with pytest.raises(UnsafeXML, match="max_attributes"):
                check_xml(data)


def test_namespaces_that_an_xml_literal_would_repeat_are_counted() -> None:
    long = f'xmlns:a="urn:{"x" * 100_000}"'
    check_xml(f"<r {long}>{'<b/>' * 200}</r>".encode())
    with pytest.raises(UnsafeXML, match="max_output_growth"):
        check_xml(f"<r {long}>{'<a:b/>' * 1_000}</r>".encode())
    with pytest.raises(UnsafeXML, match="max_output_growth"):
        check_xml(f'<r {long} parseType="&#76;iteral">{"<b/>" * 1_000}</r>'.encode())


def test_a_long_document_may_grow_to_eight_times_its_length() -> None:
    long = " " * 1_200_000
    entity = f"<!ENTITY b '{'x' * 1_000}'>"
    check_xml(with_dtd(entity, f"<a>{long}{'&b;' * 9_000}</a>"))
    with pytest.raises(UnsafeXML, match="expand to more than"):
        check_xml(with_dtd(entity, f"<a>{long}{'&b;' * 10_500}</a>"))

from __future__ import annotations

import codecs

import pytest

from gtopss.rdf.encodings import as_utf8, declared_encoding, decode, without_declaration

XML = '<?xml version="1.0" encoding="{}"?><a>é “x”</a>'


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b'<?xml version="1.0" encoding="ISO-8859-1"?>', "iso8859-1"),
        (b"\n <?xml version='1.0' encoding = 'utf-16' ?>", "utf-16"),
        (b'<?xml version="1.0"?>', None),
        (b'<a encoding="utf-8"/>', None),
        (b'<?xml version="1.0" encoding="x-nonsense"?>', None),
        (b'<?xml version="1.0" encoding="zip"?>', None),  # a codec, but not of text
        (b'<?xml version="1.0" encoding="utf-7"?>', None),
    ],
)
def test_the_declared_encoding_is_one_of_text(data: bytes, encoding: str | None) -> None:
    assert declared_encoding(data) == encoding


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "windows-1252", "gb18030"])
def test_xml_is_decoded_by_its_mark_its_start_or_its_declaration(encoding: str) -> None:
    text = XML.format(encoding)
    assert decode(text.encode(encoding)) == text


def test_a_byte_order_mark_wins_over_the_declaration() -> None:
    assert decode(codecs.BOM_UTF8 + XML.format("iso-8859-1").encode()) == XML.format("iso-8859-1")


@pytest.mark.parametrize("declared", ["iso-8859-1", "us-ascii"])
def test_a_smaller_encoding_is_read_as_the_larger_one_that_feeds_use(declared: str) -> None:
    text = XML.format(declared)
    assert decode(text.encode("windows-1252")) == text


@pytest.mark.parametrize(("data", "text"), [(b"caf\xc3\xa9", "café"), (b"caf\xe9", "café"), (b"", "")])
def test_undeclared_bytes_are_utf_8_or_else_windows_1252(data: bytes, text: str) -> None:
    assert decode(data) == text


def test_bytes_that_fit_no_encoding_are_replaced() -> None:
    assert decode(b"a\x81\xff") == "a\ufffdÿ"


def test_xml_is_converted_to_utf_8_without_its_declaration() -> None:
    assert as_utf8(XML.format("utf-16").encode("utf-16")) == "<a>é “x”</a>".encode()
    same = XML.format("utf-8").encode()
    assert as_utf8(same) == as_utf8(codecs.BOM_UTF8 + same) == same


def test_only_the_first_declaration_is_removed() -> None:
    assert without_declaration(' <?xml version="1.0"?><a><?xml b?></a>') == "<a><?xml b?></a>"

"""Read the metadata of a PDF: the XMP packet of its catalogue, which is RDF/XML (ISO 16684-1, ISO 32000-2, 14.3.2).

pypdf finds and decompresses the packet; nothing else of the file is read. The packet is checked as every XML document
is before it is parsed. The resource that the packet describes, `rdf:about=""`, is the document itself.
"""

from __future__ import annotations

import logging
from io import BytesIO
from typing import Any
from xml.etree import ElementTree

from gtopss.errors import MalformedPublication
from gtopss.rdf.encodings import as_utf8
from ontology.errors import OntologyError
from ontology.limits import DocumentLimits
from ontology.xml_safety import check_xml

MAX_PACKET_BYTES = 4 * 2**20
"""Size of an XMP packet after decompression; most have a few kilobytes."""
MAX_FILTERS = 2
"""Filters of the packet's stream, one after the other: each may multiply its size."""
MAX_RECOVERED_OBJECTS = 1_000
"""Objects that are looked at to find the catalogue of a damaged file."""

_LIMITS: dict[str, Any] = {
    **dict.fromkeys(
        (
            "zlib_maximum_output_length",
            "lzw_maximum_output_length",
            "run_length_maximum_output_length",
            "brotli_maximum_output_length",
            "zlib_maximum_recovery_input_length",
        ),
        MAX_PACKET_BYTES,
    ),
    "stream_filters_maximum_length": MAX_FILTERS,
    "stream_decoding_work_maximum_length": 4 * MAX_PACKET_BYTES,
    "jbig2dec_binary": None,  # no other program is started
}
_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}RDF"
_START = 1_024  # the header may come after other bytes, within these


class _Refused(Exception):
    """The reason why a PDF is not read, for its user."""


def is_pdf(data: bytes) -> bool:
    """Return whether a document is a PDF: its header may have blanks or a byte order mark before it."""
    return data[:_START].lstrip(b"\xef\xbb\xbf\0 \t\r\n\f").startswith(b"%PDF-")


def read_xmp(data: bytes, source: str | None, limits: DocumentLimits) -> bytes:
    """Return the RDF/XML in a PDF, in UTF-8. Raise MalformedPublication if there is none, or reading is not safe."""
    packet = as_utf8(_packet(data, source))
    try:
        check_xml(packet, limits=limits)
        root = ElementTree.fromstring(packet)
    except (OntologyError, ElementTree.ParseError) as error:
        raise MalformedPublication(f"its XMP metadata is refused: {error}", publication_id=source) from None
    rdf = root if root.tag == _RDF else root.find(f".//{_RDF}")
    if rdf is None:
        raise MalformedPublication("its XMP metadata has no rdf:RDF element", publication_id=source)
    written: bytes = ElementTree.tostring(rdf, encoding="utf-8")
    return written


def _packet(data: bytes, source: str | None) -> bytes:
    """Return the XMP packet of a PDF, decompressed within the limits."""
    import pypdf  # slow to import, and few documents need it

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it warns of every oddity of a file
    try:
        with pypdf.apply_configuration(**_LIMITS):
            reader = pypdf.PdfReader(BytesIO(data), root_object_recovery_limit=MAX_RECOVERED_OBJECTS)
            if reader.is_encrypted:
                raise _Refused("it is encrypted, so its metadata cannot be read: save it without a password")
            stream: Any = reader.root_object.get("/Metadata")
            if stream is None:
                raise _Refused("it has no XMP metadata, so there is no RDF in it: let your PDF program write XMP")
            packet: bytes = stream.get_object().get_data()
            if len(packet) > MAX_PACKET_BYTES:
                raise _Refused(f"its XMP metadata has more than {MAX_PACKET_BYTES:,} bytes")
            return packet.strip(b"\0 \t\r\n")
    except MemoryError:
        raise
    except Exception as error:  # a stranger's file: whatever pypdf raises is the document's error
        why = str(error)[:200] or type(error).__name__
        reason = why if isinstance(error, _Refused) else f"the PDF cannot be read: {why}"
        raise MalformedPublication(reason, publication_id=source) from None

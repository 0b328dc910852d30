"""Small PDFs, well-formed and hostile, written by hand."""

from __future__ import annotations

import zlib

XMP = b"""<?xpacket begin="\xef\xbb\xbf" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
  xmp:CreatorTool="a test">
 <dc:title><rdf:Alt><rdf:li xml:lang="x-default">Fast Filtering</rdf:li></rdf:Alt></dc:title>
 <dc:creator><rdf:Seq><rdf:li>Ann Author</rdf:li></rdf:Seq></dc:creator>
 <dc:format>application/pdf</dc:format>
</rdf:Description></rdf:RDF></x:xmpmeta>
<?xpacket end="w"?>"""


def pdf(packet: bytes | None = XMP, *, filters: int = 1, encrypted: bool = False) -> bytes:
    """Return a PDF without pages whose catalogue has a packet, compressed so many times."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R %s >>" % (b"/Metadata 3 0 R" if packet is not None else b"")]
    objects.append(b"<< /Type /Pages /Kids [] /Count 0 >>")
    if packet is not None:
        for _ in range(filters):
            packet = zlib.compress(packet, 9)
        names = b"/Filter [%s] " % b" ".join([b"/FlateDecode"] * filters) if filters else b""
        about = b"<< /Type /Metadata /Subtype /XML %s/Length %d >>" % (names, len(packet))
        objects.append(about + b"\nstream\n" + packet + b"\nendstream")
    written, places = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"), []
    for number, content in enumerate(objects, start=1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = len(written)
    written += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    written += b"".join(b"%010d 00000 n \n" % place for place in places)
    secret = b"/Encrypt << /Filter /Standard /V 1 /R 2 /O (%s) /U (%s) /P -4 >> /ID [(a) (a)]" % (b"o" * 32, b"u" * 32)
    trailer = b"<< /Size %d /Root 1 0 R %s >>" % (len(objects) + 1, secret if encrypted else b"")
    return bytes(written + b"trailer\n%s\nstartxref\n%d\n%%%%EOF\n" % (trailer, table))

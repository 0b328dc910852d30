"""The metadata of PDFs as publications: a PDF carries RDF about itself, which a subscription matches."""

import tempfile
from pathlib import Path

from pypdf import PdfWriter

from gtopss import Engine

XMP = """<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">
  <dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title>
  <dc:creator><rdf:Seq><rdf:li>{author}</rdf:li></rdf:Seq></dc:creator>
</rdf:Description></rdf:RDF></x:xmpmeta>"""

engine = Engine()
engine.add(
    """SELECT ?title ?author {
        ?pdf dc:title ?titles ; dc:creator ?authors .
        ?titles rdf:_1 ?title . ?authors rdf:_1 ?author
        FILTER words(?title, "fast filtering") }""",
    id="filtering",
)

with tempfile.TemporaryDirectory() as folder:
    for number, (title, author) in enumerate([("Fast Filtering of Metadata", "Ann"), ("Slow Cooking", "Bob")]):
        writer = PdfWriter()
        writer.add_blank_page(72, 72)
        writer.xmp_metadata = XMP.format(title=title, author=author).encode()
        writer.write(Path(folder) / f"paper{number}.pdf")
    for path in sorted(Path(folder).glob("*.pdf")):
        report = engine.match(path)  # gtopss match and gtopss filter read PDFs too, in a process of their own
        found = [f"{row['title']} by {row['author']}" for match in report for row in match.bindings]
        print(f"{path.name}: {', '.join(found) or 'no match'}")

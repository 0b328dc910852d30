"""The terms of the feed vocabulary: the properties and classes that describe items and channels in every format.

docs/feeds.md shows which element of each format becomes which term.
"""

from __future__ import annotations

from gtopss.feeds.namespaces import ADMIN, CONTENT, DC, DCTERMS, ENCLOSURE, FOAF, GTOPSS, RSS
from gtopss.model.terms import RDF, Term

ITEM, CHANNEL = Term(f"<{RSS}item>"), Term(f"<{RSS}channel>")
TITLE, LINK, DESCRIPTION = Term(f"<{RSS}title>"), Term(f"<{RSS}link>"), Term(f"<{RSS}description>")
ITEMS, IMAGE = Term(f"<{RSS}items>"), Term(f"<{RSS}image>")
SEQUENCE = Term(f"<{RDF}Seq>")
ENCODED = Term(f"<{CONTENT}encoded>")
CREATOR, DATE, SUBJECT = Term(f"<{DC}creator>"), Term(f"<{DC}date>"), Term(f"<{DC}subject>")
LANGUAGE, RIGHTS, SOURCE = Term(f"<{DC}language>"), Term(f"<{DC}rights>"), Term(f"<{DC}source>")
DATE_TEXT = Term(f"<{GTOPSS}dateText>")
ISSUED, MODIFIED = Term(f"<{DCTERMS}issued>"), Term(f"<{DCTERMS}modified>")
IDENTIFIER, PART_OF = Term(f"<{DCTERMS}identifier>"), Term(f"<{DCTERMS}isPartOf>")
TOPIC = Term(f"<{DCTERMS}subject>")
MAKER = Term(f"<{FOAF}maker>")
GENERATOR = Term(f"<{ADMIN}generatorAgent>")
NAME, HOMEPAGE, MAILBOX = Term(f"<{FOAF}name>"), Term(f"<{FOAF}homepage>"), Term(f"<{FOAF}mbox>")
ENCLOSED = Term(f"<{ENCLOSURE}enclosure>")
ENCLOSURE_TYPE, ENCLOSURE_LENGTH = Term(f"<{ENCLOSURE}type>"), Term(f"<{ENCLOSURE}length>")

"""The namespaces of feed formats and their modules. Add the namespace of a new RSS module here."""

from __future__ import annotations

from gtopss.model.terms import RDF

XML = "http://www.w3.org/XML/1998/namespace"
XHTML = "http://www.w3.org/1999/xhtml"
XLINK = "http://www.w3.org/1999/xlink"
ATOM, ATOM_03 = "http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#"

RSS = "http://purl.org/rss/1.0/"
DC = "http://purl.org/dc/elements/1.1/"
DCTERMS = "http://purl.org/dc/terms/"
CONTENT = "http://purl.org/rss/1.0/modules/content/"
ENCLOSURE = "http://purl.oclc.org/net/rss_2.0/enc#"
FOAF = "http://xmlns.com/foaf/0.1/"
ADMIN = "http://webns.net/mvcb/"
RELATION = "http://www.iana.org/assignments/relation/"
GTOPSS = "urn:gtopss:"

RSS_090_NAMESPACES = ("http://my.netscape.com/rdf/simple/0.9/", "http://channel.netscape.com/rdf/simple/0.9/")

FORMAT_NAMESPACES = frozenset(
    {
        "", ATOM, ATOM_03, XHTML, RDF, XML, RSS, *RSS_090_NAMESPACES,
        "http://purl.org/rss/1.0", "http://purl.org/net/rss1.1#",
        "http://backend.userland.com/rss", "http://backend.userland.com/rss2", "http://blogs.law.harvard.edu/tech/rss",
        "http://backend.userland.com/RSS2", "http://www.rssboard.org/rss-specification",
    }
)  # fmt: skip
"""The namespaces of the feed formats themselves. Elements of any other namespace are module elements."""

KNOWN_PREFIXES = {
    "rdf": RDF,
    "dc": DC,
    "dcterms": DCTERMS,
    "content": CONTENT,
    "sy": "http://purl.org/rss/1.0/modules/syndication/",
    "slash": "http://purl.org/rss/1.0/modules/slash/",
    "taxo": "http://purl.org/rss/1.0/modules/taxonomy/",
    "admin": ADMIN,
    "cc": "http://web.resource.org/cc/",
    "wfw": "http://wellformedweb.org/CommentAPI/",
    "media": "http://search.yahoo.com/mrss/",
    "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
    "geo": "http://www.w3.org/2003/01/geo/wgs84_pos#",
    "georss": "http://www.georss.org/georss",
    "foaf": FOAF,
    "sioc": "http://rdfs.org/sioc/ns#",
    "atom": ATOM,
    "feedburner": "http://rssnamespace.org/feedburner/ext/1.0",
    "thr": "http://purl.org/syndication/thread/1.0",
    "trackback": "http://madskills.com/public/xml/rss/module/trackback/",
    "xlink": XLINK,
}
"""Prefixes that feeds use without declaring them; `gtopss.feeds.repair` declares them."""

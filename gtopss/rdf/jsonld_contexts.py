"""JSON-LD contexts that are known by name, so that they need not be fetched. Nothing else is ever looked up.

schema.org's context says that every name is in its vocabulary and that some values are IRIs. The properties whose
values are IRIs are the common ones; of others an address stays a text.
"""

from __future__ import annotations

import json
from typing import Any

from gtopss.rdf.encodings import decode

_IRIS = (
    "url", "sameAs", "image", "logo", "mainEntityOfPage", "contentUrl", "embedUrl", "thumbnailUrl", "license", "item",
    "additionalType", "isPartOf", "hasPart", "discussionUrl", "downloadUrl", "itemListElement", "target", "urlTemplate",
)  # fmt: skip
_SCHEMA: dict[str, Any] = {
    "@vocab": "http://schema.org/",
    "schema": "http://schema.org/",
    "id": "@id",
    "type": "@type",
    **{name: {"@id": f"http://schema.org/{name}", "@type": "@id"} for name in _IRIS},
    **{
        name: {"@id": f"http://schema.org/{name}", "@type": f"http://schema.org/{kind}"}
        for kind, names in {
            "Date": ("birthDate", "deathDate", "foundingDate"),
            "DateTime": ("uploadDate",),
        }.items()
        for name in names
    },
}
CONTEXTS: dict[str, Any] = {
    f"{scheme}://{host}{end}": _SCHEMA
    for scheme in ("http", "https")
    for host in ("schema.org", "www.schema.org")
    for end in ("", "/", "/docs/jsonldcontext.json", "/docs/jsonldcontext.jsonld")
}


def with_contexts(data: bytes) -> bytes:
    """The document with the contexts written out that it names; what cannot be read is left to the parser.

    >>> with_contexts(b'{"@context": "urn:unknown"}')
    b'{"@context": "urn:unknown"}'
    """
    if b"schema.org" not in data:
        return data
    try:
        document = json.loads(decode(data))
        _write_out(document)
        return json.dumps(document).encode()
    except (ValueError, RecursionError):
        return data


def _write_out(document: Any) -> None:
    waiting = [document]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            if "@context" in node:
                given = node["@context"]
                several = given if isinstance(given, list) else [given]
                known = [CONTEXTS.get(one, one) if isinstance(one, str) else one for one in several]
                node["@context"] = known if isinstance(given, list) else known[0]
            waiting.extend(value for key, value in node.items() if key != "@context")
        elif isinstance(node, list):
            waiting.extend(node)

"""JSON-LD contexts that are shipped with the project, so that they need not be fetched. No other context is loaded.

The shipped context of schema.org puts every name into its vocabulary and types the values of the common properties
as IRIs. For other properties a URL stays a text.
"""

from __future__ import annotations

import json
from typing import Any

from gtopss.rdf.encodings import decode

_IRI_PROPERTIES = (
    "url", "sameAs", "image", "logo", "mainEntityOfPage", "contentUrl", "embedUrl", "thumbnailUrl", "license", "item",
    "additionalType", "isPartOf", "hasPart", "discussionUrl", "downloadUrl", "itemListElement", "target", "urlTemplate",
)  # fmt: skip
_SCHEMA_ORG: dict[str, Any] = {
    "@vocab": "http://schema.org/",
    "schema": "http://schema.org/",
    "id": "@id",
    "type": "@type",
    **{name: {"@id": f"http://schema.org/{name}", "@type": "@id"} for name in _IRI_PROPERTIES},
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
    f"{scheme}://{host}{end}": _SCHEMA_ORG
    for scheme in ("http", "https")
    for host in ("schema.org", "www.schema.org")
    for end in ("", "/", "/docs/jsonldcontext.json", "/docs/jsonldcontext.jsonld")
}


def inline_contexts(data: bytes) -> bytes:
    """Replace the names of shipped contexts by the contexts. Return any other document unchanged.

    Invalid JSON is returned unchanged too: the parser reports it.

    >>> inline_contexts(b'{"@context": "urn:unknown"}')
    b'{"@context": "urn:unknown"}'
    """
    if b"schema.org" not in data:
        return data
    try:
        document = json.loads(decode(data))
        return json.dumps(document).encode() if _inline(document) else data
    except (ValueError, RecursionError):
        return data


def _inline(document: Any) -> bool:
    """Replace context names in place. Return whether there were any."""
    replaced = False
    pending = [document]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            if "@context" in node:
                given = node["@context"]
                names = given if isinstance(given, list) else [given]
                contexts = [CONTEXTS.get(name, name) if isinstance(name, str) else name for name in names]
                replaced = replaced or contexts != names
                node["@context"] = contexts if isinstance(given, list) else contexts[0]
            pending.extend(value for key, value in node.items() if key != "@context")
        elif isinstance(node, list):
            pending.extend(node)
    return replaced

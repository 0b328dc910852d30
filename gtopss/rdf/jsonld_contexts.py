"""JSON-LD contexts that are shipped with the project, so that they need not be fetched. No other context is loaded.

The shipped context of schema.org puts every name into its vocabulary and types the values of the common properties
as IRIs. For other properties a URL stays a text.
"""

from __future__ import annotations

import json
from typing import Any

from gtopss.errors import MalformedPublication
from gtopss.rdf.encodings import decode
from ontology.limits import DEFAULT_LIMITS, DocumentLimits

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


_SCHEMA_ORG_BYTES = len(json.dumps(_SCHEMA_ORG))


def inline_contexts(
    data: bytes, *, limits: DocumentLimits = DEFAULT_LIMITS, publication_id: str | None = None
) -> bytes:
    """Replace the names of shipped contexts by the contexts. Return any other document unchanged.

    Invalid JSON is returned unchanged too: the parser reports it. Raise MalformedPublication if the document would
    become too large.

    >>> inline_contexts(b'{"@context": "urn:unknown"}')
    b'{"@context": "urn:unknown"}'
    """
    if b"schema.org" not in data:
        return data
    try:
        document = json.loads(decode(data))
        replaced = _inline(document)
        limit, limit_name = limits.output_limit(len(data))
        if len(data) + replaced * _SCHEMA_ORG_BYTES > limit:
            reason = f"its {replaced} contexts take more than {limit} bytes ({limit_name})"
            raise MalformedPublication(f"{reason}: use one for the whole document", publication_id=publication_id)
        return json.dumps(document).encode() if replaced else data
    except MalformedPublication:
        raise
    except (ValueError, RecursionError):
        return data


def remote_contexts(data: bytes) -> list[str]:
    """Return the names of the contexts that a document does not contain itself, in their order.

    >>> remote_contexts(b'{"@context": ["http://a.example/c", {"p": {"@context": "http://b.example/c"}}]}')
    ['http://a.example/c', 'http://b.example/c']
    """
    try:
        pending = [json.loads(decode(data))]
    except (ValueError, RecursionError):
        return []
    found: dict[str, None] = {}
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            for key in ("@context", "@import"):
                given = node.get(key)
                names = given if isinstance(given, list) else [given]
                found.update((name, None) for name in names if isinstance(name, str))
            node = list(node.values())
        if isinstance(node, list):
            pending.extend(reversed(node))
    return list(found)


def _inline(document: Any) -> int:
    """Replace context names in place. Return how many there were."""
    replaced = 0
    pending = [document]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            if "@context" in node:
                given = node["@context"]
                names = given if isinstance(given, list) else [given]
                contexts = [CONTEXTS.get(name, name) if isinstance(name, str) else name for name in names]
                replaced += sum(old is not new for old, new in zip(names, contexts, strict=True))
                node["@context"] = contexts if isinstance(given, list) else contexts[0]
            pending.extend(value for key, value in node.items() if key != "@context")
        elif isinstance(node, list):
            pending.extend(node)
    return replaced

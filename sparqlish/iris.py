"""Resolution of relative IRIs (RFC 3986, section 5.2), for every scheme.

`urllib.parse.urljoin` has a fixed list of schemes and leaves `urn:` and others unresolved. An IRI with a scheme is used
as written, dot segments included: RDF compares IRIs as strings, and normalising the subscription but not the
publications would make equal names differ.
"""

from __future__ import annotations

import re

__all__ = ["IRI_TEXT", "is_absolute", "resolve"]

IRI_TEXT = re.compile(r"""[^\x00-\x20<>"{}|^`\\\ud800-\udfff]*+""")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*+:")
# RFC 3986, appendix B.
_COMPONENTS = re.compile(r"(?s)(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?")
_LEADING_DOTS = re.compile(r"\A(?:\.\.?/)++")
_SEGMENT = re.compile(r"/[^/]*+|[^/]++")


def is_absolute(iri: str) -> bool:
    """Return whether the text begins with a scheme."""
    return _SCHEME.match(iri) is not None


def resolve(base: str, reference: str) -> str:
    """Resolve a reference against `base`, an absolute IRI.

    >>> resolve("http://a/b/c/d;p?q", "../g")
    'http://a/b/g'
    >>> resolve("urn:example:feed", "#items")
    'urn:example:feed#items'
    """
    if is_absolute(reference):
        return reference
    scheme, authority, base_path, base_query, _ = _components(base)
    _, own_authority, path, query, fragment = _components(reference)
    if own_authority is not None:
        authority, path = own_authority, _remove_dot_segments(path)
    elif path == "":
        path, query = base_path, base_query if query is None else query
    elif path.startswith("/"):
        path = _remove_dot_segments(path)
    else:
        path = _remove_dot_segments(_merge(authority, base_path, path))
    return "".join(
        (
            f"{scheme}:",
            "" if authority is None else f"//{authority}",
            path,
            "" if query is None else f"?{query}",
            "" if fragment is None else f"#{fragment}",
        )
    )


def _components(iri: str) -> tuple[str | None, str | None, str, str | None, str | None]:
    match = _COMPONENTS.fullmatch(iri)
    assert match is not None  # the expression matches every string
    scheme, authority, path, query, fragment = match.groups()
    return scheme, authority, path, query, fragment


def _merge(authority: str | None, base_path: str, path: str) -> str:
    """Merge a relative path with the base's (section 5.2.3)."""
    if authority is not None and not base_path:
        return "/" + path
    return base_path[: base_path.rfind("/") + 1] + path


def _remove_dot_segments(path: str) -> str:
    """Remove dot segments (section 5.2.4), on a list of segments: the RFC's version on strings is quadratic."""
    path = _LEADING_DOTS.sub("", path)
    if path in (".", ".."):
        return ""
    segments: list[str] = []
    segment = ""
    for segment in _SEGMENT.findall(path):
        if segment == "/..":
            if segments:
                segments.pop()
        elif segment != "/.":
            segments.append(segment)
    if segment in ("/.", "/.."):
        segments.append("/")
    return "".join(segments)

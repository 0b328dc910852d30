"""IRIs for publications: one for each, as an id or as the name of a graph."""

from __future__ import annotations

from urllib.parse import quote

from gtopss.feeds.iris import absolute_iri
from gtopss.feeds.namespaces import GTOPSS


class UniqueIris:
    """Numbers the IRIs that it is given again. It remembers all of them."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def unique(self, iri: str) -> str:
        """Return an IRI that was not returned before: the given one, or with a number after it.

        >>> iris = UniqueIris()
        >>> [iris.unique(iri) for iri in ("urn:a", "urn:a", "urn:a", "urn:b#c", "urn:b#c", "urn:a#2")]
        ['urn:a', 'urn:a#2', 'urn:a#3', 'urn:b#c', 'urn:b#c-2', 'urn:a#2-2']
        """
        count = self._counts.get(iri, 0) + 1
        numbered = iri
        if count > 1:
            separator = "-" if "#" in iri else "#"
            while (numbered := f"{iri}{separator}{count}") in self._counts:
                count += 1
            self._counts[numbered] = 1
        self._counts[iri] = count
        return numbered


def graph_name(publication_id: str) -> str:
    """Return the IRI of a publication's graph: its id, or, if that is no IRI, one that contains it.

    >>> graph_name("http://a.example/1"), graph_name("data/a b.ttl")
    ('http://a.example/1', 'urn:gtopss:publication:data/a%20b.ttl')
    """
    if absolute_iri(publication_id) == publication_id:
        return publication_id
    return f"{GTOPSS}publication:{quote(publication_id)}"

"""The graphs of written N-Quads have the publications' ids, and everybody can read them."""

from __future__ import annotations

import pyoxigraph as ox
import rdflib
from support.feed_samples import atom_entry, rss

from gtopss.feeds.graph_names import UniqueIris, graph_name
from gtopss.feeds.writing import to_nquads
from gtopss.model import Publication
from gtopss.reading.documents import read_publications

ODD = (
    "<item><link>http://c.example/[1]#a#b</link><guid>http://c.example:port/</guid>"
    "<category domain='http://c.example/s#t'>x [y]</category><enclosure url='http://c.example/\ue000'/></item>"
    "<item><link>http://c.example/1</link></item><item><link>http://c.example/1</link></item>"
)


def test_a_graph_has_the_id_of_its_publication() -> None:
    publications = list(read_publications(rss(ODD)))
    read = {one.id: set(one.triples) for one in read_publications(to_nquads(publications), format="nquads")}
    assert list(read) == [one.id for one in publications]
    assert all(len(read[one.id]) == len(one.triples) for one in publications)


def test_pyoxigraph_and_rdflib_read_what_is_written() -> None:
    publications = [*read_publications(rss(ODD)), *read_publications(atom_entry("<id>902@http://c.example/</id>"))]
    written = to_nquads(publications)
    count = sum(len(one.triples) for one in publications)
    assert len(list(ox.parse(written, format=ox.RdfFormat.N_QUADS))) == count
    dataset = rdflib.Dataset()
    dataset.parse(data=written.decode(), format="nquads")
    assert len(list(dataset.quads())) == count


def test_equal_ids_of_two_sources_stay_two_graphs() -> None:
    item = "<item><guid>http://c.example/1</guid><title>{}</title></item>"
    both = [one for name in "ab" for one in read_publications(rss(item.format(name)), source=f"http://{name}.example/")]
    assert [one.id for one in both] == ["http://c.example/1"] * 2
    again = list(read_publications(to_nquads(both), format="nquads"))
    assert [(one.id, len(one.triples)) for one in again] == [
        ("http://c.example/1", len(both[0].triples)),
        ("http://c.example/1#2", len(both[1].triples)),
    ]


def test_an_id_that_is_no_iri_is_in_the_name_of_its_graph() -> None:
    publication = Publication("data/a b.ttl", [("<urn:a>", "<urn:p>", "<urn:b>")])
    (again,) = read_publications(to_nquads([publication]), format="nquads")
    assert again.id == graph_name("data/a b.ttl") == "urn:gtopss:publication:data/a%20b.ttl"


def test_a_number_does_not_give_the_id_of_a_later_item() -> None:
    iris = UniqueIris()
    made = [iris.unique(iri) for iri in ("urn:a", "urn:a#2", "urn:a", "urn:a", "urn:a#2", "urn:a#2-2")]
    assert len(set(made)) == len(made)

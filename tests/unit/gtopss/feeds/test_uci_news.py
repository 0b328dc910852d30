from __future__ import annotations

from conftest import ROOT

from gtopss.feeds.uci_news import read_news, topic_names
from gtopss.feeds.writing import to_nquads
from gtopss.rdf.parse import read_triples

DATA = ROOT / "data"


def test_the_shipped_news_are_made_from_the_table() -> None:
    topics = topic_names(read_triples((DATA / "ontologies" / "iptc-mediatopics-en-GB.ttl").read_bytes(), "turtle"))
    made = list(read_news((DATA / "news" / "uci-news-aggregator-slice.csv").read_bytes(), topics, every=5))
    assert to_nquads(made) == (DATA / "news" / "news.nq").read_bytes()

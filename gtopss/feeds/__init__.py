"""Feed formats: reading, repairing and writing.

rss_atom.py    RSS 0.91 to 2.0 and Atom, with feedparser
rss1.py        RSS 1.0 and 0.90, as RDF; rss1_graph.py: its triples -> items
json_feed.py   JSON Feed
opml.py        OPML, lists of feeds
modules.py     elements of RSS modules (podcasts, media, geography ...) -> triples
repair.py      checks and repairs of broken XML
items.py       Item and Channel: what every format says
triples.py     Item and Channel -> triples
vocabulary.py  the terms of these triples; namespaces.py: their namespaces
identity.py    ids of items and channels
dates.py       the date formats of feeds
text.py        texts and literals; iris.py: IRIs from the links of a feed
entries.py     what feed readers show of a publication
writing.py     publications -> RSS 2.0, Atom, N-Quads
uci_news.py    the table of the UCI News Aggregator -> publications
"""

"""Other systems that answer the same subscriptions, each tuned as well as we can. One file each, one line in
`PEERS`."""

from __future__ import annotations

from collections.abc import Callable

from gtopss.experiments.peers.aho_corasick import AhoCorasickWithDict
from gtopss.experiments.peers.clips_rules import ClipsRules
from gtopss.experiments.peers.duckdb_by_shape import DuckDBByShape
from gtopss.experiments.peers.gtopss_matchers import GtopssPeer, document_of
from gtopss.experiments.peers.lucene_monitor import LuceneMonitor
from gtopss.experiments.peers.oxigraph_by_shape import OxigraphByShape
from gtopss.experiments.peers.peer import Peer
from gtopss.experiments.peers.rarest_constant import RarestConstant
from gtopss.experiments.peers.sqlite_by_shape import SQLiteByShape
from gtopss.experiments.peers.sqlite_fts5 import SQLiteFullText

__all__ = ["PEERS", "TEXT_PEERS", "GtopssPeer", "Peer", "document_of"]

PEERS: dict[str, Callable[[], Peer]] = {
    "sqlite": SQLiteByShape,
    "duckdb": DuckDBByShape,
    "clips": ClipsRules,
    "oxigraph": OxigraphByShape,
    "rarest": RarestConstant,
    "reference": lambda: GtopssPeer("reference"),
    "naive": lambda: GtopssPeer("naive"),
    "sparql": lambda: GtopssPeer("sparql"),
}
"""Every peer for graphs by name. `sparql` runs one Oxigraph query per subscription."""

TEXT_PEERS: dict[str, Callable[[], Peer]] = {
    "ahocorasick": AhoCorasickWithDict,
    "fts5": SQLiteFullText,
    "lucene": LuceneMonitor,
}
"""Every peer for words by name. They get the title of an item, our engine the bytes of the whole item."""

"""Other systems that answer the same subscriptions, each tuned as well as we can. One file each, one line in
`PEERS`."""

from __future__ import annotations

from collections.abc import Callable

from gtopss.experiments.peers.clips_rules import ClipsRules
from gtopss.experiments.peers.duckdb_by_shape import DuckDBByShape
from gtopss.experiments.peers.gtopss_matchers import GtopssPeer
from gtopss.experiments.peers.oxigraph_by_shape import OxigraphByShape
from gtopss.experiments.peers.peer import Peer
from gtopss.experiments.peers.rarest_constant import RarestConstant
from gtopss.experiments.peers.sqlite_by_shape import SQLiteByShape

__all__ = ["PEERS", "GtopssPeer", "Peer"]

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
"""Every peer by name. `sparql` runs one Oxigraph query per subscription."""

"""Other ways to answer the same question, each set up as well as we know how: one file each, one line in the table."""

from __future__ import annotations

from collections.abc import Callable

from gtopss.bench.peers.duck import Duck
from gtopss.bench.peers.ours import Ours
from gtopss.bench.peers.oxigraph import OxigraphByShape
from gtopss.bench.peers.peer import Peer
from gtopss.bench.peers.rarest import RarestConstant
from gtopss.bench.peers.rules import Clips
from gtopss.bench.peers.sqlite import Sqlite

__all__ = ["PEERS", "Ours", "Peer"]

PEERS: dict[str, Callable[[], Peer]] = {
    "sqlite": Sqlite,
    "duckdb": Duck,
    "clips": Clips,
    "oxigraph": OxigraphByShape,
    "rarest": RarestConstant,
    "reference": lambda: Ours("reference"),
    "naive": lambda: Ours("naive"),
    "sparql": lambda: Ours("sparql"),
}
"""Every peer by name; `sparql` asks Oxigraph one query per subscription."""

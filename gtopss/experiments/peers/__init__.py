"""Other ways to answer the same question, each set up as well as we know how: one file each, one line in the table."""

from __future__ import annotations

from collections.abc import Callable

from gtopss.experiments.peers.duck import Duck
from gtopss.experiments.peers.ours import Ours
from gtopss.experiments.peers.oxigraph import OxigraphByShape
from gtopss.experiments.peers.peer import Peer
from gtopss.experiments.peers.rarest import RarestConstant
from gtopss.experiments.peers.rules import Clips
from gtopss.experiments.peers.sqlite import Sqlite

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

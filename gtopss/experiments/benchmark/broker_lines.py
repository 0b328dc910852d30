"""One line of the benchmark's table for a figure of the broker."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BrokerLine:
    """What was measured, beside a peer or a target."""

    what: str
    unit: str
    ours: float
    peer: float | None
    """The peer's figure, or the one that ours is compared with."""
    ratio: float | None
    target: str
    met: bool | None


def at_least(what: str, unit: str, ours: float, peer: float | None, times: float, named: str) -> BrokerLine:
    """Return a line whose target is so many times the peer's figure, or more."""
    ratio = None if peer is None else ours / peer
    return BrokerLine(what, unit, ours, peer, ratio, f"{times:g} x {named}", None if ratio is None else ratio >= times)


def at_most(what: str, unit: str, ours: float, peer: float, times: float, named: str) -> BrokerLine:
    """Return a line whose target is so many times the other figure, or less."""
    return BrokerLine(what, unit, ours, peer, ours / peer, f"at most {times:g} x {named}", ours / peer <= times)

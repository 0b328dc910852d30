"""Draw a random connected subgraph, from which a workload makes a subscription."""

from __future__ import annotations

import random
from collections.abc import Sequence

from gtopss.model import Triple


def connected_subgraph(
    triples: Sequence[Triple], edges: int, generator: random.Random, *, nodes: int | None = None
) -> list[Triple]:
    """Return up to `edges` connected triples, grown edge by edge.

    With `nodes`, the subgraph grows to so many nodes first, and then between them, as far as the graph allows.
    """
    chosen = [generator.choice(triples)]
    while len(chosen) < edges:
        reached = {node for s, _, o in chosen for node in (s, o)}
        near = [each for each in triples if each not in chosen and (each[0] in reached or each[2] in reached)]
        if not near:
            break
        preferred = near
        if nodes is not None:
            growing = len(reached) < nodes
            preferred = [each for each in near if (each[0] in reached and each[2] in reached) != growing]
        chosen.append(generator.choice(preferred or near))
    return chosen

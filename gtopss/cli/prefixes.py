"""`gtopss prefixes`: the prefixes that a subscription need not declare."""

from __future__ import annotations

import typer

from sparqlish import PREFIXES


def prefixes() -> None:
    """Print the prefixes that subscriptions may use without declaring them, as PREFIX lines."""
    for name, namespace in PREFIXES.items():
        typer.echo(f"PREFIX {name}: <{namespace}>")

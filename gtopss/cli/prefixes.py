"""`gtopss prefixes`: what a subscription may use without declaring it."""

from __future__ import annotations

import typer

from sparqlish import PREFIXES


def prefixes() -> None:
    """List the prefixes that are preset in subscriptions, as PREFIX lines."""
    for name, namespace in PREFIXES.items():
        typer.echo(f"PREFIX {name}: <{namespace}>")

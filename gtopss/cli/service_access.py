"""What the commands that use a broker share: options, a client of a service or of an embedded store, and output."""

from __future__ import annotations

import dataclasses
import datetime as dt
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from gtopss.cli.arguments import print_json_line
from gtopss.cli.ticket_file import KeptTicket, TicketFile
from gtopss.extras import require_extra
from ontology import Reasoner

if TYPE_CHECKING:
    from gtopss.client import Client

DEFAULT_URL = "http://127.0.0.1:8080"
URL_VARIABLE = "GTOPSS_URL"
KEY_VARIABLE = "GTOPSS_API_KEY"

Url: TypeAlias = Annotated[
    str | None,
    typer.Option("--url", help=f"URL of the service. Default: ${URL_VARIABLE}, or {DEFAULT_URL}."),
]
UrlOfSubscription: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--url",
        help="URL of the service. Default: the service where the subscription was registered; with --ticket, if that "
        f"is not known, ${URL_VARIABLE} or {DEFAULT_URL}.",
    ),
]
StoreUrl: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--store", help="Open the store sqlite:FILE directly instead of a service. No service may be using the file."
    ),
]
StoreOntology: TypeAlias = Annotated[
    Path | None,
    typer.Option("--ontology", "-o", help="With --store: the ontology file. Default: the shipped IPTC news topics."),
]
KeyFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(help=f"File with an API key. Default: the key in ${KEY_VARIABLE}.", exists=True, dir_okay=False),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON, one object per line.")]
Ticket: TypeAlias = Annotated[
    str | None,
    typer.Option("--ticket", help="Ticket of the subscription (gt_...). Default: as saved by `gtopss subscribe`."),
]


def require_client() -> None:
    """Raise MissingExtra if the client is not installed."""
    require_extra("client", "a command that uses a service")


@contextmanager
def open_client(
    service: str, key_file: Path | None = None, ontology: Path | None = None, reasoner: Reasoner | None = None
) -> Iterator[Client]:
    """Yield a client of a service, or of a store that no service uses. Raises StoreError."""
    require_client()
    from gtopss.client import Client

    key = key_file.read_text(encoding="utf-8").strip() if key_file else os.environ.get(KEY_VARIABLE) or None
    if is_store(service):
        require_extra("serve", "--store")
        from gtopss.cli.embedded_service import embedded_client  # imports FastAPI and the broker

        with embedded_client(service, key, ontology, reasoner) as client:
            yield client
    else:
        with Client(service, key=key) as client:
            yield client


def is_store(service: str) -> bool:
    """Return whether an address is that of a store, not of a service."""
    return not service.startswith(("http://", "https://"))


def service_of(url: str | None, store: str | None, kept: KeptTicket | None = None) -> str:
    """Return the address that a command uses: the options first, then where the subscription is."""
    if url is not None and store is not None:
        raise typer.BadParameter("--url and --store cannot be combined: leave out one of them")
    if store is not None:
        scheme, _, path = store.partition(":")
        return f"sqlite:{os.path.abspath(path)}" if scheme == "sqlite" and path else store
    if url is not None:
        if is_store(url):
            raise typer.BadParameter(f"{url!r} is not an http(s) URL: write it like {DEFAULT_URL}", param_hint="--url")
        return url.rstrip("/")
    if kept is not None:
        return kept.service
    return (os.environ.get(URL_VARIABLE) or DEFAULT_URL).rstrip("/")


def located(id: str, ticket: str | None, url: str | None, store: str | None) -> KeptTicket:
    """Return the ticket and the address of a subscription, from the options or from the file. Raises UnknownTicket."""
    file = TicketFile()
    kept = file.find(id) if ticket is not None else file.get(id)
    service = service_of(url, store, kept)
    if ticket is not None:
        return KeptTicket(id, ticket, service, kept.query if kept else "", kept.expires_at if kept else None)
    assert kept is not None
    return dataclasses.replace(kept, service=service)


def print_data(data: object) -> None:
    """Print a result as one JSON object."""
    print_json_line(to_json(data))


def to_json(data: object) -> Mapping[str, object]:
    """Return a dataclass as JSON data; times are ISO 8601."""
    found = _plain(dataclasses.asdict(data) if dataclasses.is_dataclass(data) and not isinstance(data, type) else data)
    assert isinstance(found, dict)
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value.isoformat() if isinstance(value, dt.datetime) else value


def shown_time(time: dt.datetime | None) -> str:
    """Return a time as people read it, in UTC."""
    return "never" if time is None else time.astimezone(dt.UTC).strftime("%Y-%m-%d %H:%M:%S UTC")

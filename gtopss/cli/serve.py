"""`gtopss serve`: run the broker as a service."""

from __future__ import annotations

import logging
import os
import sys
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gtopss.cli.arguments import (
    DEFAULT_STRATEGY,
    Entailment,
    Literals,
    OperatorSource,
    ReasonerName,
    StrategyName,
    declare_operators,
    print_message,
    require_ontology,
)
from gtopss.engine import EngineConfig
from gtopss.errors import OutputNotWritable

if TYPE_CHECKING:
    from gtopss.http.settings import ServiceSettings

DEFAULT_ONTOLOGY = "iptc-mediatopics-en-GB.ttl"
ADMINISTRATOR_KEY_VARIABLE = "GTOPSS_ADMINISTRATOR_KEY"


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on. Other than loopback, API keys are required.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port to listen on; 0 for a free one.")] = 8080,
    store: Annotated[
        str | None,
        typer.Option(help="sqlite:FILE, postgresql://... or memory:. Default: a file in ~/.local/share/gtopss."),
    ] = None,
    opml: Annotated[Path | None, typer.Option(help="A list of feeds to poll.", exists=True, dir_okay=False)] = None,
    ontology: Annotated[
        Path | None,
        typer.Option("--ontology", "-o", help="An RDFS, SKOS or OWL file. Default: the shipped IPTC news topics."),
    ] = None,
    reasoner: ReasonerName = None,
    examples: Annotated[
        bool, typer.Option("--examples/--no-examples", help="Publish the shipped example feeds into an empty store.")
    ] = True,
    keys: Annotated[bool, typer.Option("--keys", help="Require API keys on loopback too.")] = False,
    administrator_key_file: Annotated[
        Path | None, typer.Option(help="File with the administrator's API key.", exists=True, dir_okay=False)
    ] = None,
    public_url: Annotated[str | None, typer.Option(help="Address under which clients reach the service.")] = None,
    allow_host: Annotated[list[str] | None, typer.Option(help="A further name that the Host header may have.")] = None,
    cors_origin: Annotated[list[str] | None, typer.Option(help="Origin of a page that may use the service.")] = None,
    allow: Annotated[
        list[str] | None,
        typer.Option(help="A host, host:port or network that feeds and webhooks may reach though it is not public."),
    ] = None,
    entailment: Entailment = None,
    literals: Literals = "sparql",
    strategy: StrategyName = DEFAULT_STRATEGY,
    operators: OperatorSource = None,
    log_json: Annotated[bool, typer.Option("--log-json", help="Write the log as JSON lines, with requests.")] = False,
) -> None:
    """Run the broker as a service with an HTTP interface and a page, until it is stopped.

    Without options it listens on http://127.0.0.1:8080, keeps its data in ~/.local/share/gtopss, and has the shipped
    example feeds to try. SIGINT and SIGTERM stop it when the running work is done.
    """
    require_ontology(ontology, reasoner)
    declare_operators(operators)
    from gtopss.broker.config import BrokerConfig  # the extra "broker" may be missing
    from gtopss.http.settings import LOOPBACK_NAMES, ServiceSettings
    from gtopss.net import parse_url

    is_local = is_loopback(host)
    hosts = (*LOOPBACK_NAMES, host.lower(), *(each.lower() for each in allow_host or ()))
    if public_url is not None:
        hosts = (*hosts, parse_url(public_url).host.lower())
    location = _default_store() if store is None else store
    settings = ServiceSettings(
        store=location,
        ontology=ontology or _shipped("ontologies", DEFAULT_ONTOLOGY),
        reasoner=reasoner,
        opml=opml,
        examples=_shipped() if examples else None,
        keys_required=keys or not is_local,
        administrator_key=_administrator_key(administrator_key_file),
        public_url=public_url,
        allowed_hosts=hosts if is_local or public_url is not None or allow_host else None,
        cors_origins=tuple(cors_origin or ()),
        allow=tuple(allow or ()),
        broker=BrokerConfig(snapshot_folder=snapshot_folder(location), dry_run_publications=1_000),
        engine=EngineConfig(strategy=strategy, entailment=entailment, literals=literals),
    )
    _run(settings, host, port, log_json=log_json)


def _run(settings: ServiceSettings, host: str, port: int, *, log_json: bool) -> None:
    """Open the service, listen, and close it after a signal."""
    from gtopss.http.app import create_app  # imports FastAPI: slow
    from gtopss.http.server import LISTEN_BACKLOG, allow_many_connections, bind, server_of
    from gtopss.http.service import Service
    from gtopss.matching.index.warmup import compile_kernels

    _log(log_json)
    allow_many_connections()
    listener = bind(host, port)  # first, so that a port that is in use is reported at once
    with listener:
        compile_kernels()
        with Service(settings, progress=print_message) as service:
            administrator = service.create_administrator() if settings.keys_required else None
            service.start(print_message)
            if administrator is not None:
                print_message(f"the administrator's API key, shown this once: {administrator.key}")
            listener.listen(LISTEN_BACKLOG)  # before the message: whoever reads it may connect
            address = f"[{host}]" if ":" in host else host
            url = f"http://{address}:{listener.getsockname()[1]}/"
            print_message(f"serving on {url} from {service.store.name}; Ctrl-C stops it")
            server_of(create_app(service)).run(sockets=[listener])
            print_message("stopping: the running work is finished first")


def _log(as_json: bool) -> None:
    from gtopss.broker.json_logs import log_as_json

    handler = logging.StreamHandler(sys.stderr)
    if as_json:
        log_as_json(handler)
        for name, level in (("gtopss.http", logging.INFO), ("uvicorn.error", logging.CRITICAL)):
            logging.getLogger(name).addHandler(handler)
            logging.getLogger(name).setLevel(level)  # what uvicorn reports of an error, gtopss.http has logged
    else:
        handler.setFormatter(logging.Formatter("gtopss: %(message)s"))
        handler.setLevel(logging.WARNING)
        logging.getLogger("gtopss").addHandler(handler)
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # gtopss.http logs errors


def _default_store() -> str:
    from gtopss.http.settings import default_data_folder

    folder = default_data_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise OutputNotWritable(folder, error.strerror or str(error)) from error
    return f"sqlite:{folder / 'gtopss.db'}"


def snapshot_folder(store: str) -> Path | None:
    """Return the folder beside an embedded store in which the engine is saved."""
    scheme, _, path = store.partition(":")
    return Path(f"{path}.engine") if scheme == "sqlite" else None


def _shipped(*parts: str) -> Path | None:
    from gtopss.http.examples import shipped_data

    folder = shipped_data()
    return None if folder is None else folder.joinpath(*parts)


def _administrator_key(path: Path | None) -> str | None:
    if path is None:
        return os.environ.get(ADMINISTRATOR_KEY_VARIABLE) or None
    return path.read_text(encoding="utf-8").strip()


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False

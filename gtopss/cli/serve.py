"""`gtopss serve`: run the broker as a service."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal
from urllib.parse import unquote, urlsplit

import typer

from gtopss.cli.arguments import (
    DEFAULT_STRATEGY,
    Cycles,
    Entailment,
    Literals,
    OperatorSource,
    ReasonerName,
    StrategyName,
    declare_operators,
    print_message,
    print_note,
    require_ontology,
)
from gtopss.engine.config import EngineConfig
from gtopss.errors import OutputNotWritable
from gtopss.extras import require_extra
from gtopss.sample_data import sample_data

if TYPE_CHECKING:
    from gtopss.broker.delivery.email import SmtpConfig
    from gtopss.broker.owners import NewOwner
    from gtopss.http.service import Service
    from gtopss.http.settings import ServiceSettings
    from gtopss.http.starting import StartingApp

DEFAULT_ONTOLOGY = "iptc-mediatopics-en-GB.ttl"
ADMINISTRATOR_KEY_VARIABLE = "GTOPSS_ADMINISTRATOR_KEY"
SMTP_PASSWORD_VARIABLE = "GTOPSS_SMTP_PASSWORD"
SMTP_SCHEMES: dict[str, Literal["starttls", "tls", "none"]] = {"smtp": "starttls", "smtps": "tls", "smtp+plain": "none"}
"""How the connection to a mail server is encrypted, by the scheme of its URL."""
_FEEDS, _ACCESS, _MAIL = "Feeds", "Access", "E-mail"  # headings of the help
DEFAULT_SMTP_PORTS = {"starttls": 587, "tls": 465, "none": 25}


def serve(
    host: Annotated[
        str, typer.Option(help="Address to listen on. API keys are required unless it is a loopback address.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port to listen on. 0 chooses a free port.")] = 8080,
    store: Annotated[
        str | None,
        typer.Option(
            help="Database: sqlite:FILE, postgresql://USER@HOST/NAME, or memory: (lost at the end). Default: "
            "a SQLite file in ~/.local/share/gtopss."
        ),
    ] = None,
    opml: Annotated[
        Path | None,
        typer.Option(help="OPML file with the feeds to poll.", exists=True, dir_okay=False, rich_help_panel=_FEEDS),
    ] = None,
    ontology: Annotated[
        Path | None,
        typer.Option("--ontology", "-o", help="RDFS, SKOS or OWL file. Default: the shipped IPTC news topics."),
    ] = None,
    reasoner: ReasonerName = None,
    examples: Annotated[
        bool,
        typer.Option(
            "--examples/--no-examples",
            help="Publish the shipped example feeds if the store is empty.",
            rich_help_panel=_FEEDS,
        ),
    ] = True,
    keys: Annotated[
        bool, typer.Option("--keys", help="Require API keys on a loopback address too.", rich_help_panel=_ACCESS)
    ] = False,
    administrator_key_file: Annotated[
        Path | None,
        typer.Option(
            help=f"File with the administrator's API key. Default: the key in ${ADMINISTRATOR_KEY_VARIABLE}.",
            exists=True,
            dir_okay=False,
            rich_help_panel=_ACCESS,
        ),
    ] = None,
    public_url: Annotated[
        str | None, typer.Option(help="URL by which clients reach the service.", rich_help_panel=_ACCESS)
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="Further value to accept in the Host header. May be repeated.", rich_help_panel=_ACCESS),
    ] = None,
    cors_origin: Annotated[
        list[str] | None,
        typer.Option(
            help="Origin of web pages that may call the service (CORS). May be repeated.", rich_help_panel=_ACCESS
        ),
    ] = None,
    allow: Annotated[
        list[str] | None,
        typer.Option(
            help="Private host, host:port or network that feeds and webhooks may use. May be repeated.",
            rich_help_panel=_ACCESS,
        ),
    ] = None,
    smtp: Annotated[
        str | None,
        typer.Option(
            help="Mail server for deliveries by e-mail: smtp://[USER@]HOST[:PORT] (STARTTLS), smtps://... (TLS) or "
            "smtp+plain://... (a server on this machine). The password is read from GTOPSS_SMTP_PASSWORD.",
            metavar="URL",
            rich_help_panel=_MAIL,
        ),
    ] = None,
    mail_from: Annotated[
        str | None, typer.Option(help="Sender of e-mails, such as gtopss@example.org.", rich_help_panel=_MAIL)
    ] = None,
    max_shares: Annotated[
        int,
        typer.Option(min=1, help="Maximum number of shares of the subscriptions to hold (see `gtopss store shares`)."),
    ] = 1,
    cycles: Cycles = "refuse",
    entailment: Entailment = None,
    literals: Literals = "sparql",
    strategy: StrategyName = DEFAULT_STRATEGY,
    operators: OperatorSource = None,
    log_json: Annotated[bool, typer.Option("--log-json", help="Log as JSON Lines, including every request.")] = False,
) -> None:
    """Run the broker as an HTTP service with a web page, until it is stopped.

    Without options, the service listens on http://127.0.0.1:8080, stores its data in ~/.local/share/gtopss, and
    publishes the shipped example feeds. Ctrl-C (SIGINT) or SIGTERM stops it after running requests are finished.

    Exit code 0: stopped by Ctrl-C or SIGTERM. 1: it cannot start: the store, the ontology, a file or the address cannot
    be used. 2: wrong usage.
    """
    require_ontology(ontology, reasoner)
    declare_operators(operators)
    require_extra("serve", "gtopss serve")
    from gtopss.broker.config import BrokerConfig
    from gtopss.http.settings import LOOPBACK_NAMES, ServiceSettings
    from gtopss.net import InvalidURL, parse_url

    is_local = is_loopback(host)
    hosts = (*LOOPBACK_NAMES, host.lower(), *(each.lower() for each in allow_host or ()))
    if public_url is not None:
        try:
            hosts = (*hosts, parse_url(public_url).host.lower())
        except InvalidURL as error:
            raise typer.BadParameter(str(error), param_hint="--public-url") from None
    location = _default_store() if store is None else store
    settings = ServiceSettings(
        store=location,
        ontology=ontology or sample_data("ontologies", DEFAULT_ONTOLOGY),
        reasoner=reasoner,
        cycles=cycles,
        opml=opml,
        examples=sample_data() if examples else None,
        keys_required=keys or not is_local,
        administrator_key=_administrator_key(administrator_key_file),
        public_url=public_url,
        allowed_hosts=hosts if is_local or public_url is not None or allow_host else None,
        cors_origins=tuple(cors_origin or ()),
        allow=tuple(allow or ()),
        smtp=smtp_config(smtp, mail_from),
        broker=BrokerConfig(
            snapshot_folder=snapshot_folder(location), dry_run_publications=1_000, max_shares=max_shares
        ),
        engine=EngineConfig(strategy=strategy, entailment=entailment, literals=literals),
    )
    _run(settings, host, port, log_json=log_json)


def _run(settings: ServiceSettings, host: str, port: int, *, log_json: bool) -> None:
    """Listen at once, open the service meanwhile, and close it after a signal."""
    from gtopss.http.server import LISTEN_BACKLOG, allow_many_connections, bind, server_of
    from gtopss.http.starting import StartingApp

    _log(log_json)
    say = _log_note if log_json else print_note
    allow_many_connections()
    with bind(host, port) as listener:  # first, so that a port that is in use is reported at once
        starting = StartingApp(settings, "it opens the store and reads the ontology")
        listener.listen(LISTEN_BACKLOG)  # before the message: whoever reads it may connect
        address = f"[{host}]" if ":" in host else host
        url = f"http://{address}:{listener.getsockname()[1]}/"
        say(f"starting; {url} shows the progress")
        server = server_of(starting)
        opener = _Opener(settings, starting, url, say, stop=lambda: setattr(server, "should_exit", True))
        opener.start()
        try:
            server.run(sockets=[listener])
        finally:
            opener.finish()


class _Opener(threading.Thread):
    """Opens a service in a thread, while the server answers that it starts."""

    def __init__(
        self,
        settings: ServiceSettings,
        starting: StartingApp,
        url: str,
        say: Callable[[str], None],
        stop: Callable[[], None],
    ) -> None:
        super().__init__(name="gtopss-start", daemon=True)
        self._settings, self._starting, self._url = settings, starting, url
        self._say, self._stop = say, stop
        self._is_stopped = threading.Event()
        self._opened = ExitStack()
        self._error: BaseException | None = None

    def finish(self) -> None:
        """Close the service. Raise the error that it could not be opened for."""
        self._is_stopped.set()
        self.join()
        if self._error is None:
            self._say("stopping after running requests and deliveries are finished")
        self._opened.close()
        if self._error is not None:
            raise self._error

    def run(self) -> None:
        """Open the service, and stop the server if that fails."""
        try:
            from gtopss.http.opening import Opening  # imports FastAPI: slow

            opening = Opening(self._settings, self._starting, self._is_stopped.is_set, progress=self._say)
            self._opened.callback(opening.close)
            opening.open(self._announce)
        except BaseException as error:
            self._error = error
            self._stop()

    def _announce(self, service: Service, administrator: NewOwner | None) -> None:
        if administrator is not None:
            print_message(f"the administrator's API key, shown this once: {administrator.key}")
        self._say(f"serving on {self._url} from {service.store.name}; Ctrl-C stops it")


def _log_note(text: str) -> None:
    logging.getLogger("gtopss.http").info(text)


def _log(as_json: bool) -> None:
    from gtopss.broker.json_logs import JsonFormatter

    handler = logging.StreamHandler(sys.stderr)
    if as_json:
        handler.setFormatter(JsonFormatter())
        logging.getLogger("gtopss").addHandler(handler)  # all packages warn; these two also log what they do
        for name in ("gtopss.broker", "gtopss.http"):
            logging.getLogger(name).setLevel(logging.INFO)
        logging.getLogger("uvicorn.error").addHandler(handler)
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # what it reports, gtopss.http has logged
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


def smtp_config(url: str | None, sender: str | None) -> SmtpConfig | None:
    """Return the mail server of `--smtp` and `--mail-from`; None without them. The password is in the environment."""
    from gtopss.broker.delivery.email import SmtpConfig

    if url is None and sender is None:
        return None
    if url is None or sender is None:
        missing = "--smtp" if url is None else "--mail-from"
        raise typer.BadParameter(f"deliveries by e-mail need --smtp and --mail-from: add {missing}")
    security = SMTP_SCHEMES.get(url.partition("://")[0].lower())
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise typer.BadParameter(f"{url!r}: {error}", param_hint="--smtp") from None
    if security is None or not host or parts.path.strip("/") or parts.query:
        schemes = ", ".join(f"{each}://" for each in SMTP_SCHEMES)
        raise typer.BadParameter(
            f"{url!r} is not the URL of a mail server: begin with one of {schemes}, and add a host", param_hint="--smtp"
        )
    if parts.password is not None:
        raise typer.BadParameter(
            f"the URL has a password, which other users can see: set {SMTP_PASSWORD_VARIABLE} instead",
            param_hint="--smtp",
        )
    return SmtpConfig(
        host=host,
        sender=sender,
        port=port or DEFAULT_SMTP_PORTS[security],
        security=security,
        username=None if parts.username is None else unquote(parts.username),
        password=os.environ.get(SMTP_PASSWORD_VARIABLE) or None,
    )


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

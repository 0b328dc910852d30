"""A service on loopback, and beside it a web site with feeds, a hub and callbacks, for tests of WebSub."""

from __future__ import annotations

import contextlib
import secrets
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx

from gtopss import Engine
from gtopss.broker.feeds.feed_list import FeedHealth
from gtopss.broker.websub.followers import FollowRequest
from gtopss.broker.websub.signatures import signature
from gtopss.http.app import create_app
from gtopss.http.server import bind, server_of
from gtopss.http.service import Service
from gtopss.http.settings import ServiceSettings
from gtopss.reading.documents import ParsedDocument, read_document
from support.brokers import TestClock
from support.polled_feeds import rss
from support.services import VACCINES

Form = dict[str, str]


def _read(data: bytes, url: str) -> ParsedDocument:
    return read_document(data, source=url)


@dataclass
class Callback:
    """What a follower's callback has received, and how it answers."""

    questions: list[Form] = field(default_factory=list)
    documents: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    agrees: bool = True
    status: int = 202
    """The answer to a document."""
    verification_status: int = 200
    redirects_to: str | None = None
    padding: str = ""
    """Sent after the challenge."""


class Site:
    """Feeds, a hub and callbacks on one port of loopback."""

    def __init__(self) -> None:
        self.items: dict[str, list[tuple[str, str]]] = {}
        self.gets: list[str] = []
        self.before_feed: Callable[[], object] = lambda: None
        """Called before a feed is sent."""
        self.links = True
        """Whether feeds name the hub."""
        self.head = ""
        """Elements of the channel of each feed."""
        self.requests: list[Form] = []
        """What was asked of the hub."""
        self.hub_status = 202
        self.hub_location = ""
        self.verifies = True
        """Whether the hub asks the callback, before it answers the request."""
        self.lease_seconds = "864000"
        self.answers: list[tuple[int, str]] = []
        """What the callback of the service answered to the hub: status, and whether it repeated the challenge."""
        self.callbacks: dict[str, Callback] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.host = f"127.0.0.1:{self._server.server_port}"
        self.url = f"http://{self.host}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def feed(self, name: str, *items: tuple[str, str]) -> str:
        """Serve a feed and return its address."""
        self.items[name] = list(items) or [("1", "one")]
        return f"{self.url}/{name}"

    def fetches(self, name: str) -> int:
        """How often a feed was fetched."""
        return self.gets.count(f"/{name}")

    def form(self, topic: str) -> Form:
        """The newest request about a topic."""
        return next(form for form in reversed(self.requests) if form["hub.topic"] == topic)

    def verify(self, form: Form, **changes: str) -> int:
        """Ask the callback of a request as a hub does, and return the status of its answer."""
        challenge = secrets.token_urlsafe(16)
        question = {
            "hub.mode": form["hub.mode"],
            "hub.topic": form["hub.topic"],
            "hub.challenge": challenge,
            "hub.lease_seconds": self.lease_seconds,
        }
        answer = httpx.get(form["hub.callback"], params=question | changes)
        self.answers.append((answer.status_code, "repeated" if answer.text == challenge else "not repeated"))
        return answer.status_code

    def push(self, form: Form, *items: tuple[str, str], **options: Any) -> httpx.Response:
        """Send items to the callback of a request, signed with its secret unless a signature is given."""
        body = options.pop("body", None) or rss(*items)
        headers = {
            "Content-Type": "application/rss+xml",
            "Link": f'<{self.url}/hub>; rel="hub", <{options.pop("topic", form["hub.topic"])}>; rel="self"',
        }
        signed = options.pop("signature", signature(form["hub.secret"], body, options.pop("method", "sha256")))
        if signed is not None:
            headers["X-Hub-Signature"] = signed
        return httpx.post(form["hub.callback"], content=body, headers=headers | options)


def _handler(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            site.gets.append(parts.path)
            name = parts.path[1:]
            if name in site.callbacks:
                self._question(site.callbacks[name], dict(parse_qsl(parts.query)))
                return
            site.before_feed()
            links = {"Link": f'<{site.url}/hub>; rel="hub", <{site.url}/{name}>; rel="self"'} if site.links else {}
            self._answer(200, rss(*site.items[name], head=site.head), links)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            name = self.path[1:]
            if name in site.callbacks:
                callback = site.callbacks[name]
                callback.documents.append(({key.lower(): value for key, value in self.headers.items()}, body))
                location = {"Location": callback.redirects_to} if callback.redirects_to else {}
                self._answer(callback.status, b"", location)
                return
            form = dict(parse_qsl(body.decode()))
            site.requests.append(form)
            if site.hub_status == 202 and site.verifies:
                site.verify(form)
            self._answer(site.hub_status, b"", {"Location": site.hub_location} if site.hub_location else {})

        def _question(self, callback: Callback, question: Form) -> None:
            callback.questions.append(question)
            answer = question.get("hub.challenge", "") if callback.agrees else "no"
            answer += callback.padding
            location = {"Location": callback.redirects_to} if callback.redirects_to else {}
            self._answer(callback.verification_status, answer.encode(), location)

        def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            pass

    return Handler


@dataclass(frozen=True)
class WebSubWorld:
    """A service that answers on loopback, without workers, and a web site with a hub."""

    service: Service
    site: Site
    clock: TestClock
    url: str

    def add(self, *items: tuple[str, str], name: str = "feed") -> str:
        """Poll a feed of the site, and ask its hub."""
        url = self.site.feed(name, *items)
        self.service.feeds.list.add(url)
        self.ask()
        return url

    def ask(self) -> None:
        """Send the requests to hubs that are due."""
        assert self.service.feeds.hub_requests is not None
        self.service.feeds.hub_requests.run_due()

    def poll(self) -> None:
        """Fetch the feeds that are due."""
        self.service.feeds.poller.run_due()

    def pass_time(self, seconds: float) -> None:
        """Let time pass, and do all that becomes due, each at its time."""
        end = self.clock.now + seconds
        working = [each for each in (self.service.feeds.hub_requests, self.service.feeds.poller) if each is not None]
        while (due := min((at for each in working if (at := each.next_due()) is not None), default=end)) < end:
            self.clock.now = max(self.clock.now, due)
            for each in working:
                each.run_due()
        self.clock.now = end
        for each in working:
            each.run_due()

    def health(self, url: str) -> FeedHealth:
        return next(each for each in self.service.feeds.list.health() if each.url == url)

    def titles(self) -> list[str]:
        """The titles of the publications, the oldest first."""
        listed = httpx.get(f"{self.url}/publications", params={"limit": 200}).json()["publications"]
        return [each["title"] for each in reversed(listed)]


@contextlib.contextmanager
def websub_world(
    *, allow: Callable[[Site], tuple[str, ...]] | None = None, public_url: str | None = "own", **settings: Any
) -> Iterator[WebSubWorld]:
    """Run a service and a site. By default the service may reach the site, and knows its own address."""
    listener, site, clock = bind("127.0.0.1", 0), Site(), TestClock()
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    allowed = (site.host,) if allow is None else allow(site)
    made = ServiceSettings(public_url=url if public_url == "own" else public_url, allow=allowed, **settings)
    with listener, Service(made, clock=clock, engine=Engine(matcher="reference")) as service:
        poller = service.feeds.poller
        poller._publisher = replace(poller._publisher, read_document=_read)  # a process for each test takes seconds
        poller.settings = replace(poller.settings, policy=replace(poller.settings.policy, jitter=0.0))
        server = server_of(create_app(service))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        listener.listen()  # clients may connect before the server accepts
        thread.start()
        try:
            yield WebSubWorld(service, site, clock, url)
        finally:
            server.should_exit = True
            thread.join()
            site.close()


@dataclass(frozen=True)
class Followed:
    """A subscription to vaccines whose feed can be followed."""

    world: WebSubWorld
    id: str
    ticket: str
    token: str
    topic: str

    def follow(self, name: str, *, mode: str = "subscribe", callback: str | None = None, **options: Any) -> Callback:
        """Ask the hub of the service to send to a callback of the site."""
        address = callback or f"{self.world.site.url}/{name}"
        made = self.world.site.callbacks.setdefault(name, Callback())
        self.world.service.followers.request(self.id, self.token, FollowRequest(mode, address, self.topic, **options))
        return made

    def publish(self, *titles: str) -> None:
        """Publish items with these titles, and match them."""
        document = rss(*((secrets.token_hex(8), title) for title in titles))
        items = read_document(document, source="urn:news").publications
        self.world.service.broker.publish(items)
        self.world.service.broker.run_pending()


def followed(world: WebSubWorld) -> Followed:
    """Register a subscription to vaccines, with an address for reading its feed."""
    mine = world.service.broker.subscribe(VACCINES, validity=300 * 86_400.0)
    token = world.service.broker.new_reader(mine.id, mine.ticket)
    return Followed(world, mine.id, mine.ticket, token, f"{world.url}/read/{mine.id}/{token}/feed.atom")

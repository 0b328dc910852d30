"""Count the requests that the sites of feeds serve (G-ToPSS, Figures 2 and 3).

Figure 2 shows readers who each poll each feed; Figure 3 shows a broker that gets the feeds once for all of them. The
experiment runs the broker's own poller and WebSub subscriber over generated feeds, on loopback and with an injected
clock, for some days of that clock:

    each reader polls    one reader's requests, counted, times the number of readers
    the broker polls     the requests of one poller, whoever subscribes
    the hubs push        the same feeds with a WebSub hub: one poll a day for each feed, and what the hubs send

All three must deliver the same items. A feed lists its newest items, as feeds do.
"""

from __future__ import annotations

import functools
import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import parse_qsl

from sqlalchemy import Connection

from gtopss.broker.feeds.feed_list import FeedList
from gtopss.broker.feeds.polling import FeedPoller, InsertPublications, PollingSettings, Publisher
from gtopss.broker.publishing import new_publication
from gtopss.broker.store import publication_rows
from gtopss.broker.store.publication_rows import NewPublication
from gtopss.broker.store.sqlite import memory_store
from gtopss.broker.store.store import Store
from gtopss.broker.websub.hub_requests import HubRequests, PushSettings
from gtopss.broker.websub.pushes import Push, Pushes, Verification
from gtopss.broker.websub.signatures import signature
from gtopss.experiments.answer_agreement import require_equal_answers
from gtopss.experiments.loopback_server import LoopbackAnswer, LoopbackRequest, serve_on_loopback
from gtopss.experiments.papers import citations
from gtopss.experiments.papers.experiment import Check, Curves, Experiment, ExperimentSettings, Finding, Point
from gtopss.net import Connector
from gtopss.reading.documents import read_document

DAY = 24 * 3600.0
LISTED_ITEMS = 20
"""Items that a feed lists, the newest."""
ITEMS_PER_DAY = 8
"""Items that a feed publishes in a day, on average, at random times."""
READERS, BROKER, PUSHED = "each reader polls (Figure 2)", "the broker polls (Figure 3)", "the hubs push to the broker"
DELAY = "minutes until an item arrives"
_START = 1_800_000_000.0


@dataclass
class _Clock:
    now: float = _START

    def __call__(self) -> float:
        return self.now


@dataclass
class _Site:
    """The site of all feeds, which is also their hub."""

    url: str = ""
    pushes: Pushes | None = None
    """Where the hub sends; None for a site without one."""
    items: dict[str, list[str]] = field(default_factory=dict)
    """The ids of the items of each feed, the newest last."""
    subscribed: dict[str, dict[str, str]] = field(default_factory=dict)
    """What was asked of the hub, by topic."""
    requests: int = 0
    sent: int = 0

    def document(self, path: str) -> bytes:
        head = (
            f"<link rel='hub' href='{self.url}/hub'/><link rel='self' href='{self.url}{path}'/>" if self.pushes else ""
        )
        listed = "".join(
            f"<entry><id>urn:{id}</id><title>{id}</title><updated>2026-01-01T00:00:00Z</updated></entry>"
            for id in self.items.get(path, [])[-LISTED_ITEMS:]
        )
        feed = f"<id>urn:feed:{path}</id><title>{path}</title><updated>2026-01-01T00:00:00Z</updated>"
        return f"<feed xmlns='http://www.w3.org/2005/Atom'>{feed}{head}{listed}</feed>".encode()

    def answer(self, request: LoopbackRequest) -> LoopbackAnswer:
        """Answer a request for a feed, or one to the hub."""
        self.requests += 1
        if request.method == "GET":
            return LoopbackAnswer(self.document(request.path))
        self.ask(dict(parse_qsl(request.body.decode())))
        return LoopbackAnswer(status=202)

    def ask(self, form: dict[str, str]) -> None:
        """Verify a request to the hub."""
        assert self.pushes is not None
        asked = Verification(form["hub.mode"], form["hub.topic"], float(form["hub.lease_seconds"]))
        self.pushes.verify(form["hub.callback"].rpartition("/")[2], asked)
        self.subscribed[form["hub.topic"]] = form

    def publish(self, path: str, id: str) -> None:
        """Add an item to a feed, and push it if somebody has asked for that."""
        self.items.setdefault(path, []).append(id)
        form = self.subscribed.get(f"{self.url}{path}")
        if form is not None and self.pushes is not None:
            body = self.document(path)
            self.sent += 1
            self.pushes.receive(
                form["hub.callback"].rpartition("/")[2], Push(body, signature(form["hub.secret"], body))
            )


@dataclass(frozen=True, slots=True)
class Run:
    """What came of some days: requests, what hubs sent, and when each item arrived after it was published."""

    requests: int
    sent: int
    delays: dict[str, float]
    saved: float
    """Polls that the broker says it was spared."""


def simulate(feeds: int, days: int, seed: int, *, push: bool) -> Run:
    """Run the poller, and with `push` the WebSub subscriber, over generated feeds for some days of an own clock."""
    clock, site = _Clock(), _Site()
    published = _schedule(feeds, days, seed)
    arrived: dict[str, float] = {}

    def insert(connection: Connection, new: Sequence[NewPublication]) -> Sequence[int | None]:
        for each in new:
            arrived.setdefault(each.id.rpartition(":")[2], clock.now)
        return publication_rows.insert_new(connection, new, received_at=clock.now, after_change=0)

    with memory_store() as store, serve_on_loopback(site.answer) as host:
        site.url = f"http://{host}"
        poller, requests = _poller(store, host, clock, insert, site, push=push)
        feed_list = FeedList(store, poller, clock=clock)
        for number in range(feeds):
            feed_list.add(f"{site.url}/{number}")
        for path, at, id in published:
            _work_until(at, clock, poller, requests)
            site.publish(path, id)
        _work_until(_START + days * DAY, clock, poller, requests)
        saved = sum(each.push.polls_saved for each in feed_list.health() if each.push is not None)
        poller.close()
        if requests is not None:
            requests.close()
    delays = {id: arrived[id] - at for _, at, id in published if id in arrived}
    return Run(site.requests, site.sent, delays, saved)


def _schedule(feeds: int, days: int, seed: int) -> list[tuple[str, float, str]]:
    """Return feed, time and id of each item; the last hours have none, so that every item is seen by a poll."""
    chosen = random.Random(seed)
    length = days * DAY - 2 * 3600
    made = [
        (f"/{number}", _START + chosen.uniform(DAY / 4, length), f"item-{number}-{item}")
        for number in range(feeds)
        for item in range(ITEMS_PER_DAY * days)
    ]
    return sorted(made, key=lambda each: each[1])


def _poller(
    store: Store, host: str, clock: _Clock, insert: InsertPublications, site: _Site, *, push: bool
) -> tuple[FeedPoller, HubRequests | None]:
    connector = Connector(allow={host})
    publisher = Publisher(lambda data, source: read_document(data, source=source), new_publication, insert)
    settings = PollingSettings(threads=4)
    settings = replace(settings, policy=replace(settings.policy, random=random.Random(1).random))
    poller = FeedPoller(store, connector, publisher, broker_id="broker", settings=settings, clock=clock)
    if not push:
        return poller, None
    asked = PushSettings("http://broker.example/websub")
    site.pushes = Pushes(store, poller, asked, clock=clock)
    poller.after_polls = site.pushes.after_polls
    return poller, HubRequests(store, connector, asked, broker_id="broker", clock=clock)


def _work_until(end: float, clock: _Clock, poller: FeedPoller, requests: HubRequests | None) -> None:
    """Do what becomes due until a time, each at its time."""
    working = [each for each in (requests, poller) if each is not None]
    while (due := min((at for each in working if (at := each.next_due()) is not None), default=end)) < end:
        clock.now = max(clock.now, due)
        for each in working:
            each.run_due()
    clock.now = end


@functools.cache
def _runs(feeds: int, days: int, seed: int) -> tuple[Run, Run]:
    polled, pushed = (simulate(feeds, days, seed, push=push) for push in (False, True))
    items = sorted(id for _, _, id in _schedule(feeds, days, seed))
    require_equal_answers(
        {"what was published": items, BROKER: sorted(polled.delays), PUSHED: sorted(pushed.delays)}, f"{feeds} feeds"
    )
    return polled, pushed


def _size(settings: ExperimentSettings) -> tuple[int, int]:
    """Return the number of feeds and of days."""
    return (3, 2) if settings.quick else (20, 7)


def _measure(readers: float, settings: ExperimentSettings) -> Sequence[Point]:
    feeds, days = _size(settings)
    polled, pushed = _runs(feeds, days, settings.seed)
    per_feed_and_day = 1 / feeds / days

    def point(curve: str, requests: float, run: Run) -> Point:
        delay = statistics.fmean(run.delays.values()) / 60
        return Point(curve, readers, requests * per_feed_and_day, {DELAY: delay})

    return [
        point(READERS, polled.requests * readers, polled),
        point(BROKER, polled.requests, polled),
        point(PUSHED, pushed.requests + pushed.sent, pushed),
    ]


def _fewer(one: str, other: str, at_most: float) -> Callable[[Curves], Finding]:
    def holds(curves: Curves) -> Finding:
        ratios = [first.y / second.y for first, second in curves.pairs(one, other)]
        if not ratios:
            return Finding(None, "")
        return Finding(max(ratios) <= at_most, f"{max(ratios):.3f} times as many")

    return holds


def _halved_from_ten_readers(curves: Curves) -> Finding:
    ratios = [broker.y / readers.y for broker, readers in curves.pairs(BROKER, READERS) if broker.x >= 10]
    if not ratios:
        return Finding(None, "")
    return Finding(max(ratios) < 0.5, f"{min(ratios):.3f} to {max(ratios):.3f} times as many")


def _independent(curves: Curves) -> Finding:
    values = [point.y for point in curves.get(BROKER, ())]
    if not values:
        return Finding(None, "")
    return Finding(min(values) == max(values), f"{values[0]:.1f} for each feed and day, whoever subscribes")


def _sooner(curves: Curves) -> Finding:
    pairs = curves.pairs(PUSHED, BROKER)
    if not pairs:
        return Finding(None, "")
    pushed, polled = pairs[0][0].measurements[DELAY], pairs[0][1].measurements[DELAY]
    return Finding(pushed < polled / 2, f"{pushed:.1f} minutes on average, and {polled:.1f} by polling")


POLLS = Experiment(
    name="gtopss-polls",
    paper=citations.GTOPSS,
    figure="Figures 2 and 3",
    title="requests that the site of a feed serves, by readers",
    paper_says="The new information system architecture significantly reduces the number of unnecessary polls of RSS "
    "feed sites (see Figure 3).",
    x_label="readers",
    y_label="requests and pushes for each feed and day",
    curves=(READERS, BROKER, PUSHED),
    xs=lambda settings: settings.choose((1, 10), (1, 10, 100, 1_000)) if settings.data == "synthetic" else (),
    measure=_measure,
    checks=(
        Check(
            "the broker significantly reduces the number of polls: to less than half, from 10 readers on",
            _halved_from_ten_readers,
        ),
        Check("ours, by construction: the polls of a feed's site do not grow with the number of readers", _independent),
        Check("ours: hubs that push leave at most a quarter of the broker's requests", _fewer(PUSHED, BROKER, 0.25)),
        Check("ours: an item that is pushed arrives in less than half of the time", _sooner),
    ),
    parameters={"items_per_day": ITEMS_PER_DAY, "listed_items": LISTED_ITEMS, "interval_seconds": 1_800},
    shown_measurements=(DELAY,),
    method="counted over seven days of an injected clock, with 20 feeds that are polled every 30 minutes",
)

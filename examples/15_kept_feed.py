"""Filter a feed twice into an Atom file that keeps what matched: the second run finds one new item."""

from pathlib import Path
from tempfile import TemporaryDirectory

from gtopss import Engine
from gtopss.feeds.writing import ATOM_10, FeedHeader
from gtopss.filtering.filter_run import FilterRun
from gtopss.filtering.kept_file import KeptFeed, KeptFile
from gtopss.filtering.seen_items import SeenItems
from gtopss.net import FetchState
from gtopss.reading.documents import read_document
from gtopss.reading.sources import SourceDocument

ITEM = "<item><guid>urn:example:{0}</guid><title>{0}</title></item>"
engine = Engine(matcher="naive")
engine.add('SELECT ?title { ?x rss:title ?title FILTER words(?title, "vaccine*") }', id="vaccines")

with TemporaryDirectory() as folder:
    state_file, kept_file = Path(folder) / "state", Path(folder) / "kept.atom"
    for titles in (["a vaccine", "football"], ["another vaccine", "a vaccine", "football"]):
        feed = f"<rss version='2.0'><channel>{''.join(map(ITEM.format, titles))}</channel></rss>"
        kept = KeptFile(kept_file, KeptFeed(ATOM_10, FeedHeader("Vaccines", "urn:example:vaccines")))
        with FetchState(state_file, exclusive=True) as state, SeenItems(state_file) as seen:
            run = FilterRun(engine, lambda each: read_document(each.data, source=each.name), print, seen)
            for publication, report in run.reports([SourceDocument("http://a.example/feed", feed.encode())]):
                if report.matches:
                    kept.add(publication, report)
            kept.write()
            run.commit(state)  # after the output is written
        count = kept_file.read_text().count("<entry>")
        print(f"{run.counts.items} items, {run.counts.new} new, {run.counts.matched} matched; the file has {count}")

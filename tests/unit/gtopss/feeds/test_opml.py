from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gtopss.errors import MalformedPublication
from gtopss.feeds import opml
from gtopss.feeds.opml import FeedEntry, read_opml, write_opml
from ontology.limits import DocumentLimits

OPML = b"""<?xml version="1.0" encoding="ISO-8859-1"?><opml version="1.1"><head><title>mine</title></head><body>
<outline text="News"><outline title="Caf\xe9" text="" type="rss" xmlUrl="http://a.example/feed" htmlUrl="http://a.example/"/>
<outline text="Science"><outline text="B" xmlurl="http://b.example/?a=1&amp;b=2"/></outline></outline>
<outline text="a note"/><outline xmlUrl="http://c.example/"/></body></opml>"""

words = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp", "Cn"]), min_size=1, max_size=12
)
entries = st.lists(
    st.builds(
        FeedEntry,
        title=words,
        feed_url=words.map("http://a.example/{}".format),
        html_url=st.none() | words.map("http://a.example/{}".format),
        folder=st.lists(words, max_size=3).map(tuple),
    ),
    max_size=8,
)


def test_folders_titles_and_addresses_are_read() -> None:
    assert read_opml(OPML) == (
        FeedEntry("Café", "http://a.example/feed", "http://a.example/", ("News",)),
        FeedEntry("B", "http://b.example/?a=1&b=2", None, ("News", "Science")),
        FeedEntry("http://c.example/", "http://c.example/"),
    )


@given(entries)
def test_what_is_written_is_read(given_entries: list[FeedEntry]) -> None:
    read = read_opml(write_opml(given_entries, "title & <more>"))
    key = lambda one: (one.folder, one.title, one.feed_url, one.html_url or "")  # noqa: E731
    assert sorted(read, key=key) == sorted(given_entries, key=key)
    assert read_opml(write_opml(read, "again")) == read


def test_stray_ampersands_are_forgiven() -> None:
    (one,) = read_opml(b'<opml><body><outline text="A & B" xmlUrl="http://a.example/?a&b"/></body></opml>')
    assert one == FeedEntry("A & B", "http://a.example/?a&b")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<opml><body>",
        b"<rss/>",
        b"<!DOCTYPE opml [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><opml><body><outline text='&a;'/></body></opml>",
        b"<opml><body>" + b"<outline>" * 5_000 + b"</outline>" * 5_000 + b"</body></opml>",
    ],
)
def test_what_is_no_opml_is_refused(data: bytes) -> None:
    with pytest.raises(MalformedPublication, match="from here"):
        read_opml(data, source="from here")


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with contextlib.suppress(MalformedPublication):
        read_opml(data)


def test_the_feeds_of_a_list_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opml, "DEFAULT_LIMITS", DocumentLimits(max_items=2))
    outline = '<outline xmlUrl="http://a.example/"/>'
    assert len(read_opml(f"<opml><body>{outline * 2}</body></opml>".encode())) == 2
    with pytest.raises(MalformedPublication, match="max_items"):
        read_opml(f"<opml><body>{outline * 3}</body></opml>".encode())

"""One vocabulary: every format describes an item with the same triples."""

from __future__ import annotations

import datetime as dt

from support.feed_samples import AS_ATOM, AS_JSON, AS_RSS1, AS_RSS2, only, rss, values

from gtopss.feeds.vocabulary import (
    CREATOR,
    DATE,
    DATE_TEXT,
    DESCRIPTION,
    ENCODED,
    IDENTIFIER,
    ISSUED,
    LINK,
    PART_OF,
    SUBJECT,
    TITLE,
)
from gtopss.model.terms import Term

NO_MODULES = {f"<{p}" for p in ("http://www.w3.org/2003/01/geo/wgs84_pos#lat>",)}


def test_all_formats_become_the_same_triples() -> None:
    read = {name: only(data.encode()) for name, data in
            {"rss1": AS_RSS1, "rss2": AS_RSS2, "atom": AS_ATOM, "json": AS_JSON}.items()}  # fmt: skip
    assert {one.id for one in read.values()} == {"http://c.example/1"}
    assert {one.published_at for one in read.values()} == {dt.datetime(2005, 2, 15, 7, 30, 51, tzinfo=dt.UTC)}
    differ = {DATE_TEXT, ISSUED, *NO_MODULES}  # how the date was written; RSS 1.0 has one date; JSON Feed no modules
    common = {name: {t for t in one.triples if t[1] not in differ} for name, one in read.items()}
    assert common["rss1"] == common["rss2"] == common["atom"] == common["json"]
    for property in (TITLE, LINK, DESCRIPTION, ENCODED, CREATOR, SUBJECT, DATE, IDENTIFIER, PART_OF):
        assert len(values(read["rss1"], property)) == 1, property
    assert values(read["rss2"], Term("<http://www.w3.org/2003/01/geo/wgs84_pos#lat>")) == ["45.5"]


def test_a_date_that_cannot_be_parsed_stays_a_text() -> None:
    one = only(rss("<item><title>t</title><pubDate>next Tuesday</pubDate></item>"))
    assert one.published_at is None
    assert values(one, DATE_TEXT) == ["next Tuesday"]
    assert values(one, DATE) == []

"""Polled feeds over HTTP."""

from __future__ import annotations

from support.feed_server import feed_server
from support.services import NoInternet, served

OPML = b"""<opml version="2.0"><body><outline text="A" xmlUrl="https://a.example/feed"/>
<outline text="B" xmlUrl="file:///etc/passwd"/></body></opml>"""


def test_a_feed_is_added_listed_and_removed() -> None:
    with feed_server() as host, served(allow=(host,)) as it:
        url = f"http://{host}/la-grange.atom"
        added = it.client.post("/feeds", json={"url": url})
        assert added.status_code == 201, added.text
        items = added.json()["items"]
        assert items > 0
        assert it.client.post("/feeds", json={"url": url}).status_code == 200
        (listed,) = it.client.get("/feeds").json()["feeds"]
        assert (listed["url"], listed["failures"], listed["last_error"]) == (url, 0, None)
        assert it.client.post("/feeds/fetch", params={"url": url}).status_code == 204
        assert it.client.delete("/feeds", params={"url": url}).status_code == 204
        assert it.client.delete("/feeds", params={"url": url}).status_code == 404
        assert len(it.client.get("/publications").json()["publications"]) == items


def test_a_list_of_feeds_is_read_and_written() -> None:
    with served() as it:
        found = it.client.post("/feeds.opml", content=OPML, headers={"Content-Type": "text/x-opml"}).json()
        assert (found["added"], [each["url"] for each in found["refused"]]) == (1, ["file:///etc/passwd"])
        written = it.client.get("/feeds.opml")
        assert b'xmlUrl="https://a.example/feed"' in written.content
        assert it.client.post("/feeds.opml", content=written.content).json()["known"] == 1
        assert it.client.post("/feeds.opml", content=b"<html>").status_code == 422


def test_an_inward_address_is_refused_without_a_connection() -> None:
    internet = NoInternet("10.0.0.1")
    with served(connector=internet.connector()) as it:
        for url in ("http://127.0.0.1/", "http://rebinding.example/", "http://169.254.169.254/latest/meta-data/"):
            response = it.client.post("/feeds", json={"url": url})
            assert (response.status_code, response.json()["type"]) == (422, "urn:gtopss:problem:blocked-address")
        assert internet.dialled == []

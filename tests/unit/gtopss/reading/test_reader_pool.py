from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from gtopss.reading.reader_pool import ReaderPool

FEED = "<rss version='2.0'><channel><item><guid>urn:item:{}</guid><title>x</title></item></channel></rss>"


def test_threads_share_the_readers() -> None:
    with ReaderPool(1) as pool, ThreadPoolExecutor(4) as threads:
        read = threads.map(
            lambda number: pool.read_document(FEED.format(number).encode(), "http://a.example/"), range(8)
        )
        assert [each.publications[0].id for each in read] == [f"urn:item:{number}" for number in range(8)]

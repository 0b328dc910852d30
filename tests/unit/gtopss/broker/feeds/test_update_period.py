from __future__ import annotations

import pytest

from gtopss.broker.feeds.update_period import update_period


@pytest.mark.parametrize(
    ("document", "seconds"),
    [
        (b"<rss><channel><ttl>60</ttl></channel></rss>", 3_600),
        (b"<rss><channel><ttl> 5 </ttl></channel></rss>", 300),
        (b"<rss><channel><ttl>soon</ttl></channel></rss>", 0),
        (b"<sy:updatePeriod>hourly</sy:updatePeriod>", 3_600),
        (b"<sy:updatePeriod>\n\tweekly\t</sy:updatePeriod><sy:updateFrequency>7</sy:updateFrequency>", 86_400),
        (b"<sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>0</sy:updateFrequency>", 86_400),
        (b"<sy:updatePeriod>hourly</sy:updatePeriod><ttl>180</ttl>", 10_800),
        (b"<sy:updatePeriod>sometimes</sy:updatePeriod>", 0),
        (b"<rss><item><ttl>60</ttl></item></rss>", 0),
        (b"", 0),
    ],
)
def test_the_period_of_a_feed(document: bytes, seconds: float) -> None:
    assert update_period(document) == seconds

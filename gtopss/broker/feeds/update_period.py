"""How often a feed says that it changes: `ttl` of RSS 2.0, and `sy:updatePeriod` of RSS 1.0's syndication module."""

from __future__ import annotations

import re

_HEAD_BYTES = 64 * 1024  # the channel's own elements stand before its items, as a rule
_FIRST_ITEM = re.compile(rb"<(?:[\w.-]+:)?(?:item|entry)[\s>/]", re.IGNORECASE)
_TTL = re.compile(rb"<ttl>\s*(\d{1,9})\s*</ttl>", re.IGNORECASE)
_PERIOD = re.compile(rb"<sy:updatePeriod>\s*(hourly|daily|weekly|monthly|yearly)\s*</", re.IGNORECASE)
_FREQUENCY = re.compile(rb"<sy:updateFrequency>\s*(\d{1,9})\s*</", re.IGNORECASE)
_HOUR = 3600.0
_PERIODS = {
    b"hourly": _HOUR,
    b"daily": 24 * _HOUR,
    b"weekly": 7 * 24 * _HOUR,
    b"monthly": 30 * 24 * _HOUR,
    b"yearly": 365 * 24 * _HOUR,
}


def update_period(document: bytes) -> float:
    """Return the seconds for which the feed asks not to be fetched again; 0 if it does not say so.

    >>> update_period(b"<rss><channel><ttl>90</ttl><item/></channel></rss>")
    5400.0
    >>> update_period(b"<rss><sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency></rss>")
    21600.0
    """
    head = document[:_HEAD_BYTES]
    first_item = _FIRST_ITEM.search(head)
    head = head[: first_item.start()] if first_item else head
    ttl, period, frequency = _TTL.search(head), _PERIOD.search(head), _FREQUENCY.search(head)
    asked = float(ttl[1]) * 60 if ttl else 0.0
    if period:
        times = max(1, int(frequency[1])) if frequency else 1
        asked = max(asked, _PERIODS[period[1].lower()] / times)
    return asked

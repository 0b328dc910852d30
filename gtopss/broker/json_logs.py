"""Logs as JSON, one object per line, with the ids of what a message is about."""

from __future__ import annotations

import datetime as dt
import json
import logging

LOGGED_IDS = (
    "publication",
    "number",
    "subscription",
    "delivery",
    "target",
    "feed",
    "hub",
    "follower",
    "owner",
    "broker",
    "request",
)
"""The attributes of log records that are ids: of publications, subscriptions, deliveries and so on."""

LOGGED_FIGURES = ("status", "seconds")
"""The attributes of log records that are figures: of a response over HTTP."""


class JsonFormatter(logging.Formatter):
    """Formats log records as JSON.

    >>> record = logging.makeLogRecord({"name": "gtopss.broker", "levelname": "INFO", "msg": "subscribed"})
    >>> record.subscription = "s1"
    >>> data = json.loads(JsonFormatter().format(record))
    >>> data["level"], data["logger"], data["message"], data["subscription"]
    ('INFO', 'gtopss.broker', 'subscribed', 's1')
    """

    def format(self, record: logging.LogRecord) -> str:
        data: dict[str, object] = {
            "time": dt.datetime.fromtimestamp(record.created, dt.UTC).isoformat(),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        for name in (*LOGGED_IDS, *LOGGED_FIGURES):
            if (value := getattr(record, name, None)) is not None:
                data[name] = value
        if record.exc_info:
            data["error"] = self.formatException(record.exc_info)
        return json.dumps(data, ensure_ascii=False, default=str)


def log_as_json(handler: logging.Handler, level: int = logging.INFO) -> None:
    """Write the logs of the broker to a handler, as JSON."""
    handler.setFormatter(JsonFormatter())
    logger = logging.getLogger("gtopss.broker")
    logger.addHandler(handler)
    logger.setLevel(level)

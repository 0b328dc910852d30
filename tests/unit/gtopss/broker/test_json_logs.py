from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest
from support.brokers import about, memory_broker, says

from gtopss.broker.json_logs import log_as_json


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """What is written to the logs of the broker, as JSON."""
    text = io.StringIO()
    handler, logger = logging.StreamHandler(text), logging.getLogger("gtopss.broker")
    level = logger.level
    log_as_json(handler, logging.DEBUG)
    yield text
    logger.removeHandler(handler)
    logger.setLevel(level)


def test_logs_have_the_ids_of_what_they_are_about(written: io.StringIO) -> None:
    with memory_broker() as broker:
        one = broker.subscribe(about("a"))
        broker.publish([says("p", "a"), "no publication"])
        broker.run_pending()
    lines = [json.loads(line) for line in written.getvalue().splitlines()]
    assert any(each["message"] == "subscribed" and each["subscription"] == one.id for each in lines)
    assert any(each["message"] == "accepted" and each["publication"] == "p" and each["number"] == 1 for each in lines)
    assert any(each["message"].startswith("refused a publication") for each in lines)


def test_an_error_is_written_with_its_traceback(written: io.StringIO) -> None:
    try:
        raise OSError("away")
    except OSError:
        logging.getLogger("gtopss.broker").exception("failed")
    assert "OSError: away" in json.loads(written.getvalue())["error"]

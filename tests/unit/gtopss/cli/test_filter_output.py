from __future__ import annotations

import pytest

from gtopss import Engine
from gtopss.cli.filter_output import Output, item_writer
from gtopss.feeds.writing import FeedHeader
from gtopss.filtering.publication_names import PublicationNames
from gtopss.model import Publication
from gtopss.model.terms import RDF_TYPE, literal

RSS = "http://purl.org/rss/1.0/"


def item(number: int, title: str = "title") -> Publication:
    node = f"<urn:{number}>"
    return Publication(
        f"urn:{number}", [(node, RDF_TYPE, f"<{RSS}item>"), (node, f"<{RSS}title>", literal(f"{title} {number}"))]
    )


@pytest.mark.parametrize("output", [*Output])
def test_every_item_is_written_at_once(output: Output, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """What is written for an item does not wait for the next one: any number of items takes no memory."""
    engine = Engine(matcher="naive")
    engine.add("SELECT ?t { ?x rss:title ?t }", id="all")
    with PublicationNames() as names:
        writer = item_writer(output, names, FeedHeader())
        for number in range(3):
            writer.add(item(number), engine.match(item(number)))
            _flush()
            assert f"title {number}".encode() in capfdbinary.readouterr().out
        writer.finish()


def test_a_title_does_not_control_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    engine = Engine(matcher="naive")
    engine.add("SELECT ?t { ?x rss:title ?t }", id="all")
    with PublicationNames() as names:
        writer = item_writer(Output.TABLE, names, FeedHeader())
        writer.add(item(1, "\x1b[2J\u202e"), engine.match(item(1, "\x1b[2J\u202e")))
    out = capsys.readouterr().out
    assert "\x1b[2J" not in out
    assert "\u202e" not in out


def _flush() -> None:
    import sys

    sys.stdout.flush()

"""The matches of an item as JSON objects, one per subscription."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gtopss.feeds.entries import entry_of
from gtopss.feeds.graph_names import graph_name
from gtopss.model import MatchReport, Publication
from gtopss.model.term_text import shorten

MAX_TITLE_CHARACTERS = 10_000
"""Characters of an item's title, and of its link, in a line of JSON. The middle of a longer one is left out."""


def match_lines(publication: Publication, report: MatchReport) -> Iterator[dict[str, Any]]:
    """Yield one object per match: the match, the item's title and link, and the source of its document."""
    entry = entry_of(publication)
    title = shorten(entry.title, MAX_TITLE_CHARACTERS)  # both are written with every match
    link = None if entry.link is None else shorten(entry.link, MAX_TITLE_CHARACTERS)
    name = graph_name(publication.id)  # as in N-Quads
    for match in report.matches_to_json():
        yield {**match, "publication": name, "title": title, "link": link, "source": publication.source}

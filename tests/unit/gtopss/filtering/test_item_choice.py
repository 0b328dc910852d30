from __future__ import annotations

import pytest
from support.feed_samples import rss

from gtopss.errors import MalformedPublication
from gtopss.filtering.item_choice import choose_item
from gtopss.reading.documents import read_document

ITEM = "<item><guid isPermaLink='false'>g{0}</guid><link>http://a.example/{0}</link><title>title {0}</title></item>"
ITEMS = read_document(rss("".join(map(ITEM.format, range(1, 13))))).publications


@pytest.mark.parametrize("wanted", ["3", "g3", "http://a.example/3", ITEMS[2].id])
def test_an_item_is_chosen_by_its_number_guid_link_or_id(wanted: str) -> None:
    assert choose_item(ITEMS, wanted, "feed") is ITEMS[2]


def test_the_only_item_needs_no_name() -> None:
    assert choose_item(ITEMS[:1], None, "feed") is ITEMS[0]


@pytest.mark.parametrize("wanted", ["0", "13", "²", "9" * 5_000, "http://a.example/13", "", None])
def test_what_names_no_item_is_an_error_that_lists_some(wanted: str | None) -> None:
    with pytest.raises(MalformedPublication, match=r"(?s)1  title 1\n.*and 2 more") as error:
        choose_item(ITEMS, wanted, "feed")
    assert len(str(error.value)) < 2_000


def test_a_document_without_items_says_so() -> None:
    with pytest.raises(MalformedPublication, match="it has no items"):
        choose_item((), None, "feed")

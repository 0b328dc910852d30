from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gtopss.filtering.seen_items import ITEM_RETENTION_SECONDS, SeenItems
from gtopss.net import FetchState, UnusableState

FEED, OTHER = "http://a.example/feed", "http://b.example/feed"
DAY = 24 * 3600.0


@pytest.fixture
def open_at(tmp_path: Path) -> Callable[[float], SeenItems]:
    FetchState(tmp_path / "state").close()
    return lambda now: SeenItems(tmp_path / "state", clock=lambda: now)


def read(seen: SeenItems, *ids: str, feed: str = FEED, digest: bytes = b"1", changed: bool = False) -> list[bool]:
    return [seen.is_new(feed, each, digest, or_changed=changed) for each in ids]


def test_an_item_is_new_once(open_at: Callable[[float], SeenItems]) -> None:
    with open_at(0) as first:
        assert read(first, "a", "b", "a") == [True, True, False]
        first.commit()
    with open_at(1) as second:
        assert read(second, "a", "c") == [False, True]
        assert read(second, "a", feed=OTHER) == [True]


def test_what_was_not_committed_is_new_again(open_at: Callable[[float], SeenItems]) -> None:
    with open_at(0) as crashed:
        assert read(crashed, "a") == [True]
    with open_at(1) as second:
        assert read(second, "a") == [True]


def test_a_changed_item_is_new_only_if_changes_are_asked_for(open_at: Callable[[float], SeenItems]) -> None:
    with open_at(0) as first:
        read(first, "a")
        first.commit()
    with open_at(1) as second:
        assert read(second, "a", digest=b"2") == [False]
        second.commit()
    with open_at(2) as third:
        assert read(third, "a", digest=b"2", changed=True) == [False]  # the change of yesterday is not news today
        assert read(third, "a", digest=b"3", changed=True) == [True]


def test_an_item_is_forgotten_30_days_after_its_feed_last_listed_it(open_at: Callable[[float], SeenItems]) -> None:
    assert ITEM_RETENTION_SECONDS == 30 * DAY
    with open_at(0) as first:
        read(first, "gone", "stays")
        first.commit()
    with open_at(20 * DAY) as second:
        assert read(second, "stays") == [False]
        second.commit()
    with open_at(31 * DAY) as third:
        third.commit()
        assert read(third, "gone", "stays") == [True, False]


@pytest.mark.parametrize("unchanged", [True, False])
def test_items_of_a_feed_that_sends_nothing_stay_known(
    open_at: Callable[[float], SeenItems], *, unchanged: bool
) -> None:
    """A feed that answers 304, or cannot be read, for months still lists what it listed when it is read again."""
    with open_at(0) as first:
        read(first, "a")
        read(first, "a", feed=OTHER)
        first.commit()
    for day in (20, 40, 60):
        with open_at(day * DAY) as run:
            if unchanged:
                run.still_lists_its_items(FEED)
            run.commit(() if unchanged else (FEED,))
    with open_at(61 * DAY) as last:
        assert read(last, "a") == [False]
        assert read(last, "a", feed=OTHER) == [True]  # nobody names this feed any more


def test_a_clock_that_was_wrong_does_not_keep_items_for_ever(open_at: Callable[[float], SeenItems]) -> None:
    with open_at(10_000 * DAY) as wrong:
        read(wrong, "a")
        wrong.commit()
    for day in (0, 31):
        with open_at(day * DAY) as run:
            run.commit()
    with open_at(31 * DAY) as last:
        assert read(last, "a") == [True]


def test_a_file_that_is_no_state_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("this is not a database, and it is longer than a header of SQLite would be" * 9)
    with pytest.raises(UnusableState, match="state"):
        SeenItems(tmp_path / "state")

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

import pytest

from gtopss import Publication
from gtopss.broker.store import publication_rows
from gtopss.broker.store.publication_rows import ClaimedPublications, NewPublication
from gtopss.broker.store.sqlite import memory_store
from gtopss.broker.store.store import Store


@pytest.fixture
def store() -> Iterator[Store]:
    with memory_store() as made:
        yield made


def new(name: str, digest: bytes = b"d") -> NewPublication:
    return NewPublication.of(Publication(name, [("<urn:a>", "<urn:p>", f"<urn:{name}>")]), digest)


def insert(store: Store, *made: NewPublication, at: float = 5.0, change: int = 0) -> list[int | None]:
    return store.write(
        lambda connection: publication_rows.insert_new(connection, made, received_at=at, after_change=change)
    )


def claim(store: Store, broker: str, now: float, *, operators: bool = False) -> ClaimedPublications:
    return store.write(
        lambda connection: publication_rows.claim(
            connection, broker, now=now, until=now + 10, limit=50, share=publication_rows.OPERATORS if operators else 0
        )
    )


def numbers(claimed: ClaimedPublications) -> list[int]:
    return [row.number for row in claimed.rows]


def test_a_publication_is_read_back_as_it_was() -> None:
    at = dt.datetime(2026, 5, 1, 12, tzinfo=dt.timezone(dt.timedelta(hours=2)))
    given = Publication("p", [("<urn:a>", "<urn:p>", '"x\\ny"'), ("_:b", "<urn:p>", 5)], source="s", published_at=at)
    with memory_store() as store:
        insert(store, NewPublication.of(given, b"d"))
        row = store.read(lambda connection: publication_rows.get_many(connection, [1, 2]))[1]
    received_at = dt.datetime.fromtimestamp(row.received_at, dt.UTC)
    assert row.publication() == given.replace(received_at=received_at)
    assert row.digest == b"d"


def test_a_publication_has_the_time_when_it_was_received(store: Store) -> None:
    insert(store, new("p"), at=60.0)
    row = store.read(lambda connection: publication_rows.newest(connection, 1))[0]
    assert row.publication().published_at is None
    assert row.publication().received_at == dt.datetime(1970, 1, 1, 0, 1, tzinfo=dt.UTC)


def test_the_same_id_and_digest_are_accepted_once(store: Store) -> None:
    assert insert(store, new("p"), new("q"), new("p")) == [1, 2, None]
    assert insert(store, new("p", b"other"), new("q")) == [3, None]
    assert insert(store) == []


def test_a_claimed_publication_is_nobody_elses_until_the_lease_has_run_out(store: Store) -> None:
    insert(store, new("p"), new("q"))
    one = claim(store, "one", 0.0)
    assert numbers(one) == [1, 2]
    assert numbers(claim(store, "two", 9.9)) == []
    two = claim(store, "two", 10.0)
    assert numbers(two) == [1, 2]

    def finish(claimed: ClaimedPublications) -> set[int]:
        return store.write(
            lambda connection: publication_rows.finish_matching(connection, claimed.holder, [1, 2], operators_due=False)
        )

    assert finish(one) == set()
    assert finish(two) == {1, 2}
    assert finish(two) == set()
    assert numbers(claim(store, "two", 100.0)) == []


def test_a_claim_has_a_limited_size(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publication_rows, "MAX_CLAIMED_BYTES", 2 * len(new("p").lines))
    large = NewPublication.of(Publication("large", [("<urn:a>", "<urn:p>", f"<urn:{'x' * 200}>")]), b"d")
    insert(store, new("p"), new("q"), new("r"), large, new("s"))
    assert [numbers(claim(store, "b", 1.0)) for _ in range(5)] == [[1, 2], [3], [4], [5], []]


def test_the_second_step_is_claimed_after_the_first_and_may_be_repeated_later(store: Store) -> None:
    insert(store, new("p"))
    assert numbers(claim(store, "one", 0.0, operators=True)) == []
    holder = claim(store, "one", 0.0).holder
    store.write(lambda connection: publication_rows.finish_matching(connection, holder, [1], operators_due=True))
    second = claim(store, "one", 0.0, operators=True)
    assert numbers(second) == [1]
    assert store.read(publication_rows.oldest_waiting) == 5.0
    store.write(lambda connection: publication_rows.finish_operators(connection, second.holder, [1], retry_at=30.0))
    assert numbers(claim(store, "one", 29.0, operators=True)) == []
    third = claim(store, "one", 30.0, operators=True)
    assert numbers(third) == [1]
    assert store.read(lambda connection: publication_rows.operator_attempts(connection, [1])) == {1: 1}
    assert store.write(lambda connection: publication_rows.finish_operators(connection, third.holder, [1])) == {1}
    assert store.read(publication_rows.oldest_waiting) is None
    assert store.read(publication_rows.count_waiting) == 0


def test_the_newest_publications_are_chosen_by_change_and_size(store: Store) -> None:
    insert(store, new("p"), new("q"), change=1)
    insert(store, new("r"), change=2)

    def newest(limit: int, **chosen: int) -> list[str]:
        rows = store.read(lambda connection: publication_rows.newest(connection, limit, **chosen))
        return [row.id for row in rows]

    assert newest(10) == ["p", "q", "r"]
    assert newest(2) == ["q", "r"]
    before = store.read(lambda connection: publication_rows.newest_numbers(connection, 10, before_change=2))
    assert before == [2, 1]
    assert newest(10, bytes_limit=2 * len(new("r").lines)) == ["q", "r"]


def test_errors_are_recorded(store: Store) -> None:
    insert(store, new("p"), new("q"))
    store.write(lambda connection: publication_rows.set_errors(connection, {2: "broken"}))
    assert store.read(lambda connection: publication_rows.errors(connection, 10)) == [(2, "q", "broken")]

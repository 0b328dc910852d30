from __future__ import annotations

from pathlib import Path

import pytest

from gtopss.broker.errors import InvalidStoreURL
from gtopss.broker.store.open_store import open_store


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("", "not a URL"),
        ("broker.db", "not a URL"),
        ("memory:name", "has no name"),
        ("sqlite:", "no path"),
        ("sqlite::memory:", "no path"),
        ("sqlite://host/a.db", "no path"),
        ("mysql://host/a", "'mysql' is not a kind of store"),
        ("postgresql:", "cannot be parsed"),
        ("postgresql://user:secret@host:port/a", "cannot be parsed"),
        ("postgresql://user:secret@host", "names no database"),
    ],
)
def test_a_wrong_url_is_explained(url: str, reason: str) -> None:
    with pytest.raises(InvalidStoreURL, match=reason) as caught:
        open_store(url)
    assert "use memory:, sqlite:PATH or postgresql://USER@HOST/DATABASE" in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("form", ["sqlite:{}", "sqlite:///{}"])
def test_a_path_is_taken_as_it_is(form: str, tmp_path: Path) -> None:
    path = tmp_path / "a b%20?.db"
    with open_store(form.format(path)) as store:
        assert store.durable
        assert path.exists()


def test_every_kind_is_opened_by_its_url(store_url: str) -> None:
    with open_store(store_url) as store:
        assert store.durable == (store_url != "memory:")
        assert store.name.partition(":")[0] == store_url.partition(":")[0]

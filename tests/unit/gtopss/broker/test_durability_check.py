from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import delete

from gtopss.broker import durability_check
from gtopss.broker.durability_check import check_durability
from gtopss.broker.errors import InvalidSetting
from gtopss.broker.store.open_store import open_store
from gtopss.broker.store.tables import publications


@pytest.mark.slow
def test_killed_brokers_lose_nothing_and_a_loss_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:{tmp_path / 'check.db'}"
    report = check_durability(url, 0, kill_after=lambda: 25)
    assert (report.kills, report.lost) == (1, [])
    assert report.publications + report.subscriptions >= 25
    with pytest.raises(InvalidSetting, match="it has data"):
        check_durability(url, 0)

    stored = durability_check._stored

    def with_a_loss(store: object) -> set[str]:
        store.write(lambda connection: connection.execute(delete(publications).where(publications.c.id == "k0-3")))  # type: ignore[attr-defined]
        return stored(store)  # type: ignore[arg-type]

    monkeypatch.setattr(durability_check, "_stored", with_a_loss)
    other = f"sqlite:{tmp_path / 'other.db'}"
    assert check_durability(other, 0, kill_after=lambda: 25).lost == ["k0-3"]
    with open_store(other) as store:
        assert "k0-3" not in stored(store)

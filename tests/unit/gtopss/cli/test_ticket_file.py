from __future__ import annotations

import threading
from pathlib import Path

import pytest

from gtopss.cli.errors import UnknownTicket, UnusableTicketFile
from gtopss.cli.ticket_file import KeptTicket, TicketFile, default_path


def kept(id: str) -> KeptTicket:
    return KeptTicket(id, f"gt_{id}", "http://127.0.0.1:8080", "topic:health", "2026-01-01T00:00:00+00:00")


def test_a_ticket_is_kept_found_and_forgotten(tmp_path: Path) -> None:
    file = TicketFile(tmp_path / "state" / "tickets.json")
    assert file.all() == []
    file.keep(kept("a"))
    file.keep(kept("b"))
    assert file.get("a") == kept("a")
    file.forget("a")
    file.forget("a")
    assert file.all() == [kept("b")]
    with pytest.raises(UnknownTicket, match="--ticket"):
        file.get("a")


def test_only_the_user_can_read_it(tmp_path: Path) -> None:
    file = TicketFile(tmp_path / "state" / "tickets.json")
    file.keep(kept("a"))
    assert file.path.stat().st_mode & 0o777 == 0o600
    assert file.path.parent.stat().st_mode & 0o777 == 0o700
    file.path.chmod(0o644)
    file.keep(kept("b"))
    assert file.path.stat().st_mode & 0o777 == 0o600
    assert "gt_" not in repr(kept("a"))


def test_commands_at_the_same_time_lose_no_ticket(tmp_path: Path) -> None:
    names = {f"s{number}" for number in range(20)}
    threads = [
        threading.Thread(target=lambda name=name: TicketFile(tmp_path / "t.json").keep(kept(name))) for name in names
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert {each.id for each in TicketFile(tmp_path / "t.json").all()} == names


@pytest.mark.parametrize("content", ["", "[]", '{"tickets": []}', '{"tickets": {"a": {}}}', '{"tickets": {"a": 1}}'])
def test_a_damaged_file_is_named_and_not_changed(tmp_path: Path, content: str) -> None:
    path = tmp_path / "t.json"
    path.write_text(content)
    with pytest.raises(UnusableTicketFile, match=r"t\.json cannot be read"):
        TicketFile(path).keep(kept("a"))
    assert path.read_text() == content


def test_the_folder_is_that_of_xdg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/somewhere")
    assert default_path() == Path("/somewhere/gtopss/tickets.json")
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    monkeypatch.setenv("HOME", "/home/me")
    assert default_path() == Path("/home/me/.local/state/gtopss/tickets.json")

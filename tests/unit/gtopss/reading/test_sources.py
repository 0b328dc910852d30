from __future__ import annotations

import errno
import io
import os
import sys
from pathlib import Path

import pytest
from support.feed_server import feed_server

from gtopss.errors import MalformedPublication
from gtopss.net import BlockedAddress, Connector, FetchState, UnsupportedScheme
from gtopss.reading import files
from gtopss.reading.sources import empty_folders, read_sources


def test_a_url_is_downloaded_with_the_connector_and_unchanged_the_second_time() -> None:
    with feed_server() as server, FetchState() as state:
        url = f"http://{server}/feed"
        (refused,) = read_sources([url], connector=Connector())
        assert isinstance(refused.error, BlockedAddress)
        (document,) = read_sources([url], connector=Connector(allow={server}))
        assert document.data.startswith(b"<?xml")
        assert document.response is not None
        (first,) = read_sources([url], connector=Connector(allow={server}), state=state)
        assert first.response is not None
        state.commit(first.response)
        (second,) = read_sources([url], connector=Connector(allow={server}), state=state)
        assert second.unchanged


def test_the_feeds_of_an_opml_list_are_downloaded_and_a_bad_list_is_refused(tmp_path: Path) -> None:
    with feed_server() as server:
        (tmp_path / "good.opml").write_text(f'<opml><body><outline xmlUrl="http://{server}/a"/></body></opml>')
        (tmp_path / "bad.opml").write_text("<opml><body>")
        bad, good = read_sources([str(tmp_path)], connector=Connector(allow={server}))
        assert isinstance(bad.error, MalformedPublication)
        assert good.name == f"http://{server}/a"
        assert good.error is None


def test_files_come_first_and_hidden_ones_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "b.ttl").write_text("<urn:a> a <urn:b> .")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "c.ttl").write_text("")
    (tmp_path / ".hidden").write_text("")
    found = list(read_sources(["ftp://a.example/", str(tmp_path), str(tmp_path / "missing")], connector=Connector()))
    names = [str(tmp_path / "a" / "c.ttl"), str(tmp_path / "b.ttl"), str(tmp_path / "missing"), "ftp://a.example/"]
    assert [document.name for document in found] == names
    assert [type(document.error) for document in found[2:]] == [MalformedPublication, UnsupportedScheme]


def test_a_large_file_is_refused_and_standard_input_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_DOCUMENT_BYTES", 2**20)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"<rss/>")))
    (tmp_path / "large").write_bytes(bytes(2**20 + 1))
    large, stdin = read_sources([str(tmp_path / "large"), "-"], connector=Connector())
    assert "larger than 1 MiB" in str(large.error)
    assert (stdin.name, stdin.data) == ("standard input", b"<rss/>")


def test_what_is_named_twice_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "a.ttl").write_text("<urn:a> <urn:p> <urn:b> .")
    twice = [str(tmp_path), str(tmp_path / "a.ttl"), str(tmp_path / "." / "a.ttl")]
    assert [each.name for each in read_sources(twice, connector=Connector())] == [str(tmp_path / "a.ttl")]
    urls = ["http://127.0.0.1:1/f", "HTTP://127.0.0.1:1/f", "http://LOCALHOST:1/f", "http://localhost:1/f"]
    assert len(list(read_sources(urls, connector=Connector()))) == 2
    assert len(list(read_sources(["http://127.0.0.1:1/f", "http://127.0.0.1:1/F"], connector=Connector()))) == 2


def test_files_that_are_left_out_are_not_read_in_their_directory(tmp_path: Path) -> None:
    for name in ("a.ttl", "out.atom"):
        (tmp_path / name).write_text("<urn:a> <urn:p> <urn:b> .")
    found = read_sources([str(tmp_path)], connector=Connector(), left_out=[tmp_path / "out.atom"])
    assert [each.name for each in found] == [str(tmp_path / "a.ttl")]


def test_a_folder_that_cannot_be_read_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("locked", "open"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.ttl").write_text("<urn:a> a <urn:b> .")
    scandir = os.scandir

    def refuse_locked(path: str) -> object:
        if str(path).endswith("locked"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse_locked)
    locked, read = read_sources([str(tmp_path)], connector=Connector())
    reason = f"publication '{tmp_path / 'locked'}': the folder cannot be read: Permission denied"
    assert (str(locked.error), read.error) == (reason, None)
    assert empty_folders([str(tmp_path / "locked")]) == []

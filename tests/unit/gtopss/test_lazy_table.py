"""The table of classes that are imported on first use."""

from __future__ import annotations

import sys

import pytest

from gtopss.lazy_table import LazyTable


def table() -> LazyTable[object]:
    return LazyTable("json", {"encoder": ("encoder", "JSONEncoder"), "missing": ("no_such_module", "Nothing")})


def test_a_module_is_imported_when_its_class_is_first_used() -> None:
    sys.modules.pop("json.tool", None)
    lazy: LazyTable[object] = LazyTable("json", {"tool": ("tool", "main")})
    assert "json.tool" not in sys.modules
    assert callable(lazy["tool"])
    assert "json.tool" in sys.modules


def test_names_are_known_without_an_import() -> None:
    assert list(table()) == ["encoder", "missing"]
    assert len(table()) == 2
    assert "missing" in table()
    assert "other" not in table()
    with pytest.raises(KeyError):
        table()["other"]


def test_a_class_can_be_added_replaced_and_removed() -> None:
    lazy = table()
    lazy["other"], lazy["missing"] = str, int
    assert list(lazy) == ["encoder", "missing", "other"]
    assert (lazy["other"], lazy["missing"]) == (str, int)
    del lazy["missing"], lazy["encoder"]
    assert list(lazy.items()) == [("other", str)]

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest
from owlready2 import reasoning

from ontology.pellet_classes import lowered_class_versions


def test_classes_for_a_newer_java_are_copied_with_a_lower_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = b"\xca\xfe\xba\xbe\x00\x00"
    jar = tmp_path / "some.jar"
    with zipfile.ZipFile(jar, "w") as made:
        made.writestr("a/Old.class", head + b"\x00\x34old")
        made.writestr("a/New.class", head + b"\x00\x45new")
        made.writestr("META-INF/versions/9/module-info.class", head + b"\x00\x45meta")
        made.writestr("a/text.txt", "text")
    monkeypatch.setattr(reasoning, "_PELLET_CLASSPATH", str(jar))
    with lowered_class_versions():
        first, second = reasoning._PELLET_CLASSPATH.split(os.pathsep)
        assert second == str(jar)
        with zipfile.ZipFile(first) as lowered:
            assert {name: lowered.read(name) for name in lowered.namelist()} == {"a/New.class": head + b"\x00\x34new"}
    assert str(jar) == reasoning._PELLET_CLASSPATH
    assert not Path(first).exists()

"""Libraries that are not installed."""

from __future__ import annotations

import pytest

from gtopss.model import Publication
from gtopss.model.expressions import call
from gtopss.model.terms import literal
from gtopss.operators import REGISTRY, MissingLibrary, OperatorStage
from gtopss.operators.shipped import libraries, text


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MissingLibrary, match=r"no_such_library.*pip install 'gtopss\[operators\]'"):
        libraries.import_library("someOperator", "no_such_library")
    monkeypatch.setattr(text, "_identifier", lambda: libraries.import_library("languageOf", "no_such_library"))
    stage = OperatorStage(REGISTRY)
    stage.add(("s", 0), [call("languageOf", literal("un texte"), "?language")])
    report = stage.evaluate(Publication("p", []), {("s", 0): [{}]})
    assert "pip install" in report.undecided["s", 0][0].detail

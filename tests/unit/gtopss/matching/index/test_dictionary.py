from __future__ import annotations

import pytest

from gtopss import Engine
from gtopss.errors import GtopssError
from gtopss.matching.index import dictionary


def test_more_terms_than_the_index_can_number_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine()
    engine.add("ASK { <urn:a> <urn:p> <urn:b> }")
    monkeypatch.setattr(dictionary, "MAX_TERMS", 3)
    with pytest.raises(GtopssError, match="mention more than 3 different terms"):
        engine.add("ASK { <urn:c> <urn:q> <urn:d> }")
    assert len(engine.match(b"<urn:a> <urn:p> <urn:b> .", "nt")) == 1

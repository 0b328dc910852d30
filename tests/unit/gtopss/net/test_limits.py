from __future__ import annotations

import pytest

from gtopss.net.errors import DeadlineExceeded
from gtopss.net.limits import Deadline


def test_a_deadline_counts_down_and_names_the_stage_that_exceeds_it() -> None:
    now = 100.0
    deadline = Deadline(3.0, url="http://a.example/", clock=lambda: now)
    assert deadline.remaining("looking up") == 3.0
    now = 102.5
    assert deadline.remaining("connecting") == 0.5
    now = 103.0
    with pytest.raises(DeadlineExceeded, match=r"http://a\.example/.*3.*reading") as caught:
        deadline.remaining("reading")
    assert caught.value.url == "http://a.example/"

"""Different answers stop an experiment."""

from __future__ import annotations

import pytest

from gtopss.experiments.answer_agreement import Disagreement, require_equal_answers


def test_a_disagreement_names_both_systems() -> None:
    require_equal_answers({"one": {1}, "other": {1}}, "here")
    with pytest.raises(Disagreement, match="liar and honest give different answers at 9 subscriptions"):
        require_equal_answers({"honest": {1}, "liar": set()}, "9 subscriptions")

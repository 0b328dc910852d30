"""Operator stages: the survivors that most tests evaluate."""

from __future__ import annotations

from gtopss.operators import OperatorStage
from gtopss.operators.conjunction import Values
from gtopss.operators.conjunction_table import BranchKey


def all_survivors(stage: OperatorStage) -> dict[BranchKey, list[Values]]:
    """All registered conjunctions, each with one empty row."""
    return {key: [{}] for key in stage.keys()}  # noqa: SIM118  # a stage is not a dict

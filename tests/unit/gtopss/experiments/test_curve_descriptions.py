"""Captions say how to read a plot, and what its curves are."""

from __future__ import annotations

from gtopss.experiments.curve_descriptions import CURVE_DESCRIPTIONS, describe_curves
from gtopss.experiments.curve_styles import CURVE_STYLES


def test_a_caption_names_the_curves_of_the_plot_in_their_order() -> None:
    said = describe_curves(["ops", "gm", "gm, 64 at a time"])
    assert said.startswith("Lower is better. ops: OPS, with which the paper compares G-ToPSS; gm: G-ToPSS")
    assert said.endswith("the default engine; gm, 64 at a time: its time per publication in batches of 64.")
    assert describe_curves(["something else"]) == "Lower is better."


def test_every_description_is_of_a_curve_that_exists() -> None:
    assert set(CURVE_DESCRIPTIONS) <= set(CURVE_STYLES)

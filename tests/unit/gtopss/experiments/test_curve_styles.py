from __future__ import annotations

from gtopss.experiments.curve_styles import CURVE_STYLES, styles_of
from gtopss.experiments.papers.experiment_table import EXPERIMENTS


def test_every_curve_of_the_papers_pages_has_a_style_of_its_own() -> None:
    names = {name for experiment in EXPERIMENTS.values() for name in experiment.curves}
    assert names == set(CURVE_STYLES)
    assert len(set(CURVE_STYLES.values())) == len(CURVE_STYLES)


def test_curves_of_one_plot_differ_in_colour_or_marker() -> None:
    for experiment in EXPERIMENTS.values():
        looks = [style[:2] for style in styles_of(experiment.curves).values()]
        assert len(set(looks)) == len(looks), experiment.name


def test_other_names_get_styles_that_no_other_curve_of_the_plot_has() -> None:
    made = styles_of(["gm", "one", "two", "reference"])
    assert made["gm"] == CURVE_STYLES["gm"]
    assert len(set(made.values())) == 4

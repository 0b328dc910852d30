"""Line plots as they are drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from gtopss.experiments.line_plots import PlotLabels, draw_lines

LABELS = PlotLabels("Time by size", "size", "ms", note="The paper: nothing.")


@pytest.mark.parametrize("ys", [(20, 60, 90), (0.02, 0.5, 300), (1_000, 20_000, 30_000)])
def test_ticks_are_plain_numbers_on_logarithmic_axes(tmp_path: Path, ys: tuple[float, ...]) -> None:
    path = tmp_path / "plot.svg"
    draw_lines(path, LABELS, {"gm": list(zip((1_000, 10_000, 30_000), ys, strict=True))})
    drawn = path.read_text(encoding="utf-8")
    assert "1,000" in drawn
    assert "×" not in drawn  # 6 × 10^1
    assert "^{" not in drawn


def test_the_same_data_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one.svg", "other.svg"):
        draw_lines(tmp_path / name, LABELS, {"gm": [(1, 2), (2, 3)]}, scale="linear")
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "other.svg").read_bytes()


def test_few_numbers_are_under_a_short_logarithmic_axis(tmp_path: Path) -> None:
    """30,000 and 40,000 beside 60,000 would overlap."""
    path = tmp_path / "plot.svg"
    draw_lines(path, LABELS, {"gm": [(25_000, 1), (100_000, 30), (800_000, 100)]})
    drawn = path.read_text(encoding="utf-8")
    assert [number in drawn for number in (">200,000<", ">50,000<", ">500,000<")] == [True, True, True]
    assert [number in drawn for number in (">30,000<", ">40,000<", ">60,000<")] == [False, False, False]


def test_a_long_label_of_the_y_axis_is_wrapped(tmp_path: Path) -> None:
    path = tmp_path / "plot.svg"
    labels = PlotLabels("Work", "size", "predicates, additions and comparisons per event")
    draw_lines(path, labels, {"gm": [(1, 2), (2, 3)]})
    assert labels.y_label not in path.read_text(encoding="utf-8")

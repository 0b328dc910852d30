"""Draw a diagram as SVG: one self-contained element without scripts, links or style sheets.

Presentation is in attributes, because a style sheet would also apply to the notebook page around the element.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise
from typing import Literal

from gtopss.explain.diagram import Arrow, Diagram, Node, Note, make_diagram
from gtopss.explain.diagram_style import (
    BACKGROUND_COLOUR,
    MAX_LABEL_CHARACTERS,
    MAX_LINE_CHARACTERS,
    STATE_COLOURS,
    SUBTITLE_COLOUR,
    TEXT_COLOUR,
    VARIABLE_FILL_COLOUR,
)
from gtopss.explain.explanation import BranchExplanation, Explanation, Prefixes
from gtopss.explain.graph_layout import Box, Layout, Route, lay_out
from gtopss.model.term_text import shorten

_FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
# All lengths are in pixels.
_CHARACTER_WIDTH, _LINE_HEIGHT = 7.3, 17.0  # of a monospaced font of 12 pixels
_PADDING, _MARGIN, _HEADER_HEIGHT = 10.0, 18.0, 60.0
_ARROW_HEAD_LENGTH = 8.0
_LOOP_HEIGHT = 26.0  # of a loop over the node, or over the loop below it


def svg(explanation: Explanation, branch: BranchExplanation, prefixes: Prefixes) -> str:
    """Return the diagram of one branch as an SVG element."""
    diagram = make_diagram(explanation, branch, prefixes)
    arrows = [arrow for arrow in diagram.arrows if arrow.source != arrow.target]
    loops = [_loops(number, diagram.arrows) for number in range(len(diagram.nodes))]
    layout = lay_out(
        [_size(node, above) for node, above in zip(diagram.nodes, loops, strict=True)],
        [(arrow.source, arrow.target) for arrow in arrows],
        [(_label_width(arrow), _LINE_HEIGHT) for arrow in arrows],
    )
    layout = replace(layout, nodes=tuple(map(_without_loops, layout.nodes, loops)))
    drawn = [*_arrows(arrows, layout)]
    for node, above, box in zip(diagram.nodes, loops, layout.nodes, strict=True):
        drawn += [*_node(node, box), *_loop_lines(above, box)]
    title_colour = STATE_COLOURS["matched" if explanation.matched else "failing"]
    return _page(diagram, title_colour, layout.width, layout.height, drawn)


def _page(diagram: Diagram, title_colour: str, graph_width: float, graph_height: float, drawn: Sequence[str]) -> str:
    """Return the whole element: title and subtitle, the drawn graph, and the notes below it."""
    lines = (diagram.title, diagram.subtitle, *(note.marked_text for note in diagram.notes))
    notes_top = _HEADER_HEIGHT + graph_height + _MARGIN
    width = max(graph_width, *(_width(shorten(line, MAX_LINE_CHARACTERS)) for line in lines)) + 2 * _MARGIN
    height = notes_top + (_LINE_HEIGHT * len(diagram.notes) + _PADDING if diagram.notes else 0)
    title = escape(diagram.title)
    title_style = _TextStyle(title_colour, MAX_LINE_CHARACTERS, bold=True)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{title}" width="{width:.0f}" '
        f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" font-family="{_FONT}" font-size="12">',
        f"<title>{title}</title>",
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="{BACKGROUND_COLOUR}"/>',
        _text(_MARGIN, 20, diagram.title, title_style),
        _text(_MARGIN, 38, diagram.subtitle, _TextStyle(SUBTITLE_COLOUR, MAX_LINE_CHARACTERS)),
        f'<g transform="translate({_MARGIN:.0f} {_HEADER_HEIGHT:.0f})">',
        *drawn,
        "</g>",
    ]
    for number, note in enumerate(diagram.notes):
        style = _TextStyle(STATE_COLOURS[note.state], MAX_LINE_CHARACTERS)
        parts.append(_note(_MARGIN, notes_top + _LINE_HEIGHT * (number + 0.5), note, style))
    return "\n".join([*parts, "</svg>"]) + "\n"


# --- text ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _TextStyle:
    """How a line of text is written. A text above `max_characters` is shortened."""

    colour: str
    max_characters: int = MAX_LABEL_CHARACTERS
    bold: bool = False
    anchor: Literal["start", "middle"] = "start"


def _width(text: str) -> float:
    wide = sum(unicodedata.east_asian_width(each) in "WF" for each in text)
    return (len(text) + wide) * _CHARACTER_WIDTH


def _text(x: float, y: float, text: str, style: _TextStyle, tooltip: str = "") -> str:
    """Write one line of text, vertically centred on y. A shortened text is shown whole in the tooltip."""
    shown = shorten(text, style.max_characters)
    hidden = "\n".join(part for part in (text if shown != text else "", tooltip) if part)
    title = f"<title>{escape(hidden)}</title>" if hidden else ""
    weight = ' font-weight="600"' if style.bold else ""
    return (
        f'<text x="{x:.1f}" y="{y + 4.2:.1f}" text-anchor="{style.anchor}" fill="{style.colour}"{weight} '
        f'xml:space="preserve">{title}{escape(shown)}</text>'
    )


def _note(x: float, y: float, note: Note, style: _TextStyle) -> str:
    return _text(x, y, note.marked_text, style, note.tooltip)


# --- nodes ---------------------------------------------------------------------------------------------------


def _node(node: Node, box: Box) -> Iterator[str]:
    radius = 12 if node.variable else 3
    failing = any(note.state == "failing" for note in node.notes)
    colour = STATE_COLOURS["failing" if failing else node.state]
    fill = VARIABLE_FILL_COLOUR if node.variable else BACKGROUND_COLOUR
    yield (
        f'<rect x="{box.left:.1f}" y="{box.top:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" '
        f'rx="{radius}" fill="{fill}" stroke="{colour}" stroke-width="1.4"{_dash(failing)}/>'
    )
    y = box.top + _PADDING / 2 + _LINE_HEIGHT / 2
    yield _text(box.x, y, node.label, _TextStyle(TEXT_COLOUR, bold=True, anchor="middle"))
    if node.value is not None:
        y += _LINE_HEIGHT
        yield _text(box.x, y, f"= {node.value}", _TextStyle(TEXT_COLOUR, anchor="middle"))
    for note in node.notes:
        y += _LINE_HEIGHT
        yield _note(box.x, y, note, _TextStyle(STATE_COLOURS[note.state], anchor="middle"))


def _size(node: Node, loops: Sequence[_Loop]) -> tuple[float, float]:
    """Return the width and height that a node needs, including the loops above it."""
    lines = node.lines()
    width = max(_width(shorten(line, MAX_LABEL_CHARACTERS)) for line in lines) + 2 * _PADDING
    reach = loops[-1].reach if loops else 0.0
    return max(width, 2 * (reach + 16)), len(lines) * _LINE_HEIGHT + _PADDING + len(loops) * _LOOP_HEIGHT


def _without_loops(box: Box, loops: Sequence[_Loop]) -> Box:
    """Return the node's own rectangle: its box less the space for the loops above it."""
    space = len(loops) * _LOOP_HEIGHT
    return Box(box.x, box.y + space / 2, box.width, box.height - space)


# --- loops ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Loop:
    """An edge from a node to itself: an arc above the node that extends by `reach` to either side."""

    arrow: Arrow
    reach: float


def _loops(node: int, arrows: Sequence[Arrow]) -> list[_Loop]:
    """Return the node's loops, the innermost first. Each extends beyond its label and beyond the loop inside it."""
    loops = list[_Loop]()
    for arrow in sorted((a for a in arrows if a.source == a.target == node), key=_label_width):
        inside = loops[-1].reach + _ARROW_HEAD_LENGTH if loops else 0.0
        loops.append(_Loop(arrow, max(_label_width(arrow) / 2 + _ARROW_HEAD_LENGTH, inside)))
    return loops


def _loop_lines(loops: Sequence[_Loop], box: Box) -> Iterator[str]:
    head = _ARROW_HEAD_LENGTH
    for number, loop in enumerate(loops, start=1):
        left, right, top = box.x - loop.reach, box.x + loop.reach, box.top - number * _LOOP_HEIGHT + _LINE_HEIGHT / 2
        path = (
            f"M{left:.1f} {box.top:.1f} V{top + 8:.1f} Q{left:.1f} {top:.1f} {left + 8:.1f} {top:.1f} "
            f"H{right - 8:.1f} Q{right:.1f} {top:.1f} {right:.1f} {top + 8:.1f} V{box.top - head:.1f}"
        )
        yield _line(path, loop.arrow)
        yield _arrow_head((right, box.top), (right - 4, box.top - head), (right + 4, box.top - head), arrow=loop.arrow)
        yield from _label(loop.arrow, Box(box.x, top, _label_width(loop.arrow), _LINE_HEIGHT))


# --- arrows --------------------------------------------------------------------------------------------------


def _arrows(arrows: Sequence[Arrow], layout: Layout) -> Iterator[str]:
    """Draw all lines before all labels, so that no line crosses out a label."""
    heights = _end_heights(arrows, layout)
    for number, (arrow, route) in enumerate(zip(arrows, layout.routes, strict=True)):
        yield from _curve(arrow, route, layout, *heights[number])
    for arrow, route in zip(arrows, layout.routes, strict=True):
        yield from _label(arrow, route.label)


def _label(arrow: Arrow, box: Box) -> Iterator[str]:
    yield (
        f'<rect x="{box.left:.1f}" y="{box.top:.1f}" width="{box.width:.1f}" '
        f'height="{box.height:.1f}" rx="3" fill="{BACKGROUND_COLOUR}"/>'
    )
    yield _text(box.x, box.y, arrow.label, _TextStyle(STATE_COLOURS[arrow.state], anchor="middle"))


def _label_width(arrow: Arrow) -> float:
    return _width(shorten(arrow.label, MAX_LABEL_CHARACTERS)) + 8


def _left_and_right(arrow: Arrow, route: Route) -> tuple[int, int]:
    """Return the nodes at the arrow's left and right end."""
    return (arrow.target, arrow.source) if route.backward else (arrow.source, arrow.target)


def _end_heights(arrows: Sequence[Arrow], layout: Layout) -> list[list[float]]:
    """Return for each arrow the heights at which it leaves its left node and enters its right one.

    Lines at one side of a node are spread over it, ordered by where they lead.
    """
    sides: dict[tuple[int, int], list[tuple[float, int]]] = {}
    for number, (arrow, route) in enumerate(zip(arrows, layout.routes, strict=True)):
        left, right = _left_and_right(arrow, route)
        sides.setdefault((left, 0), []).append((route.bends[0].y, number))
        sides.setdefault((right, 1), []).append((route.bends[-1].y, number))
    heights = [[0.0, 0.0] for _ in arrows]
    for (node, end), lines in sides.items():
        box = layout.nodes[node]
        step = min(11.0, (box.height - 6) / len(lines))
        for place, (_, number) in enumerate(sorted(lines)):
            heights[number][end] = box.y + (place - (len(lines) - 1) / 2) * step
    return heights


def _curve(arrow: Arrow, route: Route, layout: Layout, left_height: float, right_height: float) -> Iterator[str]:
    """Draw an arrow along its route, with its head."""
    left, right = _left_and_right(arrow, route)
    start, end, head = layout.nodes[left], layout.nodes[right], _ARROW_HEAD_LENGTH
    points = [
        (start.right + head * route.backward, left_height),
        (max(route.column_end, start.right + head), left_height),
    ]
    for box in route.bends:
        points += [(box.left, box.y), (box.right, box.y)]
    points.append((end.left - head * (not route.backward), right_height))
    path = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for (x, y), (to_x, to_y) in pairwise(points):
        middle = (x + to_x) / 2
        path += f" C{middle:.1f} {y:.1f} {middle:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f}"
    yield _line(path, arrow)
    x, y, direction = (start.right, left_height, 1) if route.backward else (end.left, right_height, -1)
    yield _arrow_head((x, y), (x + direction * head, y - 4), (x + direction * head, y + 4), arrow=arrow)


def _line(path: str, arrow: Arrow) -> str:
    width = 1.2 if arrow.state == "other" else 1.8
    dash = _dash(arrow.state == "failing")
    return f'<path d="{path}" fill="none" stroke="{STATE_COLOURS[arrow.state]}" stroke-width="{width}"{dash}/>'


def _arrow_head(*corners: tuple[float, float], arrow: Arrow) -> str:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    return f'<polygon points="{points}" fill="{STATE_COLOURS[arrow.state]}"/>'


def _dash(dashed: bool) -> str:
    return ' stroke-dasharray="5 4"' if dashed else ""

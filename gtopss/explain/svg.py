"""The picture as SVG: one self-contained element, nothing in it runs or is fetched.

Presentation is in attributes, not in a style sheet, because a notebook's page would share the sheet.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise

from gtopss.explain.diagram import COLOURS, MARKS, Arrow, Node, Note, picture
from gtopss.explain.explanation import BranchExplanation, Explanation, Prefixes
from gtopss.explain.graph_layout import Box, Layout, Route, layout

_FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
_CHARACTER, _LINE = 7.3, 17.0  # of a monospaced font of 12 pixels
_LONGEST = 36  # characters, then the middle is left out
_NOTE = 90  # the same, for lines that stand by themselves
_PAD, _MARGIN, _HEAD = 10.0, 18.0, 60.0
_INK, _FAINT = "#1f2328", "#59636e"
_ARROW, _ARC = 8.0, 26.0  # length of an arrow's head; height of a loop over the one below


def svg(explanation: Explanation, branch: BranchExplanation, prefixes: Prefixes) -> str:
    drawn = picture(explanation, branch, prefixes)
    arrows = [arrow for arrow in drawn.arrows if arrow.source != arrow.target]
    loops = [_loops(number, drawn.arrows) for number in range(len(drawn.nodes))]
    placed = layout(
        [_size(node, above) for node, above in zip(drawn.nodes, loops, strict=True)],
        [(arrow.source, arrow.target) for arrow in arrows],
        [(_label_width(arrow), _LINE) for arrow in arrows],
    )
    placed = replace(placed, nodes=tuple(map(_without, placed.nodes, loops)))
    notes = [MARKS[note.state] + note.text for note in drawn.notes]
    texts = [_width(elide(text, _NOTE)) for text in (drawn.title, drawn.subtitle, *notes)]
    below = _HEAD + placed.height + _MARGIN
    width = max(placed.width, *texts) + 2 * _MARGIN
    height = below + (_LINE * len(notes) + _PAD if notes else 0)
    title = escape(drawn.title)
    verdict = COLOURS["matched" if explanation.matched else "failing"]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{title}" width="{width:.0f}" '
        f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" font-family="{_FONT}" font-size="12">',
        f"<title>{title}</title>",
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
        _text(_MARGIN, 20, drawn.title, _NOTE, fill=verdict, bold=True),
        _text(_MARGIN, 38, drawn.subtitle, _NOTE, fill=_FAINT),
        f'<g transform="translate({_MARGIN:.0f} {_HEAD:.0f})">',
        *_arrows(arrows, placed),
    ]
    for node, above, box in zip(drawn.nodes, loops, placed.nodes, strict=True):
        parts += [*_node(node, box), *_loop_lines(above, box)]
    parts.append("</g>")
    parts += [_note(_MARGIN, below + _LINE * (n + 0.5), note, _NOTE) for n, note in enumerate(drawn.notes)]
    return "\n".join([*parts, "</svg>"]) + "\n"


def elide(text: str, longest: int = _LONGEST) -> str:
    """
    >>> elide("http://example.org/a/very/long/path", 11)
    'http:…/path'
    """
    if len(text) <= longest:
        return text
    half = (longest - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


def _width(text: str) -> float:
    wide = sum(unicodedata.east_asian_width(each) in "WF" for each in text)
    return (len(text) + wide) * _CHARACTER


def _node_lines(node: Node) -> list[str]:
    value = [] if node.value is None else [f"= {node.value}"]
    return [node.label, *value, *(MARKS[note.state] + note.text for note in node.notes)]


def _label_width(arrow: Arrow) -> float:
    return _width(elide(arrow.label)) + 8


@dataclass(frozen=True, slots=True)
class _Loop:
    """An edge from a node to itself: an arc above it, as far out as `reach` on either side."""

    arrow: Arrow
    reach: float


def _loops(node: int, arrows: Sequence[Arrow]) -> list[_Loop]:
    """The node's loops, from the innermost; each reaches past its label and past the one inside."""
    made = list[_Loop]()
    for arrow in sorted((a for a in arrows if a.source == a.target == node), key=_label_width):
        inside = made[-1].reach + _ARROW if made else 0.0
        made.append(_Loop(arrow, max(_label_width(arrow) / 2 + _ARROW, inside)))
    return made


def _size(node: Node, above: Sequence[_Loop]) -> tuple[float, float]:
    lines = _node_lines(node)
    width = max(_width(elide(line)) for line in lines) + 2 * _PAD
    reach = above[-1].reach if above else 0.0
    return max(width, 2 * (reach + 16)), len(lines) * _LINE + _PAD + len(above) * _ARC


def _without(box: Box, above: Sequence[_Loop]) -> Box:
    """The node's own rectangle: its place less the room for the loops above it."""
    room = len(above) * _ARC
    return Box(box.x, box.y + room / 2, box.width, box.height - room)


def _loop_lines(above: Sequence[_Loop], box: Box) -> Iterator[str]:
    floor = box.y - box.height / 2
    for number, loop in enumerate(above, start=1):
        left, right, top = box.x - loop.reach, box.x + loop.reach, floor - number * _ARC + _LINE / 2
        path = (
            f"M{left:.1f} {floor:.1f} V{top + 8:.1f} Q{left:.1f} {top:.1f} {left + 8:.1f} {top:.1f} "
            f"H{right - 8:.1f} Q{right:.1f} {top:.1f} {right:.1f} {top + 8:.1f} V{floor - _ARROW:.1f}"
        )
        yield _stroke(path, loop.arrow)
        yield _head((right, floor), (right - 4, floor - _ARROW), (right + 4, floor - _ARROW), arrow=loop.arrow)
        yield from _label(loop.arrow, Box(box.x, top, _label_width(loop.arrow), _LINE))


def _node(node: Node, box: Box) -> Iterator[str]:
    radius = 12 if node.variable else 3
    failing = any(note.state == "failing" for note in node.notes)
    colour = COLOURS["failing" if failing else node.state]
    yield (
        f'<rect x="{box.left:.1f}" y="{box.y - box.height / 2:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" '
        f'rx="{radius}" fill="{"#f6f8fa" if node.variable else "#ffffff"}" stroke="{colour}" stroke-width="1.4"'
        f"{_dash(failing)}/>"
    )
    y = box.y - box.height / 2 + _PAD / 2 + _LINE / 2
    yield _text(box.x, y, node.label, fill=_INK, bold=True, anchor="middle")
    if node.value is not None:
        y += _LINE
        yield _text(box.x, y, f"= {node.value}", fill=_INK, anchor="middle")
    for note in node.notes:
        y += _LINE
        yield _note(box.x, y, note, anchor="middle")


def _note(x: float, y: float, note: Note, longest: int = _LONGEST, anchor: str = "start") -> str:
    return _text(x, y, MARKS[note.state] + note.text, longest, fill=COLOURS[note.state], anchor=anchor, hint=note.hint)


def _text(
    x: float,
    y: float,
    text: str,
    longest: int = _LONGEST,
    *,
    fill: str,
    bold: bool = False,
    anchor: str = "start",
    hint: str = "",
) -> str:
    """One line of text, centred on y, with what it leaves out as a tooltip."""
    shown = elide(text, longest)
    told = "\n".join(part for part in (text if shown != text else "", hint) if part)
    tooltip = f"<title>{escape(told)}</title>" if told else ""
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y + 4.2:.1f}" text-anchor="{anchor}" fill="{fill}"{weight} '
        f'xml:space="preserve">{tooltip}{escape(shown)}</text>'
    )


def _dash(dashed: bool) -> str:
    return ' stroke-dasharray="5 4"' if dashed else ""


def _arrows(arrows: Sequence[Arrow], placed: Layout) -> Iterator[str]:
    """Lines first, then labels: a line that runs close by must not strike a label out."""
    ports = _ports(arrows, placed)
    for number, (arrow, route) in enumerate(zip(arrows, placed.routes, strict=True)):
        yield from _line(arrow, route, placed, *ports[number])
    for arrow, route in zip(arrows, placed.routes, strict=True):
        yield from _label(arrow, route.label)


def _label(arrow: Arrow, box: Box) -> Iterator[str]:
    yield (
        f'<rect x="{box.left:.1f}" y="{box.y - box.height / 2:.1f}" width="{box.width:.1f}" '
        f'height="{box.height:.1f}" rx="3" fill="#ffffff"/>'
    )
    yield _text(box.x, box.y, arrow.label, fill=COLOURS[arrow.state], anchor="middle")


def _ends(arrow: Arrow, route: Route) -> tuple[int, int]:
    """The nodes at its left and at its right end."""
    return (arrow.target, arrow.source) if route.backward else (arrow.source, arrow.target)


def _ports(arrows: Sequence[Arrow], placed: Layout) -> list[list[float]]:
    """For each arrow the heights at which it leaves the left one and enters the right one.

    Lines at one side of a node are spread over it, in the order of where they lead.
    """
    sides: dict[tuple[int, int], list[tuple[float, int]]] = {}
    for number, (arrow, route) in enumerate(zip(arrows, placed.routes, strict=True)):
        left, right = _ends(arrow, route)
        sides.setdefault((left, 0), []).append((route.bends[0].y, number))
        sides.setdefault((right, 1), []).append((route.bends[-1].y, number))
    heights = [[0.0, 0.0] for _ in arrows]
    for (node, end), lines in sides.items():
        box = placed.nodes[node]
        step = min(11.0, (box.height - 6) / len(lines))
        for place, (_, number) in enumerate(sorted(lines)):
            heights[number][end] = box.y + (place - (len(lines) - 1) / 2) * step
    return heights


def _line(arrow: Arrow, route: Route, placed: Layout, leaves: float, enters: float) -> Iterator[str]:
    left, right = _ends(arrow, route)
    start, end = placed.nodes[left], placed.nodes[right]
    points = [(start.right + _ARROW * route.backward, leaves), (max(route.clear, start.right + _ARROW), leaves)]
    for box in route.bends:
        points += [(box.left, box.y), (box.right, box.y)]
    points.append((end.left - _ARROW * (not route.backward), enters))
    path = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for (x, y), (to_x, to_y) in pairwise(points):
        middle = (x + to_x) / 2
        path += f" C{middle:.1f} {y:.1f} {middle:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f}"
    yield _stroke(path, arrow)
    x, y, way = (start.right, leaves, 1) if route.backward else (end.left, enters, -1)
    yield _head((x, y), (x + way * _ARROW, y - 4), (x + way * _ARROW, y + 4), arrow=arrow)


def _stroke(path: str, arrow: Arrow) -> str:
    width = 1.2 if arrow.state == "other" else 1.8
    dash = _dash(arrow.state == "failing")
    return f'<path d="{path}" fill="none" stroke="{COLOURS[arrow.state]}" stroke-width="{width}"{dash}/>'


def _head(*corners: tuple[float, float], arrow: Arrow) -> str:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    return f'<polygon points="{points}" fill="{COLOURS[arrow.state]}"/>'

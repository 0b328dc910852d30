"""Write a diagram in Mermaid's language, for Markdown pages and chats that draw it."""

from __future__ import annotations

from collections.abc import Iterator

from gtopss.explain.diagram import make_diagram
from gtopss.explain.diagram_style import (
    BACKGROUND_COLOUR,
    NOTES_BORDER_COLOUR,
    NOTES_FILL_COLOUR,
    STATE_COLOURS,
    TEXT_COLOUR,
)
from gtopss.explain.explanation import BranchExplanation, EdgeState, Explanation, Prefixes

_SAFE_CHARACTERS = frozenset(" .,:/-?=+")
_LINES: dict[EdgeState, str] = {"matched": "-->", "failing": "-.->", "other": "-->"}


def mermaid(explanation: Explanation, branch: BranchExplanation, prefixes: Prefixes) -> str:
    """Return the diagram of one branch as Mermaid source."""
    diagram = make_diagram(explanation, branch, prefixes)
    lines = ["flowchart LR"]
    for number, node in enumerate(diagram.nodes):
        text = "<br/>".join(map(escape, node.lines()))
        lines.append(f'    n{number}(["{text}"])' if node.variable else f'    n{number}["{text}"]')
        lines.append(_style(f"n{number}", BACKGROUND_COLOUR, STATE_COLOURS[node.state]))
    for number, arrow in enumerate(diagram.arrows):
        colour = STATE_COLOURS[arrow.state]
        lines.append(f'    n{arrow.source} {_LINES[arrow.state]}|"{escape(arrow.label)}"| n{arrow.target}')
        lines.append(f"    linkStyle {number} stroke:{colour},color:{colour}")
    notes: Iterator[str] = (note.marked_text for note in diagram.notes)
    text = "<br/>".join(map(escape, [diagram.title, diagram.subtitle, *notes]))
    lines.append(f'    notes["{text}"]')
    lines.append(_style("notes", NOTES_FILL_COLOUR, NOTES_BORDER_COLOUR))
    return "\n".join(lines) + "\n"


def escape(text: str) -> str:
    """Write all but letters, digits and a few signs as Mermaid's `#code;`, so that labels cannot add syntax.

    >>> escape('<b>"]')
    '#60;b#62;#34;#93;'
    """
    return "".join(each if each.isalnum() or each in _SAFE_CHARACTERS else f"#{ord(each)};" for each in text)


def _style(name: str, fill: str, stroke: str) -> str:
    return f"    style {name} fill:{fill},color:{TEXT_COLOUR},stroke:{stroke}"

"""The picture in mermaid's language, for Markdown pages and chats that draw it."""

from __future__ import annotations

from collections.abc import Iterable

from gtopss.explain.diagram import COLOURS, MARKS, Note, picture
from gtopss.explain.explanation import BranchExplanation, Explanation, Prefixes

_SAFE = frozenset(" .,:/-?=+")


def mermaid(explanation: Explanation, branch: BranchExplanation, prefixes: Prefixes) -> str:
    drawn = picture(explanation, branch, prefixes)
    lines = ["flowchart LR"]
    for number, node in enumerate(drawn.nodes):
        parts = [node.label, *([f"= {node.value}"] if node.value is not None else []), *_marked(node.notes)]
        text = "<br/>".join(map(escape, parts))
        lines.append(f'    n{number}(["{text}"])' if node.variable else f'    n{number}["{text}"]')
        lines.append(f"    style n{number} fill:#ffffff,color:#1f2328,stroke:{COLOURS[node.state]}")
    for number, arrow in enumerate(drawn.arrows):
        line = {"matched": "-->", "failing": "-.->", "other": "-->"}[arrow.state]
        lines.append(f'    n{arrow.source} {line}|"{escape(arrow.label)}"| n{arrow.target}')
        lines.append(f"    linkStyle {number} stroke:{COLOURS[arrow.state]},color:{COLOURS[arrow.state]}")
    text = "<br/>".join(map(escape, [drawn.title, drawn.subtitle, *_marked(drawn.notes)]))
    lines.append(f'    notes["{text}"]')
    lines.append("    style notes fill:#f6f8fa,color:#1f2328,stroke:#d0d7de")
    return "\n".join(lines) + "\n"


def escape(text: str) -> str:
    """Text that can do nothing but be read: all but letters, digits and a few signs as mermaid's `#code;`.

    >>> escape('<b>"]')
    '#60;b#62;#34;#93;'
    """
    return "".join(each if each.isalnum() or each in _SAFE else f"#{ord(each)};" for each in text)


def _marked(notes: Iterable[Note]) -> list[str]:
    return [MARKS[note.state] + note.text for note in notes]

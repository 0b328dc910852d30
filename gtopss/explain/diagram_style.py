"""Colours, marks and sizes of the diagrams. SVG and Mermaid both read them from here."""

from __future__ import annotations

from gtopss.explain.explanation import EdgeState

STATE_COLOURS: dict[EdgeState, str] = {"matched": "#1a7f37", "failing": "#cf222e", "other": "#6e7781"}
STATE_MARKS: dict[EdgeState, str] = {"matched": "✔ ", "failing": "✘ ", "other": ""}

BACKGROUND_COLOUR = "#ffffff"
TEXT_COLOUR = "#1f2328"
SUBTITLE_COLOUR = "#59636e"
VARIABLE_FILL_COLOUR = "#f6f8fa"  # of a node that stands for a variable; other nodes have the background's
NOTES_FILL_COLOUR = "#f6f8fa"  # of Mermaid's box of notes
NOTES_BORDER_COLOUR = "#d0d7de"

MAX_EDGES_DRAWN = 40  # a larger pattern is drawn in part, and the diagram says so
MAX_NOTES_DRAWN = 12  # constraints beside one node, and below the diagram; the rest is counted
MAX_EXCERPT_CHARACTERS = 10  # of a needle that was found, and on each side of it; below a third of a label
MAX_LABEL_CHARACTERS = 36  # a longer label is shortened in the middle and shown whole as a tooltip
MAX_LINE_CHARACTERS = 90  # the same, for the title and for the notes below the diagram

"""The content of a diagram, before it is placed or drawn: nodes, arrows and notes.

`svg` and `mermaid` draw it. Colours are in `diagram_style`.
"""

from __future__ import annotations

from dataclasses import dataclass

from gtopss.explain.diagram_style import MAX_EDGES_DRAWN, MAX_EXCERPT_CHARACTERS, MAX_NOTES_DRAWN, STATE_MARKS
from gtopss.explain.explanation import BranchExplanation, EdgeState, Explanation, Prefixes
from gtopss.explain.formatting import format_expression
from gtopss.explain.text import branch_summary, check_reason, title
from gtopss.model import Term, Triple
from gtopss.model.expressions import variables
from gtopss.model.term_text import escape_controls, format_term
from gtopss.model.terms import is_variable


@dataclass(frozen=True, slots=True)
class Note:
    """A constraint or a computed value, and whether it holds. `tooltip` gives the reason."""

    text: str
    state: EdgeState
    tooltip: str = ""

    @property
    def marked_text(self) -> str:
        return STATE_MARKS[self.state] + self.text


@dataclass(frozen=True, slots=True)
class Node:
    """A term of the pattern. `value` is the value of a variable in the row that is shown."""

    label: str
    value: str | None
    notes: tuple[Note, ...]
    variable: bool
    state: EdgeState

    def lines(self) -> list[str]:
        """Return the lines of text that the node shows."""
        value = [] if self.value is None else [f"= {self.value}"]
        return [self.label, *value, *(note.marked_text for note in self.notes)]


@dataclass(frozen=True, slots=True)
class Arrow:
    """An edge of the pattern between two nodes, given by their numbers."""

    source: int
    target: int
    label: str
    state: EdgeState


@dataclass(frozen=True, slots=True)
class Diagram:
    """`notes` are those that belong to no single node: constraints on several variables, and computed values."""

    title: str
    subtitle: str
    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...]
    notes: tuple[Note, ...]


def make_diagram(explanation: Explanation, branch: BranchExplanation, prefixes: Prefixes) -> Diagram:
    """Return the diagram of one branch."""
    states: dict[Triple, EdgeState] = {edge: branch.edge_state(edge) for edge in branch.branch.edges()}
    # Keep the written order; if not all edges can be drawn, the failing one must be among them.
    chosen = set(sorted(states, key=lambda edge: states[edge] != "failing")[:MAX_EDGES_DRAWN])
    edges = [edge for edge in states if edge in chosen]
    number = {term: n for n, term in enumerate(dict.fromkeys(end for s, _, o in edges for end in (s, o)))}
    values = dict(branch.bindings)

    def label(term: Term) -> str:
        return format_term(term, prefixes)

    def value(term: Term) -> str | None:
        return label(values[term]) if term in values else None

    def arrow_label(property: Term) -> str:
        return f"{label(property)} = {value(property)}" if property in values else label(property)

    node_notes, notes = _notes(branch, prefixes, set(number))
    node_states = _node_states(edges, states)
    nodes = tuple(
        Node(label(term), value(term), _shortened(node_notes.get(term, [])), is_variable(term), node_states[term])
        for term in number
    )
    arrows = tuple(Arrow(number[s], number[o], arrow_label(p), states[s, p, o]) for s, p, o in edges)
    place = f"branch {branch.number}: " if len(explanation.branches) > 1 else ""
    if len(states) > len(edges):
        notes.insert(0, Note(f"{len(states) - len(edges)} more edges are not drawn", "other"))
    return Diagram(title(explanation), place + branch_summary(branch), nodes, arrows, _shortened(notes))


def _node_states(edges: list[Triple], states: dict[Triple, EdgeState]) -> dict[Term, EdgeState]:
    """Return each node's state: matched if any of its edges is, else failing if any is."""
    node_states = dict[Term, EdgeState]()
    order: tuple[EdgeState, ...] = ("other", "failing", "matched")  # a later state replaces an earlier one
    for state in order:
        node_states.update((end, state) for edge in edges if states[edge] == state for end in (edge[0], edge[2]))
    return node_states


def _shortened(notes: list[Note]) -> tuple[Note, ...]:
    """Return the first notes up to the limit, preferring failing ones, and a note that counts the rest."""
    failing_first = sorted(notes, key=lambda note: note.state != "failing")[:MAX_NOTES_DRAWN]
    shown = [note for note in notes if note in failing_first]
    left = len(notes) - len(shown)
    return (*shown, *([Note(f"and {left} more", "other")] if left > 0 else []))


def _notes(
    branch: BranchExplanation, prefixes: Prefixes, nodes: set[Term]
) -> tuple[dict[Term, list[Note]], list[Note]]:
    """Return the notes that belong beside one node, by node, and all other notes."""
    checks = {check.constraint: check for check in branch.checks()}
    node_notes, other_notes = dict[Term, list[Note]](), list[Note]()
    for each in branch.computed():
        value = "no value" if each.value is None else format_term(each.value, prefixes)
        text = f"{format_term(each.variable, prefixes)} := {format_expression(each.substituted, prefixes)} = {value}"
        other_notes.append(Note(text, "other" if each.value is None else "matched", each.error or ""))
    for constraint in branch.branch.constraints():
        state: EdgeState = "other"
        tooltip = ""
        if check := checks.get(constraint):
            state, tooltip = "matched" if check.holds else "failing", check_reason(check, prefixes)
        read = variables(constraint)
        beside_node = len(read) == 1 and (name := next(iter(read))) in nodes
        notes = node_notes.setdefault(name, []) if beside_node else other_notes
        notes.append(Note(format_expression(constraint, prefixes), state, tooltip))
        excerpts = [] if check is None else [each.excerpt for each in check.text_checks if each.excerpt is not None]
        if excerpts:
            notes.append(Note(escape_controls(str(excerpts[0].narrowed(MAX_EXCERPT_CHARACTERS))), "other", tooltip))
    return node_notes, other_notes

"""What a picture of a branch shows, before anything is placed or drawn: nodes, edges, and notes below them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from gtopss.explain.explanation import BranchExplanation, ConstraintFailure, Explanation, Prefixes
from gtopss.explain.formatting import format_expression, format_term
from gtopss.explain.text import headline, title, why
from gtopss.model import Term, Triple
from gtopss.model.expressions import variables
from gtopss.model.terms import is_variable

State: TypeAlias = Literal["matched", "failing", "other"]

COLOURS: dict[State, str] = {"matched": "#1a7f37", "failing": "#cf222e", "other": "#6e7781"}
MARKS: dict[State, str] = {"matched": "✔ ", "failing": "✘ ", "other": ""}
_ARROWS, _NOTES = 40, 12


@dataclass(frozen=True, slots=True)
class Note:
    """A constraint or a computed value, in the colour of its outcome; `hint` says why."""

    text: str
    state: State
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """A term of the pattern; `value` is what a variable stands for in the row that is shown."""

    label: str
    value: str | None
    notes: tuple[Note, ...]
    variable: bool
    state: State


@dataclass(frozen=True, slots=True)
class Arrow:
    """An edge of the pattern between nodes, by their numbers."""

    source: int
    target: int
    label: str
    state: State


@dataclass(frozen=True, slots=True)
class Diagram:
    """`notes` are those that belong to no single node: tests of several variables, computed values."""

    title: str
    subtitle: str
    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...]
    notes: tuple[Note, ...]


def picture(explanation: Explanation, branch: BranchExplanation, prefixes: Prefixes) -> Diagram:
    states: dict[Triple, State] = {edge: branch.state(edge) for edge in branch.branch.edges()}
    # in the order of writing, but if not all can be shown then the failing one must be
    chosen = set(sorted(states, key=lambda edge: states[edge] != "failing")[:_ARROWS])
    edges = [edge for edge in states if edge in chosen]
    number = {term: n for n, term in enumerate(dict.fromkeys(end for s, _, o in edges for end in (s, o)))}
    values = dict(branch.bindings)
    best = dict[Term, State]()
    for state in ("other", "failing", "matched"):  # the last one stays
        best.update((end, state) for edge in edges if states[edge] == state for end in (edge[0], edge[2]))

    def named(term: Term) -> str:
        return format_term(term, prefixes)

    def arrow_label(property: Term) -> str:
        return f"{named(property)} = {named(values[property])}" if property in values else named(property)

    of_node, notes = _notes(branch, prefixes, set(number))
    nodes = tuple(
        Node(
            named(term),
            named(values[term]) if term in values else None,
            _few(of_node.get(term, [])),
            is_variable(term),
            best[term],
        )
        for term in number
    )
    arrows = tuple(Arrow(number[s], number[o], arrow_label(p), states[s, p, o]) for s, p, o in edges)
    place = f"branch {branch.number}: " if len(explanation.branches) > 1 else ""
    if len(states) > len(edges):
        notes.insert(0, Note(f"{len(states) - len(edges)} more edges are not drawn", "other"))
    return Diagram(title(explanation), place + headline(branch), nodes, arrows, _few(notes))


def _few(notes: list[Note]) -> tuple[Note, ...]:
    """The first of them, and of what fails all that has room: a picture of a thousand constraints shows none."""
    failing_first = sorted(notes, key=lambda note: note.state != "failing")[:_NOTES]
    shown = [note for note in notes if note in failing_first]
    left = len(notes) - len(shown)
    return (*shown, *([Note(f"and {left} more", "other")] if left > 0 else []))


def _notes(
    branch: BranchExplanation, prefixes: Prefixes, nodes: set[Term]
) -> tuple[dict[Term, list[Note]], list[Note]]:
    """The constraints beside their nodes, and what has no place there."""
    checks = {check.constraint: check for check in branch.checks()}
    of_node, rest = dict[Term, list[Note]](), list[Note]()
    if branch.solutions:
        computed = branch.solutions[0].computed
    else:
        computed = branch.failure.computed if isinstance(branch.failure, ConstraintFailure) else ()
    for each in computed:
        value = "no value" if each.value is None else format_term(each.value, prefixes)
        text = f"{format_term(each.variable, prefixes)} := {format_expression(each.substituted, prefixes)} = {value}"
        rest.append(Note(text, "other" if each.value is None else "matched", each.error or ""))
    for constraint in branch.branch.constraints():
        state: State = "other"
        hint = ""
        if check := checks.get(constraint):
            state, hint = "matched" if check.holds else "failing", why(check, prefixes)
        note = Note(format_expression(constraint, prefixes), state, hint)
        read = variables(constraint)
        if len(read) == 1 and (name := next(iter(read))) in nodes:
            of_node.setdefault(name, []).append(note)
        else:
            rest.append(note)
    return of_node, rest

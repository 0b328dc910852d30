"""An explanation as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gtopss.explain.explanation import (
    Bindings,
    BranchExplanation,
    Check,
    ComputedValue,
    ConstraintFailure,
    EdgeFailure,
    EdgeMatch,
    Explanation,
    IsACheck,
    JoinFailure,
    NearTriple,
    Prefixes,
    SolutionExplanation,
)
from gtopss.explain.formatting import format_expression, format_term, format_triple, visible
from gtopss.model import Term, Triple
from gtopss.model.terms import is_literal, is_variable, literal_parts

_WIDEST = 60  # a left column wider than this is not waited for
_POSITIONS = ("subject", "property", "object")


def explanation_text(explanation: Explanation, prefixes: Prefixes) -> str:
    return "\n".join(_Lines(prefixes).explanation(explanation))


class _Lines:
    def __init__(self, prefixes: Prefixes) -> None:
        self._prefixes = prefixes

    def explanation(self, explanation: Explanation) -> Iterator[str]:
        head = title(explanation)
        if len(explanation.branches) == 1:
            yield f"{head}: {headline(explanation.branches[0])}"
            yield from self._branch(explanation.branches[0], "  ")
        else:
            yield f"{head}:"
            for branch in explanation.branches:
                yield f"  branch {branch.number} of {len(explanation.branches)}: {headline(branch)}"
                yield from self._branch(branch, "    ")
        for call in explanation.operators.calls if explanation.operators is not None else ():
            yield f"  asked: {visible(call)}"
        for taken in explanation.operators.taken if explanation.operators is not None else ():
            yield f"  by itself, {visible(taken)}"
        for reason in explanation.impossible:
            yield f"  {visible(reason)}: no publication can satisfy it"
        if not explanation.complete:
            yield "  (the search was cut at its limits: counts and nearest values may be short of the truth)"

    def _branch(self, branch: BranchExplanation, indent: str) -> Iterator[str]:
        if branch.matched:
            for solution in branch.solutions:
                yield from self._solution(solution, indent)
            if branch.more:
                least = "" if branch.complete else "at least "
                yield f"{indent}and {least}{branch.more} more"
            return
        shown = [("✔", *self._edge(each)) for each in branch.part]
        notes: list[str] = []
        match branch.failure:
            case EdgeFailure(edge, nearest):
                shown.append(("✘", self._triple(edge), "no triple matches it"))
                notes = [self._near(edge, each) for each in nearest]
            case JoinFailure(edge):
                shown.append(("✘", self._triple(edge), "matches alone, but not together with the rest"))
                notes = [*self._join(branch.failure)]
            case ConstraintFailure():
                yield from self._bindings(branch.bindings, indent)
                shown += [self._computed(each) for each in branch.failure.computed]
                shown += [self._check(each) for each in branch.failure.checks]
                notes = [*self._closest(branch.failure)]
        yield from _columns(shown, indent)
        yield from (f"{indent}    {note}" for note in notes)
        others = [edge for edge in branch.branch.edges() if branch.state(edge) == "other"]
        yield from (f"{indent}· {self._triple(edge)}   outside the part that matches" for edge in others)

    def _solution(self, solution: SolutionExplanation, indent: str) -> Iterator[str]:
        yield from self._bindings(solution.bindings, indent)
        shown = [("✔", *self._edge(each)) for each in solution.edges]
        shown += [self._computed(each) for each in solution.computed]
        shown += [self._check(each) for each in solution.checks]
        yield from _columns(shown, indent + "  " * bool(solution.bindings))

    def _bindings(self, bindings: Bindings, indent: str) -> Iterator[str]:
        if bindings:
            yield indent + "   ".join(f"{self._term(name)} = {self._term(value)}" for name, value in bindings)

    def _edge(self, each: EdgeMatch) -> tuple[str, str]:
        return self._triple(each.edge), "" if each.edge == each.triple else self._triple(each.triple)

    def _computed(self, each: ComputedValue) -> tuple[str, str, str]:
        substituted = format_expression(each.substituted, self._prefixes)
        if each.value is None:
            return "·", f"{self._term(each.variable)} := {substituted}", f"no value: {visible(each.error or '')}"
        return "✔", f"{self._term(each.variable)} := {substituted}", f"= {self._term(each.value)}"

    def _check(self, check: Check) -> tuple[str, str, str]:
        """The mark, the constraint, and why."""
        return "✔" if check.holds else "✘", format_expression(check.constraint, self._prefixes), self.why(check)

    def why(self, check: Check) -> str:
        ways = [way for way in map(self._question, check.questions) if way]
        if ways and len(check.questions) == 1 and check.asked.function == check.questions[0].function:
            return ways[0]
        substituted = format_expression(check.substituted, self._prefixes)
        if check.error is not None:
            substituted = f"{substituted} is a type error: {visible(check.error)}"
        elif not check.holds:
            substituted = f"{substituted} is false"
        return "; ".join([substituted, *ways])

    def _question(self, question: IsACheck) -> str:
        steps = [self._term(each) for each in question.path]
        if question.stated and len(steps) > 1:
            steps[1] += " (stated in the publication)"
        way = " → ".join(steps)
        if question.answer:
            return way if len(steps) > 1 else f"{way} is the class itself"
        lower, upper = question.term, question.cls
        if question.function == "ancestorOf":
            lower, upper = upper, lower
        what = {"instanceOf": "an instance of", "directlyA": "directly a"}.get(question.function, "a")
        says = f"{self._term(lower)} is not {what} {self._term(upper)}"
        if len(steps) > 1:
            says += f", though {way}"
        elif lower == upper:
            says += ", but itself"
        if question.parents:
            return f"{says}; it is {', '.join(map(self._term, question.parents))}"
        return says if steps else f"{says}; nothing is known of it"

    def _near(self, edge: Triple, near: NearTriple) -> str:
        notes = []
        for position in near.differs:
            place = _POSITIONS.index(position)
            wanted, found = edge[place], near.triple[place]
            note = f"{position} is {self._term(found)}, not {self._term(wanted)}"
            if is_variable(wanted):
                note = f"{position} is {self._term(found)}, another value of {self._term(wanted)}"
            elif is_literal(found) and is_literal(wanted) and literal_parts(found)[0] == literal_parts(wanted)[0]:
                note += " (the same text, of another type)"
            notes.append(note)
        return f"near: {self._triple(near.triple)}   {'; '.join(notes)}"

    def _join(self, failure: JoinFailure) -> Iterator[str]:
        for triple in failure.triples:
            yield f"alone: {self._triple(triple)}"
        if failure.more:
            yield f"       and {failure.more} more"
        for each in failure.conflicts:
            name, rest, edge = map(self._term, (each.variable, each.in_part, each.in_edge))
            yield f"{name} is {rest} in the rest, {edge} here"

    def _closest(self, failure: ConstraintFailure) -> Iterator[str]:
        if failure.closest is not None and failure.rows > 1:
            where = "rows where all else holds" if failure.closest.alone else f"{failure.rows} rows"
            value, limit = self._term(failure.closest.value), self._term(failure.closest.limit)
            yield f"closest to {limit}: {value}, over all {where}"

    def _term(self, term: Term) -> str:
        return format_term(term, self._prefixes)

    def _triple(self, triple: Triple) -> str:
        return format_triple(triple, self._prefixes)


def title(explanation: Explanation) -> str:
    """The verdict. A search that was cut has not shown that there is no match."""
    missed = "does not match" if explanation.settled else "was not seen to match"
    verb = "matches" if explanation.matched else missed
    return f"{visible(explanation.subscription_id)} {verb} {visible(explanation.publication_id)}"


def why(check: Check, prefixes: Prefixes) -> str:
    """Why a constraint held or failed, in one line."""
    return _Lines(prefixes).why(check)


def headline(branch: BranchExplanation) -> str:
    """How far a branch got, in one line."""
    if branch.matched:
        count = len(branch.solutions) + branch.more
        least = "" if branch.complete else "at least "
        return f"{least}{count} solution{'s' * (count != 1)}"
    edges, part = len(branch.branch.edges()), len(branch.part)
    if isinstance(branch.failure, ConstraintFailure):
        every = "all edges match" if edges != 1 else "the edge matches"
        if branch.failure.rows > 1:
            rows = f"{branch.failure.rows} rows" if branch.complete else f"the first {branch.failure.rows} rows"
            return f"{every}, but in none of {rows} all constraints hold"
        return f"{every}, but a constraint fails" if edges else "a constraint fails"
    inexact = "" if branch.exact else " (perhaps more)"
    return f"{part} of {edges} edges match{' together' if part > 1 else ''}{inexact}"


def _columns(lines: Iterable[tuple[str, str, str]], indent: str) -> Iterator[str]:
    made = list(lines)
    width = max((len(left) for _, left, right in made if right and len(left) <= _WIDEST), default=0)
    for mark, left, right in made:
        yield f"{indent}{mark} {left:<{width}}   {right}".rstrip()

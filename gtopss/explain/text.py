"""Write an explanation as lines of text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gtopss.explain.class_labels import shown_steps
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
    LabelCheck,
    NearTriple,
    Prefixes,
    QueryExplanation,
    SolutionExplanation,
    TextCheck,
)
from gtopss.explain.formatting import format_expression
from gtopss.explain.text_checks import is_of_texts
from gtopss.model import Term, Triple
from gtopss.model.matches import OUTPUT_LIMIT_NAME
from gtopss.model.term_text import escape_controls, format_term, format_triple, shorten, shorten_iris
from gtopss.model.terms import is_literal, is_variable

_MAX_ALIGNED_CHARACTERS = 60  # a wider left column does not move the right column of the other lines
MAX_QUERY_LINE = 500  # characters of a line about a step of a query
_POSITIONS = ("subject", "property", "object")
_NEEDLE_KINDS = {"WORDS": "the words ", "HAS": "the words ", "REGEX": "the pattern "}
_NEEDLE_PLACES = {"STRSTARTS": " at the start", "STRENDS": " at the end", "=": " as the whole"}


def explanation_text(explanation: Explanation, prefixes: Prefixes, text_limit: int) -> str:
    """Return the explanation as text. After `text_limit` characters it is cut, and the last line says so."""
    lines: list[str] = []
    for line in _TextWriter(prefixes).explanation(explanation):
        if len(line) > text_limit:
            lines += [line[:text_limit], f"  (the explanation is longer: it reached {OUTPUT_LIMIT_NAME})"]
            break
        lines.append(line)
        text_limit -= len(line) + 1
    return "\n".join(lines)


def title(explanation: Explanation) -> str:
    """Return the verdict in one line. A search that reached its limits has not shown that there is no match."""
    missed = "does not match" if explanation.settled else "was not found to match"
    verb = "matches" if explanation.matched else missed
    return f"{escape_controls(explanation.subscription_id)} {verb} {escape_controls(explanation.publication_id)}"


def branch_summary(branch: BranchExplanation) -> str:
    """Return how close a branch came to matching, in one line."""
    if branch.matched:
        count = len(branch.solutions) + branch.more
        least = "" if branch.complete else "at least "
        return f"{least}{count} solution{'s' * (count != 1)}"
    edges, matched = len(branch.branch.edges()), len(branch.matched_edges)
    if isinstance(branch.failure, ConstraintFailure):
        every = "all edges match" if edges != 1 else "the edge matches"
        if branch.failure.rows > 1:
            rows = f"{branch.failure.rows} rows" if branch.complete else f"the first {branch.failure.rows} rows"
            return f"{every}, but none of {rows} satisfies all constraints"
        return f"{every}, but a constraint fails" if edges else "a constraint fails"
    inexact = "" if branch.exact else " (perhaps more)"
    return f"{matched} of {edges} edges match{' together' if matched > 1 else ''}{inexact}"


def check_reason(check: Check, prefixes: Prefixes) -> str:
    """Return why a constraint held or failed, in one line."""
    return _TextWriter(prefixes).check_reason(check)


_NO_TEXT = ": there is no text"


def branch_reason(
    branch: BranchExplanation, prefixes: Prefixes, *, missing_edge: str | None = None, labels_only: bool = False
) -> str:
    """Return in one line what decides a branch: the constraints that hold in its first solution, or what fails.

    `missing_edge` is what to say of a triple that is not there. With `labels_only`, a class with a label is named by it
    alone, without its IRI.
    """
    reasons = list(dict.fromkeys(_TextWriter(prefixes, labels_only).reasons(branch, missing_edge)))
    of_texts = [each for each in reasons if not each.endswith(_NO_TEXT)]  # there may be a title and no description
    return "; ".join(of_texts or reasons)


class _TextWriter:
    """Write the parts of an explanation, with IRIs shortened by one set of prefixes."""

    def __init__(self, prefixes: Prefixes, labels_only: bool = False) -> None:
        self._prefixes, self._labels_only = prefixes, labels_only

    def explanation(self, explanation: Explanation) -> Iterator[str]:
        head = title(explanation)
        if explanation.query is not None:
            yield f"{head}:"
            yield from self._query(explanation, explanation.query)
        elif len(explanation.branches) == 1:
            yield f"{head}: {branch_summary(explanation.branches[0])}"
            yield from self._branch(explanation.branches[0], "  ")
        else:
            yield f"{head}:"
            for branch in explanation.branches:
                yield f"  branch {branch.number} of {len(explanation.branches)}: {branch_summary(branch)}"
                yield from self._branch(branch, "    ")
        if explanation.operators is not None:
            for call in explanation.operators.calls:
                yield f"  operator call: {escape_controls(call)}"
            for cost in explanation.operators.strategy_costs:
                yield f"  by itself, {escape_controls(cost)}"
        for reason in explanation.impossible:
            yield f"  {escape_controls(shorten_iris(reason, self._prefixes))}: no publication can satisfy it"
        if not explanation.complete:
            yield "  (the search stopped at its limits: counts are lower bounds, and nearer values may exist)"

    def _query(self, explanation: Explanation, query: QueryExplanation) -> Iterator[str]:
        """Write the two stages of a query: the part that must hold, and what was evaluated after it."""
        for part in query.indexed:
            yield f"  what must hold, found by the index: {self._words(part)}"
        if not any(branch.matched for branch in explanation.branches):
            for branch in explanation.branches:
                yield f"  {branch_summary(branch)}"
                yield from self._branch(branch, "    ")
        for line in query.lines:
            yield f"  then {self._words(line)}"

    def _words(self, text: str) -> str:
        """Write a line about a query, with its IRIs shortened."""
        return escape_controls(shorten(shorten_iris(text, self._prefixes), MAX_QUERY_LINE))

    # --- branches ----------------------------------------------------------------------------------------------

    def _branch(self, branch: BranchExplanation, indent: str) -> Iterator[str]:
        if not branch.matched:
            yield from self._miss(branch, indent)
            return
        for solution in branch.solutions:
            yield from self._solution(solution, indent)
        if branch.more:
            least = "" if branch.complete else "at least "
            yield f"{indent}and {least}{branch.more} more"

    def _miss(self, branch: BranchExplanation, indent: str) -> Iterator[str]:
        lines = [("✔", *self._edge(each)) for each in branch.matched_edges]
        notes: list[str] = []
        match branch.failure:
            case EdgeFailure(edge, nearest):
                lines.append(("✘", self._triple(edge), "no triple matches this edge"))
                notes = [self._near_triple(edge, each) for each in nearest]
            case JoinFailure(edge):
                lines.append(("✘", self._triple(edge), "matches alone, but not together with the rest"))
                notes = [*self._join_failure(branch.failure)]
            case ConstraintFailure():
                yield from self._bindings(branch.bindings, indent)
                lines += [self._computed_value(each) for each in branch.failure.computed]
                lines += [self._check(each) for each in branch.failure.checks]
                notes = [*self._closest_value(branch.failure)]
        yield from _columns(lines, indent)
        yield from (f"{indent}    {note}" for note in notes)
        others = [edge for edge in branch.branch.edges() if branch.edge_state(edge) == "other"]
        yield from (f"{indent}· {self._triple(edge)}   outside the part that matches" for edge in others)

    def _solution(self, solution: SolutionExplanation, indent: str) -> Iterator[str]:
        yield from self._bindings(solution.bindings, indent)
        lines = [("✔", *self._edge(each)) for each in solution.edges]
        lines += [self._computed_value(each) for each in solution.computed]
        lines += [self._check(each) for each in solution.checks]
        yield from _columns(lines, indent + "  " * bool(solution.bindings))

    def _bindings(self, bindings: Bindings, indent: str) -> Iterator[str]:
        if bindings:
            yield indent + "   ".join(f"{self._term(name)} = {self._term(value)}" for name, value in bindings)

    def reasons(self, branch: BranchExplanation, missing_edge: str | None) -> Iterator[str]:
        """Yield the reasons for which a branch matches or does not, in a few words each."""
        if branch.matched:
            checks = [check for each in branch.solutions[:1] for check in each.checks]
            # That a property is one of a list, or is missing, says less than what was found in a text.
            told = [check for check in checks if check.text_checks or check.label_checks or check.isa_checks]
            yield from map(self.check_reason, told or checks[:1])
            return
        match branch.failure:
            case EdgeFailure(edge) | JoinFailure(edge):
                yield missing_edge or f"no triple matches {self._triple(edge)}"
            case ConstraintFailure():
                yield from (self.check_reason(check) for check in branch.failure.checks if not check.holds)

    # --- lines with a mark, a left and a right column ----------------------------------------------------------

    def _edge(self, each: EdgeMatch) -> tuple[str, str]:
        return self._triple(each.edge), "" if each.edge == each.triple else self._triple(each.triple)

    def _computed_value(self, each: ComputedValue) -> tuple[str, str, str]:
        assignment = f"{self._term(each.variable)} := {format_expression(each.substituted, self._prefixes)}"
        if each.value is None:
            return "·", assignment, f"no value: {escape_controls(each.error or '')}"
        return "✔", assignment, f"= {self._term(each.value)}"

    def _check(self, check: Check) -> tuple[str, str, str]:
        mark = "✔" if check.holds else "✘"
        return mark, format_expression(check.constraint, self._prefixes), self.check_reason(check)

    # --- reasons -----------------------------------------------------------------------------------------------

    def check_reason(self, check: Check) -> str:
        labels = {each.term: each.label for each in check.class_labels}
        reasons = [reason for each in check.isa_checks if (reason := self._isa_reason(each, labels))]
        if reasons and len(check.isa_checks) == 1 and check.deciding.function == check.isa_checks[0].function:
            return reasons[0]
        texts = [self._label_reason(each, labels) for each in check.label_checks]
        texts += map(self._text_reason, check.text_checks)
        if check.more_texts:
            texts.append(f"and {check.more_texts} more texts")
        if texts and check.error is None and is_of_texts(check.deciding):
            return "; ".join(texts)
        evaluated = format_expression(check.substituted, self._prefixes)
        if check.error is not None:
            evaluated = f"{evaluated} is a type error: {escape_controls(check.error)}"
        elif not check.holds:
            evaluated = f"{evaluated} is false"
        return "; ".join([evaluated, *reasons, *texts])

    def _text_reason(self, check: TextCheck) -> str:
        needle = f"{_NEEDLE_KINDS.get(check.function, '')}{self._term(check.needle)}"
        found = f"{needle} {'' if check.holds else 'not '}found{_NEEDLE_PLACES.get(check.function, '')}"
        if check.excerpt is not None:
            return f"{found}: {escape_controls(str(check.excerpt))}"
        where = "of" if check.function in _NEEDLE_PLACES else "in"
        return f"{found}{_NO_TEXT}" if check.text is None else f"{found} {where} {self._term(check.text)}"

    def _label_reason(self, check: LabelCheck, labels: Mapping[Term, str]) -> str:
        shown = labels if self._labels_only else {}  # a reason about labels names them already
        text, cls = self._term(check.text), self._class(check.cls, shown)
        if check.label is not None:
            path = " → ".join(self._class(each, shown) for each in check.path)
            label = "" if _quoted(check.label) == _quoted(check.text) else f" {self._term(check.label)}"
            return f"{text} is the label{label} of {path}{', the class itself' if len(check.path) == 1 else ''}"
        if not check.is_text:
            return f"{text} is not a text"
        if check.others:
            others = ", ".join(self._class(each, shown) for each in check.others)
            return f"{text} is a label of {others}, which is not a {cls}"
        called = f"; {cls} is called {', '.join(map(self._term, check.called))}" if check.called and not shown else ""
        return f"{text} is no label of {cls} or of anything below it{called}"

    def _isa_reason(self, check: IsACheck, labels: Mapping[Term, str]) -> str:
        shown = shown_steps(check.path)
        steps = [self._class(each, labels) for each in shown]
        if len(shown) < len(check.path):
            steps.insert(len(shown) // 2, f"({len(check.path) - len(shown):,} more)")
        if check.type_is_stated and len(steps) > 1:
            steps[1] += " (stated in the publication)"
        path = " → ".join(steps)
        if check.answer:
            return path if len(steps) > 1 else f"{path} is the class itself"
        lower, upper = check.term, check.cls
        if check.function == "ancestorOf":
            lower, upper = upper, lower
        relation = {"instanceOf": "an instance of", "directlyA": "directly a", "descendantOf": "below"}.get(
            check.function, "a"
        )
        reason = f"{self._class(lower, labels)} is not {relation} {self._class(upper, labels)}"
        if len(steps) > 1:
            reason += f", although {path}"
        elif lower == upper:
            reason += ", but the class itself"
        if check.parents:
            return f"{reason}; it is {', '.join(self._class(each, labels) for each in check.parents)}"
        return reason if steps else f"{reason}; no class is known for it"

    def _class(self, term: Term, labels: Mapping[Term, str]) -> str:
        """Write a class, or what is in it, with its label."""
        if term not in labels:
            return self._term(term)
        label = f'"{escape_controls(labels[term])}"'
        return label if self._labels_only else f"{label} ({self._term(term)})"

    def _near_triple(self, edge: Triple, near: NearTriple) -> str:
        notes = []
        for position in near.differs:
            place = _POSITIONS.index(position)
            expected, found = edge[place], near.triple[place]
            note = f"{position} is {self._term(found)}, not {self._term(expected)}"
            if is_variable(expected):
                note = f"{position} is {self._term(found)}, another value of {self._term(expected)}"
            elif is_literal(found) and is_literal(expected) and _quoted(found) == _quoted(expected):
                note += " (the same text with another type)"
            notes.append(note)
        return f"near: {self._triple(near.triple)}   {'; '.join(notes)}"

    def _join_failure(self, failure: JoinFailure) -> Iterator[str]:
        for triple in failure.triples:
            yield f"alone: {self._triple(triple)}"
        if failure.more:
            yield f"       and {failure.more} more"
        for each in failure.conflicts:
            name, in_part, in_edge = map(self._term, (each.variable, each.in_part, each.in_edge))
            yield f"{name} is {in_part} in the rest, but {in_edge} here"

    def _closest_value(self, failure: ConstraintFailure) -> Iterator[str]:
        if failure.closest is not None and failure.rows > 1:
            others_hold = failure.closest.only_failure
            where = "rows in which all other constraints hold" if others_hold else f"{failure.rows} rows"
            value, limit = self._term(failure.closest.value), self._term(failure.closest.limit)
            yield f"closest to {limit}: {value}, of all {where}"

    def _term(self, term: Term) -> str:
        return format_term(term, self._prefixes)

    def _triple(self, triple: Triple) -> str:
        return format_triple(triple, self._prefixes)


def _quoted(literal: Term) -> str:
    """Return the text of a literal with its quotes and escapes, which are the same in all equal texts."""
    return literal[: literal.rindex('"') + 1]


def _columns(lines: Iterable[tuple[str, str, str]], indent: str) -> Iterator[str]:
    """Align the right column of lines that consist of a mark, a left and a right column."""
    lines = list(lines)
    width = max((len(left) for _, left, right in lines if right and len(left) <= _MAX_ALIGNED_CHARACTERS), default=0)
    for mark, left, right in lines:
        yield f"{indent}{mark} {left:<{width}}   {right}".rstrip()

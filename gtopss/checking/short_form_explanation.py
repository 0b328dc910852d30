"""Explain a subscription in the short form in its own words: each condition with a mark and a reason.

    ✔ star          the words "star" found: «Star» City
    ✘ language:fr   the language is "en-us"

Each condition is explained as a subscription of its own. That is exact for a publication with one item, because
conditions share nothing but the item.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from gtopss.engine import Engine
from gtopss.explain import Explanation
from gtopss.explain.text import branch_reason, title
from gtopss.model import Publication
from gtopss.model.matches import OUTPUT_TEXT_LIMIT
from gtopss.model.term_text import escape_controls, format_term
from gtopss.short_form import ShortForm
from gtopss.short_form.parser import All, Any, Condition, Not, Part
from gtopss.short_form.printer import print_condition
from gtopss.short_form.translation import part_to_query
from ontology.labels import Labels
from sparqlish import PREFIXES

_MAX_ALIGNED_CHARACTERS = 40  # a longer condition does not move the reasons of the others
_NAMES = {"source": "feed with a title", "after": "date", "before": "date", "topic": "category"}


@dataclass(frozen=True, slots=True)
class _Line:
    holds: bool
    depth: int
    text: str
    reason: str = ""
    is_negated: bool | None = None  # None for a line that groups conditions


class ShortFormExplainer:
    """Write explanations as text: condition by condition for the short form, else as the engine does.

    `short_forms` are those of the engine, by id, and `labels` those that their topics were found by.
    """

    def __init__(
        self,
        engine: Engine,
        short_forms: Mapping[str, ShortForm],
        labels: Callable[[], Labels] | None = None,
        prefixes: Mapping[str, str] = PREFIXES,
    ) -> None:
        self._engine, self._short_forms, self._labels, self._prefixes = engine, short_forms, labels, prefixes

    def text(self, publication: Publication, explanation: Explanation, limit: int = OUTPUT_TEXT_LIMIT) -> str:
        """Return the explanation as text of at most `limit` characters, and a line that says so."""
        short = self._short_forms.get(explanation.subscription_id)
        written = self._in_its_words(short, publication, explanation) if short is not None else None
        return written if written is not None else explanation.text(self._prefixes, limit)

    def missing(self, publication: Publication, explanation: Explanation) -> str | None:
        """Return in one line why an item does not match; None if it is not near: no condition of the short form holds.

        Conditions with a minus count only if there are no others, because nearly every item meets them. A subscription
        that is not in the short form is always near.
        """
        short = self._short_forms.get(explanation.subscription_id)
        if short is None:
            return branch_reason(explanation.branches[0], self._prefixes)
        lines = [*self._part(short, short.tree(), publication, 0, negated=False)]
        wanted = [line.holds for line in lines if line.is_negated is False]
        if wanted and not any(wanted):
            return None
        return "; ".join(f"{line.text}: {line.reason}" for line in lines if line.reason and not line.holds)

    def _in_its_words(self, short: ShortForm, publication: Publication, explanation: Explanation) -> str | None:
        """Return a line for each condition; None if they do not tell whether it matches, as with several items."""
        lines = [*self._part(short, short.tree(), publication, 0, negated=False)]
        top = [line.holds for line in lines if line.depth == 0]
        if all(top) != explanation.matched:
            return None
        width = max((len(line.text) for line in lines if len(line.text) <= _MAX_ALIGNED_CHARACTERS), default=0)
        written = (
            f"{'  ' * line.depth}  {'✔' if line.holds else '✘'} {line.text:<{width}}   {line.reason}".rstrip()
            for line in lines
        )
        return "\n".join([f"{title(explanation)}:", *written])

    def _part(
        self, short: ShortForm, part: Part, publication: Publication, depth: int, *, negated: bool
    ) -> Iterator[_Line]:
        """Yield the lines of a part. Those with the least depth must all hold."""
        match part:
            case Not():
                yield from self._part(short, part.part, publication, depth, negated=not negated)
            case Condition():
                yield self._condition(short, part, publication, depth, negated=negated)
            case All() | Any() if isinstance(part, All) != negated:  # by De Morgan, not any is all not
                for each in part.parts:
                    yield from self._part(short, each, publication, depth, negated=negated)
            case All() | Any():
                yield from self._alternatives(short, part, publication, depth, negated=negated)

    def _alternatives(
        self, short: ShortForm, part: All | Any, publication: Publication, depth: int, *, negated: bool
    ) -> Iterator[_Line]:
        found: list[_Line] = []
        holds = False
        for each in part.parts:
            lines = [*self._part(short, each, publication, depth + 1, negated=negated)]
            alternative = [line.holds for line in lines if line.depth == depth + 1]
            holds |= all(alternative)
            if len(alternative) > 1:
                found.append(_Line(all(alternative), depth + 1, "all of"))
                lines = [replace(line, depth=line.depth + 1) for line in lines]
            found += lines
        yield _Line(holds, depth, "one of")
        yield from found

    def _condition(
        self, short: ShortForm, condition: Condition, publication: Publication, depth: int, *, negated: bool
    ) -> _Line:
        engine = Engine(taxonomy=self._engine.taxonomy, matcher="naive", literals=self._engine.config.literals)
        part = Not(condition) if negated else condition
        engine.add(part_to_query(part, short.source, self._labels), id="condition")
        explanation = engine.explain(publication, "condition")
        text = escape_controls(print_condition(condition, negated=negated))
        return _Line(explanation.matched, depth, text, self._reason(condition, explanation), negated)

    def _reason(self, condition: Condition, explanation: Explanation) -> str:
        if not explanation.branches:
            return ""
        branch = explanation.branches[0]
        name = _NAMES.get(condition.field, condition.field)
        missing = f"there is no {name}"
        if name not in ("date", "language"):
            return branch_reason(branch, self._prefixes, missing_edge=missing, labels_only=True)
        bindings = branch.solutions[0].bindings if branch.matched else branch.bindings
        values = [value for variable, value in bindings if variable.startswith(f"?{name}")]
        return f"the {name} is {format_term(values[0], self._prefixes).partition('^^')[0]}" if values else missing

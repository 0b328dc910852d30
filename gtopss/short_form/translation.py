"""Translate the short form of a subscription into a query of the subscription language.

A condition that must hold becomes a pattern, so that the index finds it; alternatives become UNION. A condition that
must not hold becomes `!has(...)`, which is true also for an item that does not have the property at all.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from gtopss.short_form.parser import All, Any, Condition, Not, Part, parse_short_form
from ontology.labels import Labels, fold_label
from sparqlish.errors import SparqlishError

_TEXT_PROPERTIES = ("rss:title", "rss:description", "content:encoded")
_PROPERTIES = {"title": "rss:title", "author": "dc:creator", "category": "dc:subject"}
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*")
_MAX_LISTED_CLASSES = 5


FIELDS: Mapping[str, str] = {
    "words": "these words in the title or the text; without a field, the same",
    "title": "these words in the title",
    "topic": "a topic of the ontology or anything below it, by its IRI or by a label; also a category with these words",
    "category": "these words in a category",
    "author": "these words in an author's name",
    "source": "these words in the title of the feed",
    "after": "published on this day or later: 2026, 2026-01 or 2026-01-31",
    "before": "published before this day",
    "language": "written in this language: en, pt-BR",
}
"""The fields of the short form, and what each asks for."""


def to_query(text: str, labels: Callable[[], Labels] | None = None) -> str:
    """Return the query that a subscription in the short form means. Raises SparqlishError, with the place and a caret.

    `labels` returns the labels of the ontology; it is called only if the text names a topic. Without it, a topic is a
    category.

    >>> print(to_query('title:"open source" -author:bot'))
    SELECT DISTINCT ?item WHERE {
      ?item a rss:item .
      ?item rss:title ?title1 FILTER(words(?title1, "open source"))
      FILTER(!has(?item, dc:creator, "bot"))
    }
    """
    tree = parse_short_form(text, FIELDS)
    lines = _Translation(text, labels).lines(tree, negated=False)
    return "\n".join(["SELECT DISTINCT ?item WHERE {", "  ?item a rss:item .", *(f"  {each}" for each in lines), "}"])


class _Translation:
    """The translation of one text. Each condition has variables of its own, with a number."""

    def __init__(self, text: str, labels: Callable[[], Labels] | None) -> None:
        self._text, self._labels = text, labels
        self._numbers = itertools.count(1)

    def lines(self, part: Part, *, negated: bool) -> Iterator[str]:
        """Yield the lines of a part; if `negated`, of its opposite."""
        match part:
            case Not():
                yield from self.lines(part.part, negated=not negated)
            case Condition():
                yield from self._condition(part, negated=negated)
            case All() | Any() if isinstance(part, All) != negated:  # by De Morgan, not any is all not
                for each in part.parts:
                    yield from self.lines(each, negated=negated)
            case All() | Any():
                groups = [[*self.lines(each, negated=negated)] for each in part.parts]
                yield from _union(groups)

    def _condition(self, condition: Condition, *, negated: bool) -> Iterator[str]:
        number = next(self._numbers)
        value = condition.value
        words = _literal(value)
        match condition.field:
            case "words":
                self._refuse_iri(condition)
                if negated:
                    yield _none(f"has(?item, {each}, {words})" for each in _TEXT_PROPERTIES)
                else:
                    among = f"?in{number} IN ({', '.join(_TEXT_PROPERTIES)})"
                    test = f"FILTER(words(?text{number}, {words}))"
                    yield f"?item ?in{number} ?text{number} FILTER({among}) {test}"
            case "title" | "author" | "category" as field:
                self._refuse_iri(condition)
                property = _PROPERTIES[field]
                yield _with_words("?item", property, f"?{field}{number}", words, negated=negated)
            case "source":
                yield from self._source(condition, number, negated=negated)
            case "topic":
                yield from self._topic(condition, number, negated=negated)
            case "after" | "before" as field:
                sign = ">=" if (field == "after") != negated else "<"
                yield f"?item dc:date ?date{number} FILTER(?date{number} {sign} {self._date(condition)})"
            case "language":
                if _LANGUAGE.fullmatch(value) is None:
                    raise self._error(condition, f"{value!r} is not a language: write en, de or pt-BR")
                sign = "!" if negated else ""
                name = f"?language{number}"
                yield f"?item dc:language {name} FILTER({sign}LANGMATCHES({name}, {words}))"

    def _source(self, condition: Condition, number: int, *, negated: bool) -> Iterator[str]:
        feed = f"?feed{number}"
        if condition.is_iri:
            test = f"FILTER({feed} {'!=' if negated else '='} <{condition.value}>)"
            yield f"?item dcterms:isPartOf {feed} {test}"
        else:
            test = _with_words(feed, "rss:title", f"?source{number}", _literal(condition.value), negated=negated)
            yield f"?item dcterms:isPartOf {feed} . {test}"

    def _topic(self, condition: Condition, number: int, *, negated: bool) -> Iterator[str]:
        cls = condition.value if condition.is_iri else self._class_named(condition)
        words = [] if condition.is_iri else [_literal(condition.value)]
        classes = [] if cls is None else [f"<{cls}>"]
        category, topic = f"?category{number}", f"?topic{number}"
        if negated:
            tests = [f"has(?item, {_PROPERTIES['category']}, {each})" for each in (*words, *classes)]
            yield _none([*tests, *(f"has(?item, dcterms:subject, {each})" for each in classes)])
            return
        tests = [f"words({category}, {each})" for each in words]
        tests += [f"labelled({category}, {each})" for each in classes]
        found = [[f"?item {_PROPERTIES['category']} {category} FILTER({' || '.join(tests)})"]]
        found += [[f"?item dcterms:subject {topic} FILTER(isA({topic}, {each}))"] for each in classes]
        yield from _union(found)

    def _class_named(self, condition: Condition) -> str | None:
        """Return the class with this label; None if there is no ontology. Raises SparqlishError, with guesses."""
        if self._labels is None:
            return None
        labels = self._labels()
        named = labels.named(condition.value)
        if len(named) == 1:
            return named[0]
        if named:
            # One whose preferred label it is comes before those that only have it as another name.
            preferred = [each for each in named if fold_label(labels.of(each)[0].text) == fold_label(condition.value)]
            if len(preferred) == 1:
                return preferred[0]
            reason = f"{condition.value!r} is the label of {len(named)} topics: write topic:<IRI> with one of"
            raise self._error(condition, f"{reason} {_listed(named, labels)}")
        found = labels.search(condition.value)
        hint = f"did you mean {_listed(found, labels)}?" if found else "`gtopss terms` finds topics."
        reason = f"the ontology has no topic that is called {condition.value!r}: {hint}"
        raise self._error(condition, f"{reason} For a category that no ontology has, write category:")

    def _date(self, condition: Condition) -> str:
        found = _DATE.fullmatch(condition.value)
        try:
            year, month, day = (int(each or 1) for each in found.groups()) if found else (0, 0, 0)
            return f'"{dt.date(year, month, day).isoformat()}T00:00:00Z"^^xsd:dateTime'
        except ValueError:
            reason = f"{condition.value!r} is not a day: write 2026, 2026-01 or 2026-01-31"
            raise self._error(condition, reason) from None

    def _refuse_iri(self, condition: Condition) -> None:
        if condition.is_iri:
            raise self._error(condition, f"{condition.field}: takes words, not an IRI; put it into quotes")

    def _error(self, condition: Condition, reason: str) -> SparqlishError:
        return SparqlishError.at(self._text, condition.place, reason)


def _none(tests: Iterator[str] | Sequence[str]) -> str:
    return f"FILTER({' && '.join(f'!{each}' for each in tests)})"


def _with_words(subject: str, property: str, variable: str, words: str, *, negated: bool) -> str:
    if negated:
        return _none([f"has({subject}, {property}, {words})"])
    return f"{subject} {property} {variable} FILTER(words({variable}, {words}))"


def _union(groups: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of alternatives. A group of filters alone gets the item that they test."""
    if len(groups) == 1:
        yield from groups[0]
        return
    for number, group in enumerate(groups):
        lines = group if any(not each.startswith("FILTER") for each in group) else ["?item a rss:item .", *group]
        yield "{" if number == 0 else "} UNION {"
        yield from (f"  {each}" for each in lines)
    yield "}"


def _literal(text: str) -> str:
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(escapes.get(each, each) for each in text) + '"'


def _listed(names: Sequence[str], labels: Labels) -> str:
    shown = [f"<{each}> ({labels.preferred(each)})" for each in names[:_MAX_LISTED_CLASSES]]
    return ", ".join(shown) + (" ..." if len(names) > _MAX_LISTED_CLASSES else "")

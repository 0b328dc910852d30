"""Translate the short form of a subscription into a query of the subscription language.

A condition that must hold becomes a pattern, so that the index finds it; alternatives become UNION. A condition that
must not hold becomes `!has(...)`, which is true also for an item that does not have the property at all. For dates,
languages and feeds, which `has` cannot test, it becomes a UNION of the items without the property and those with other
values; all such conditions on one property share it, because each UNION doubles the branches.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from gtopss.semantics.words import InvalidNeedle, words_needle
from gtopss.short_form.parser import All, Any, Condition, Not, Part, SourceLine, parse_short_form
from ontology.labels import Labels, fold_label
from sparqlish.errors import SparqlishError

_TEXT_PROPERTIES = ("rss:title", "rss:description", "content:encoded")
_PROPERTIES = {"title": "rss:title", "author": "dc:creator", "category": "dc:subject"}
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*")
_MAX_LISTED_CLASSES = 5
_UNWANTED = {"after": "date", "before": "date", "language": "language", "source": "feed"}
_NO_LANGUAGE = "FILTER(!has(?item, dc:language))"  # what an item says counts before what its feed says


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
    source = SourceLine(text)
    return part_to_query(parse_short_form(source, FIELDS), source, labels)


def part_to_query(part: Part, source: SourceLine, labels: Callable[[], Labels] | None = None) -> str:
    """Return the query that a part of a parsed text means. Raises SparqlishError, as `to_query` does."""
    lines = _Translation(source, labels).lines(part, negated=False)
    return "\n".join(["SELECT DISTINCT ?item WHERE {", "  ?item a rss:item .", *(f"  {each}" for each in lines), "}"])


class _Translation:
    """The translation of one text. Each condition has variables of its own, with a number."""

    def __init__(self, source: SourceLine, labels: Callable[[], Labels] | None) -> None:
        self._source, self._labels = source, labels
        self._numbers = itertools.count(1)

    def lines(self, part: Part, *, negated: bool) -> Iterator[str]:
        """Yield the lines of a part; if `negated`, of its opposite."""
        match part:
            case Not():
                yield from self.lines(part.part, negated=not negated)
            case All() | Any() if isinstance(part, All) == negated:  # by De Morgan, not all is any not
                groups = [[*self.lines(each, negated=negated)] for each in part.parts]
                yield from _union(groups)
            case _:
                yield from self._conjunction(part, negated=negated)

    def _conjunction(self, part: Part, *, negated: bool) -> Iterator[str]:
        """Yield the lines of parts that must all hold. Unwanted dates, languages and feeds come last, by property."""
        unwanted: dict[str, list[Condition]] = {}
        for each, is_negated in _flat(part, negated=negated):
            if not isinstance(each, Condition):
                yield from self.lines(each, negated=is_negated)
            elif is_negated and each.field in _UNWANTED:
                unwanted.setdefault(_UNWANTED[each.field], []).append(each)
            else:
                yield from self._condition(each, negated=is_negated)
        for kind, conditions in unwanted.items():
            yield from self._without(kind, conditions, next(self._numbers))

    def _without(self, kind: str, conditions: Sequence[Condition], number: int) -> Iterator[str]:
        """Yield the lines for items whose date, language or feed is none of these, or that have none."""
        match kind:
            case "date":
                name = f"?date{number}"
                tests = [f"{name} {self._date_test(each, negated=True)}" for each in conditions]
                yield from _absent_or("?item", "dc:date", name, tests)
            case "language":
                name, feed = f"?language{number}", f"?feed{number}"
                tests = [f"!LANGMATCHES({name}, {self._language(each)})" for each in conditions]
                said = [*_languages(name, feed, f"FILTER({' && '.join(tests)})")]
                said.append(f"?item dcterms:isPartOf {feed} {_NO_LANGUAGE} FILTER(!has({feed}, dc:language))")
                said.append(f"{_NO_LANGUAGE} FILTER(!has(?item, dcterms:isPartOf))")
                yield from _union([[each] for each in said])
            case "feed":
                name = f"?feed{number}"
                tests = [
                    f"{name} != <{each.value}>" if each.is_iri else f"!has({name}, rss:title, {self._words(each)})"
                    for each in conditions
                ]
                yield from _absent_or("?item", "dcterms:isPartOf", name, tests)

    def _condition(self, condition: Condition, *, negated: bool) -> Iterator[str]:
        number = next(self._numbers)
        match condition.field:
            case "words":
                words = self._words(condition)
                if negated:
                    yield _none(f"has(?item, {each}, {words})" for each in _TEXT_PROPERTIES)
                else:
                    among = f"?in{number} IN ({', '.join(_TEXT_PROPERTIES)})"
                    test = f"FILTER(words(?text{number}, {words}))"
                    yield f"?item ?in{number} ?text{number} FILTER({among}) {test}"
            case "title" | "author" | "category" as field:
                property = _PROPERTIES[field]
                yield _with_words("?item", property, f"?{field}{number}", self._words(condition), negated=negated)
            case "source" if condition.is_iri:
                yield f"?item dcterms:isPartOf ?feed{number} FILTER(?feed{number} = <{condition.value}>)"
            case "source":
                feed = f"?feed{number}"
                test = _with_words(feed, "rss:title", f"?source{number}", self._words(condition), negated=False)
                yield f"?item dcterms:isPartOf {feed} . {test}"
            case "topic":
                yield from self._topic(condition, number, negated=negated)
            case "after" | "before":
                name = f"?date{number}"
                yield f"?item dc:date {name} FILTER({name} {self._date_test(condition, negated=False)})"
            case "language":
                name, feed = f"?language{number}", f"?feed{number}"
                test = f"FILTER(LANGMATCHES({name}, {self._language(condition)}))"
                yield from _union([[each] for each in _languages(name, feed, test)])

    def _topic(self, condition: Condition, number: int, *, negated: bool) -> Iterator[str]:
        cls = condition.value if condition.is_iri else self._class_named(condition)
        words = [] if condition.is_iri else [self._words(condition)]
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

    def _date_test(self, condition: Condition, *, negated: bool) -> str:
        sign = ">=" if (condition.field == "after") != negated else "<"
        return f"{sign} {self._date(condition)}"

    def _language(self, condition: Condition) -> str:
        if _LANGUAGE.fullmatch(condition.value) is None:
            raise self._error(condition, f"{condition.value!r} is not a language: write en, de or pt-BR")
        return _literal(condition.value)

    def _date(self, condition: Condition) -> str:
        found = _DATE.fullmatch(condition.value)
        try:
            year, month, day = (int(each or 1) for each in found.groups()) if found else (0, 0, 0)
            return f'"{dt.date(year, month, day).isoformat()}T00:00:00Z"^^xsd:dateTime'
        except ValueError:
            reason = f"{condition.value!r} is not a day: write 2026, 2026-01 or 2026-01-31"
            raise self._error(condition, reason) from None

    def _words(self, condition: Condition) -> str:
        """Return the words of a condition as a literal. Raises SparqlishError if there are none."""
        if condition.is_iri:
            raise self._error(condition, f"{condition.field}: takes words, not an IRI; put it into quotes")
        try:
            words_needle(condition.value)
        except InvalidNeedle as error:
            raise self._error(condition, str(error)) from error
        return _literal(condition.value)

    def _error(self, condition: Condition, reason: str) -> SparqlishError:
        return self._source.error(condition.place, reason)


def _flat(part: Part, *, negated: bool) -> Iterator[tuple[Part, bool]]:
    """Yield the parts that must all hold, and whether each is negated. Alternatives stay one part."""
    match part:
        case Not():
            yield from _flat(part.part, negated=not negated)
        case All() | Any() if isinstance(part, All) != negated:  # by De Morgan, not any is all not
            for each in part.parts:
                yield from _flat(each, negated=negated)
        case _:
            yield part, negated


def _languages(name: str, feed: str, test: str) -> Iterator[str]:
    """Yield two alternatives: the item says its language; its feed does, and the item does not."""
    yield f"?item dc:language {name} {test}"
    yield f"?item dcterms:isPartOf {feed} . {feed} dc:language {name} {test} {_NO_LANGUAGE}"


def _absent_or(subject: str, property: str, name: str, tests: Sequence[str]) -> Iterator[str]:
    """Yield the lines for a subject without the property, or with a value that passes all tests."""
    other = f"{subject} {property} {name} FILTER({' && '.join(tests)})"
    return _union([[f"FILTER(!has({subject}, {property}))"], [other]])


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

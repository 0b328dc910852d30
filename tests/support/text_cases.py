"""Random publications with texts of many scripts, and subscriptions that look for parts of them."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from gtopss.model import Branch, Call, Publication, Subscription, Term
from gtopss.model.expressions import call
from gtopss.model.terms import iri, is_literal, literal, literal_parts
from gtopss.semantics.text_tests import TextMapping, map_text
from gtopss.semantics.words import words_text
from ontology import Taxonomy
from support.strategies import Case

PIECES = [
    "a", "b", "ab", "A", "B", "aB", "n", "\\n", "\n", "\t", '"', "\\", " ", "u0041", "flood", "Flood", "ß", "ẞ", "SS",
    "ı", "İ", "i", "I", "i\u0307", "Σ", "σ", "ς", "ΟΔΟΣ", "ΑΣΑ", "ﬁ", "é", "e\u0301", "É", "日本", "本", "ภาษา", "한국",
    "👍🏽", "👍", "\U0010fffd", "K", "k", "ſ", "s", "ǆ", "ǅ", "Ǆ", "ŉ", "ά", "Ά", "ـ", "é" * 9, "\x7f", "\x01", "&amp;",
    "<b>",
]  # fmt: skip
LANGUAGES = [None, None, None, "en", "de", "en-gb"]
PROPERTIES = [iri("urn:title"), iri("urn:text"), iri("urn:link")]
DATATYPES = [None, None, None, None, "http://www.w3.org/2001/XMLSchema#token", "urn:type"]
SUBJECTS = [iri("urn:a"), iri("urn:abab"), Term("_:b")]
VARIABLES = [Term("?t"), Term("?u")]


def text_case(random: Random) -> Case:
    """Return a publication and a few subscriptions, of which a fair share matches."""
    objects = [_object(random) for _ in range(random.randint(1, 5))]
    triples = [(random.choice(SUBJECTS), random.choice(PROPERTIES), each) for each in objects]
    subscriptions = [_subscription(random, f"s{number}", triples) for number in range(random.randint(1, 5))]
    return Case(Taxonomy(), tuple(subscriptions), Publication("p", triples))


class TextBatch(NamedTuple):
    """Subscriptions that look for parts of the texts of publications, each of which has one text."""

    subscriptions: list[Subscription]
    publications: list[Publication]
    documents: list[bytes]
    """The publications in N-Triples, with escapes that are not canonical."""


def text_batch(random: Random, size: int) -> TextBatch:
    """Return so many publications, and as many subscriptions: each looks for a part of one text."""
    subscriptions, publications, documents = list[Subscription](), list[Publication](), list[bytes]()
    for number in range(size):
        term = _object(random)
        while term.startswith("_:"):  # a document is read with other labels of blank nodes
            term = _object(random)
        test = _test(random, {VARIABLES[0]: term}, random.choice([0, 0, 1]))
        branch = Branch([(Term("?x"), PROPERTIES[0], VARIABLES[0])], [test])
        subscriptions.append(Subscription(f"s{number}", branches=[branch]))
        publications.append(Publication(f"p{number}", [(SUBJECTS[0], PROPERTIES[0], term)]))
        documents.append(f"{SUBJECTS[0]} {PROPERTIES[0]} {_escaped(random, term)} .\n".encode())
    return TextBatch(subscriptions, publications, documents)


def _escaped(random: Random, term: Term) -> str:
    """Write some characters of a literal as escapes."""
    if not is_literal(term):
        return term
    text, _, _ = literal_parts(term)
    written = []
    for character in text:
        if random.random() < 0.2:
            written.append(random.choice([f"\\U{ord(character):08X}", f"\\U{ord(character):08x}"]))
        elif random.random() < 0.2 and ord(character) < 0x10000:
            written.append(f"\\u{ord(character):04X}")
        else:
            written.append(literal(character)[1:-1])
    return f'"{"".join(written)}{term[term.rindex(chr(34)) :]}'


def random_text(random: Random) -> str:
    return "".join(random.choices(PIECES, k=random.randint(0, 8)))


def _object(random: Random) -> Term:
    if random.random() < 0.15:
        return random.choice([*SUBJECTS, iri("urn:floodFlood")])
    language, datatype = random.choice(LANGUAGES), random.choice(DATATYPES)
    text = random_text(random)
    return literal(text, language=language) if language else literal(text, datatype)


def _subscription(random: Random, name: str, triples: list[tuple[Term, Term, Term]]) -> Subscription:
    edges, terms = [], dict[Term, Term]()
    for variable in VARIABLES[: random.choice([1, 1, 2])]:
        subject, property, object_ = random.choice(triples)
        place = random.random()
        subject = Term("?x") if place < 0.7 else subject
        property = property if place < 0.9 else Term("?p")
        edges.append((subject, property, variable))
        terms[variable] = object_
    if len(edges) > 1 and random.random() < 0.7:
        edges = [(edges[0][0], p, o) for _, p, o in edges]
    tests = [_test(random, terms, 2) for _ in range(random.choice([1, 1, 2, 3]))]
    return Subscription(name, branches=[Branch(edges, tests)], distinct=random.random() < 0.2)


def _test(random: Random, terms: dict[Term, Term], depth: int) -> Call:
    kind = random.random()
    if depth and kind < 0.25:
        parts = [_test(random, terms, depth - 1) for _ in range(random.randint(2, 3))]
        return Call(random.choice(["||", "||", "&&"]), tuple(parts))
    if depth and kind < 0.35:
        return Call("!", (_test(random, terms, depth - 1),))
    variable = random.choice(list(terms))
    mapping = random.choice(list(TextMapping)[:3])
    tested = call("STR", variable) if random.random() < 0.3 else variable
    tested = {TextMapping.LOWER: call("LCASE", tested), TextMapping.UPPER: call("UCASE", tested)}.get(mapping, tested)
    text = "" if terms[variable].startswith("_:") else map_text(terms[variable], mapping)
    if kind < 0.4:
        members = [_needle(random, text, whole=True) for _ in range(random.randint(1, 4))]
        if random.random() < 0.5:
            members.append(terms[variable] if not terms[variable].startswith("_:") else SUBJECTS[0])
        return call("in", tested, *members)
    if kind < 0.5:
        return call(random.choice(["=", "!="]), tested, _needle(random, text, whole=True))
    if kind < 0.55:
        return call(">", call("STRLEN", tested), literal("3", "http://www.w3.org/2001/XMLSchema#integer"))
    if kind < 0.65:
        words = [each for each in words_text(text).split("\x1f") if each] or ["flood"]
        begin = random.randrange(len(words))
        phrase = " ".join(words[begin : begin + random.randint(1, 3)])
        return call("WORDS", variable, literal(random.choice([phrase, phrase, f"{phrase[:90]}*", "flood ab"])))
    if kind < 0.75:
        return call("REGEX", tested, *_pattern(random, text))
    function = random.choice(["CONTAINS", "CONTAINS", "STRSTARTS", "STRENDS"])
    return call(function, tested, _needle(random, text, whole=False, function=function))


def _pattern(random: Random, text: str) -> list[Term]:
    """Return a pattern that is made of parts of a text, sometimes with flags."""
    letters = "".join(each if each.isalnum() else "." for each in text)
    begin, end = sorted(random.choices(range(len(letters) + 1), k=2))
    part = letters[begin:end]
    pattern = random.choice([part, f"{part}|x[0-9]", f"^.*{part}", f"({part})+", "[a-f]+", f"{part}$", "^$"])
    flags = random.choice(["", "", "i", "is"])
    return [literal(pattern)] + ([literal(flags)] if flags else [])


def _needle(random: Random, text: str, *, whole: bool, function: str = "") -> Term:
    """Return a part of a text, or another text, sometimes with a language."""
    if random.random() < 0.25:
        made = random.choice(PIECES)
    elif whole:
        made = text
    else:
        begin, end = sorted(random.choices(range(len(text) + 1), k=2))
        begin, end = (0 if function == "STRSTARTS" else begin), (len(text) if function == "STRENDS" else end)
        made = text[begin:end]
    return literal(made, language=random.choice(["en", "de"])) if random.random() < 0.1 else literal(made)

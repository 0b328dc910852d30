"""Random taxonomies, publications and subscriptions, over alphabets so small that things really join."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from gtopss.model import Branch, Call, FiveTuple, Publication, Subscription
from gtopss.model.expressions import call, variables
from gtopss.model.terms import RDF_TYPE, XSD, Term, iri, literal
from ontology import Taxonomy

NODES = [iri(f"urn:n{i}") for i in range(4)]
CLASSES = [iri(f"urn:C{i}") for i in range(5)]
PROPERTIES = [*(iri(f"urn:p{i}") for i in range(3)), RDF_TYPE]
BLANKS = [Term("_:b0"), Term("_:b1")]
VARIABLES = [Term("?x"), Term("?y"), Term("?z")]
NUMBERS = [
    *(literal(text, XSD + "integer") for text in ("1", "2", "3", "-1")),
    literal("1", XSD + "decimal"),
    literal("2.5", XSD + "decimal"),
    literal("2.5", XSD + "double"),
    literal("1", XSD + "float"),
]
TEXTS = [literal(""), literal("abc"), literal("b"), literal("abc", language="en"), literal("b", language="en-GB")]
TIMES = [
    literal("2001-05-21T10:00:00Z", XSD + "dateTime"),
    literal("2001-05-21T12:00:00+02:00", XSD + "dateTime"),
    literal("2001-05-20T10:00:00", XSD + "dateTime"),
    literal("2001-05-21", XSD + "date"),
    literal("2001-05-22", XSD + "date"),
    literal("10:00:00Z", XSD + "time"),
    literal("2001-05-25T23:24:25Z", XSD + "dateTime"),
]
OTHERS = [
    literal("true", XSD + "boolean"),
    literal("false", XSD + "boolean"),
    literal("abc", XSD + "integer"),
    literal("x", "urn:unknown"),
    literal("y", "urn:unknown"),
]
CANONICAL = [*NUMBERS, *TEXTS, *TIMES, *OTHERS]
"""Literals that Oxigraph's store gives back as they were."""
LITERALS = [
    *CANONICAL,
    literal("01", XSD + "integer"),
    literal("1.0", XSD + "decimal"),
    literal("2.5E0", XSD + "double"),
    literal("3", XSD + "byte"),
    literal("0", XSD + "boolean"),
]
"""Those, and some whose lexical form or derived type it rewrites: "01" is another term than "1", of equal value."""


@dataclass(frozen=True)
class Case:
    """Something to match: all matchers must give the same answers."""

    taxonomy: Taxonomy
    subscriptions: tuple[Subscription, ...]
    publication: Publication


def taxonomies() -> st.SearchStrategy[Taxonomy]:
    """Classes in a fixed order, edges only upward: a DAG with several parents; nodes and classes as instances.

    Some have labels that the texts of publications may be.
    """
    names = [cls[1:-1] for cls in CLASSES]
    upward = [(child, parent) for i, parent in enumerate(names) for child in names[i + 1 :]]
    typed = [(member, cls) for member in [*(n[1:-1] for n in NODES), names[0]] for cls in names]
    made = st.builds(
        Taxonomy,
        st.lists(st.sampled_from(upward), max_size=6, unique=True),
        st.lists(st.sampled_from(typed), max_size=4, unique=True),
    )
    return st.builds(_with_labels, made, st.lists(labels(), max_size=4))


def labels() -> st.SearchStrategy[tuple[str, str]]:
    """A term and a label of it."""
    names = [each[1:-1] for each in (*CLASSES, *NODES[:2])]
    return st.tuples(st.sampled_from(names), st.sampled_from(["abc", " ABC", "B", "other", ""]))


def _with_labels(taxonomy: Taxonomy, labels: list[tuple[str, str]]) -> Taxonomy:
    for term, text in labels:
        taxonomy.add_label(term, text)
    return taxonomy


def publications(literals: list[Term] = LITERALS) -> st.SearchStrategy[Publication]:
    subjects = st.sampled_from([*NODES, *BLANKS, *CLASSES[:2]])
    objects = st.one_of(subjects, st.sampled_from(CLASSES), st.sampled_from(literals))
    triples = st.tuples(subjects, st.sampled_from(PROPERTIES), objects)
    return st.lists(triples, min_size=1, max_size=9).map(lambda made: Publication("p", made))


@st.composite
def constraints(draw: st.DrawFn, names: list[Term], literals: list[Term]) -> Call:
    """A test of one variable, sometimes of two."""
    name = draw(st.sampled_from(names))
    kind = draw(st.integers(0, 9))
    if kind <= 3:
        other = draw(st.sampled_from([*literals, *NODES, *names]))
        return call(draw(st.sampled_from(["=", "!=", "<", "<=", ">", ">="])), name, other)
    if kind <= 5:
        question = draw(st.sampled_from(["isA", "instanceOf", "directlyA", "ancestorOf", "descendantOf", "LABELLED"]))
        return call(question, name, draw(st.sampled_from([*CLASSES, *NODES[:1], *names])))
    if kind == 6:
        text = draw(st.sampled_from(["a", "b", "bc", ""]))
        function = draw(st.sampled_from(["CONTAINS", "STRSTARTS", "STRENDS", "REGEX", "WORDS"]))
        subject = draw(st.sampled_from([name, call("STR", name)]))
        if function == "WORDS":
            text = draw(st.sampled_from(["B", "abc", "a*", "urn n1"]))
        return call(function, subject, literal(text))
    if kind == 7:
        test = draw(st.sampled_from(["ISIRI", "ISBLANK", "ISLITERAL", "ISNUMERIC", "BOUND"]))
        return draw(st.sampled_from([call(test, name), call("!", call(test, name))]))
    if kind == 8:
        chosen = draw(st.lists(st.sampled_from([*literals, *NODES]), max_size=3))
        return call(draw(st.sampled_from(["in", "not in"])), name, *chosen)
    sum_ = call(draw(st.sampled_from(["+", "-", "*", "/"])), name, draw(st.sampled_from([*NUMBERS, *names])))
    comparison = call(draw(st.sampled_from(["<", ">", "=", "!="])), sum_, draw(st.sampled_from(NUMBERS)))
    typed = call("=", call("DATATYPE", name), iri(XSD + "integer"))
    spoken = call("LANGMATCHES", call("LANG", name), literal("en"))
    logic = call(draw(st.sampled_from(["||", "&&"])), comparison, draw(st.sampled_from([typed, spoken])))
    return draw(st.sampled_from([comparison, typed, spoken, logic]))


@st.composite
def branches(draw: st.DrawFn, publication: Publication, literals: list[Term]) -> Branch:
    """Mostly the publication's own triples with some terms made variables, so that a fair share matches."""
    edges = []
    renamed: dict[Term, Term] = {}
    for _ in range(draw(st.integers(1, 4))):
        if draw(st.integers(0, 9)) < 8:
            edge = []
            for position, value in enumerate(draw(st.sampled_from(publication.triples))):
                if value not in renamed and draw(st.integers(0, 9)) < (2 if position == 1 else 6):
                    renamed[value] = draw(st.sampled_from(VARIABLES))
                generalised = renamed.get(value, value)
                edge.append(generalised if position != 1 or draw(st.integers(0, 3)) == 0 else value)
        else:
            edge = [
                draw(st.sampled_from([*VARIABLES, *NODES, *BLANKS])),
                draw(st.sampled_from([*PROPERTIES, Term("?p"), VARIABLES[0]])),
                draw(st.sampled_from([*VARIABLES, *NODES, *CLASSES, *literals])),
            ]
        edges.append(tuple(edge))
    plain = Branch(edges)
    names = list(plain.variables())
    tests = draw(st.lists(constraints(names, literals), max_size=2)) if names else []
    return on_ends(edges, tests) if draw(st.booleans()) else Branch(edges, tests)


def on_ends(edges: list[tuple[Term, Term, Term]], tests: list[Call]) -> Branch:
    """The branch with each test of one end in that end's constraint set, as the paper has them."""
    subjects = [[test for test in tests if variables(test) == {edge[0]}] for edge in edges]
    objects = [[test for test in tests if variables(test) == {edge[2]}] for edge in edges]
    placed = {test for sets in (*subjects, *objects) for test in sets}
    tuples = [FiveTuple(*edge, one, other) for edge, one, other in zip(edges, subjects, objects, strict=True)]
    return Branch(tuples, [test for test in tests if test not in placed])


@st.composite
def subscriptions(draw: st.DrawFn, publication: Publication, id: str, literals: list[Term]) -> Subscription:
    count = draw(st.sampled_from([1, 1, 1, 2]))
    made = [draw(branches(publication, literals)) for _ in range(count)]
    return Subscription(id, branches=made, distinct=draw(st.booleans()))


@st.composite
def cases(draw: st.DrawFn, literals: list[Term] = LITERALS) -> Case:
    publication = draw(publications(literals))
    made = [draw(subscriptions(publication, f"s{i}", literals)) for i in range(draw(st.integers(1, 4)))]
    return Case(draw(taxonomies()), tuple(made), publication)

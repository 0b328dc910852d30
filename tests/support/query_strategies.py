"""Random queries, of exactly the kinds that the parser makes."""

from itertools import count

from hypothesis import strategies as st

from sparqlish import IRI, Bind, BlankNode, Call, Filter, Group, Literal, Query, Triple, Union, Values, Variable
from sparqlish.functions import SYNONYMS
from support.parsing import FUNCTIONS

XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OPERATORS = {"locIn": 2, "near": (1, 3), "any": None}

variables = st.sampled_from(["x", "y", "z", "été", "1", "a_b", "FILTER"]).map(Variable)
iris = st.sampled_from(
    [
        "http://e/x", "http://e/ns#name", "http://e/ns#", "http://e/a(b)'c", "http://e/%20?q=1&r=2", "urn:a:b.c",
        "http://e/ns#a.b", "http://e/ns#1", "http://é/ü", "http://e/ns#-x", "http://e/deep/ns#x",
        RDF + "type", RDFS + "subClassOf", XSD + "integer",
    ]
).map(IRI)  # fmt: skip
texts = st.one_of(
    st.text(max_size=8),
    st.text(alphabet="\\\"'nu0041U\n\r\t\b\f#", max_size=8),
    st.sampled_from(['"""', "\\u0041", "\\", "\\\\u0041", "'''", "", "1", "-1", "true", "1e5", "\0"]),
)
literals = st.one_of(
    texts.map(Literal),
    st.builds(Literal, texts, st.sampled_from([XSD + "date", XSD + "integer", RDF + "langString", "http://e/t"])),
    st.builds(Literal, texts, st.just(RDF + "langString"), st.sampled_from(["en", "en-GB", "DE", "x-1a"])),
    st.sampled_from(["0", "1", "-1", "+1", "007"]).map(lambda text: Literal(text, XSD + "integer")),
    st.sampled_from(["1.5", "-.5", "+0.0", "1.", "."]).map(lambda text: Literal(text, XSD + "decimal")),
    st.sampled_from(["1e5", "-1.E+3", "+.5e-1", "INF", "e"]).map(lambda text: Literal(text, XSD + "double")),
    st.sampled_from(["true", "false", "TRUE", "1"]).map(lambda text: Literal(text, XSD + "boolean")),
)
blanks = st.sampled_from(["a", "b0", "x.y", "1"]).map(BlankNode)
nodes = st.one_of(variables, iris, literals, blanks)


def _groups(inner):
    return st.lists(inner, max_size=5).map(lambda found: Group(tuple(found)))


def _calls(inner):
    def call(function, low, high):
        return st.lists(inner, min_size=low, max_size=high).map(lambda items: Call(function, tuple(items)))

    builtins = []
    for name, arity in FUNCTIONS.items():
        if name in SYNONYMS:
            continue
        low, high = (arity, arity) if isinstance(arity, int) else arity
        high = 3 if high is None else high
        builtins.append(
            st.builds(lambda each: Call("BOUND", (each,)), variables) if name == "BOUND" else call(name, low, high)
        )
    signs = ("=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/")
    return st.one_of(
        st.one_of([call(sign, 2, 2) for sign in signs]),
        st.one_of([call(sign, 2, 2) for sign in ("+", "-", "*", "/")]),
        st.one_of(call("||", 2, 4), call("&&", 2, 4), call("in", 1, 4), call("not in", 1, 4)),
        st.one_of([call(sign, 1, 1) for sign in ("!", "unary-", "unary+")]),
        st.one_of(builtins),
        st.one_of(
            [call(name, 2, 2) for name in ("isA", "instanceOf", "directlyA", "ancestorOf", "descendantOf", "locIn")]
        ),
        st.one_of(call("near", 1, 3), call("any", 0, 2)),
        st.one_of(call(f"<{XSD}integer>", 1, 1), call("<http://e/f>", 0, 2)),
    )


expressions = st.recursive(st.one_of(variables, iris, literals), _calls, max_leaves=12)


@st.composite
def values(draw):
    width = draw(st.integers(0, 3))
    cells = st.one_of(st.none(), iris, literals)
    rows = draw(st.lists(st.tuples(*[cells] * width), max_size=3))
    names = draw(st.lists(variables, min_size=width, max_size=width, unique=True))
    return Values(tuple(names), tuple(rows))


paths = st.builds(lambda subject, value: Filter(Call("instanceOf", (subject, value))), nodes, nodes)
simple = st.one_of(
    st.builds(Triple, nodes, st.one_of(variables, iris), nodes),
    st.builds(Triple, nodes, st.one_of(variables, iris), nodes),
    st.builds(Filter, expressions),
    paths,
    st.builds(Bind, expressions, st.just(Variable("fresh"))),
    values(),
)
elements = st.recursive(
    simple,
    lambda inner: st.one_of(
        _groups(inner), st.lists(_groups(inner), min_size=2, max_size=3).map(lambda found: Union(tuple(found)))
    ),
    max_leaves=8,
)


def _legal(group, blocks, names):
    """The group with each blank node in one basic graph pattern only and each BIND's variable new."""
    block = next(blocks)
    done = []

    def own(term):
        return BlankNode(f"{term.label}-{block}") if isinstance(term, BlankNode) else term

    for element in group.elements:
        match element:
            case Triple(subject, predicate, value):
                done.append(Triple(own(subject), predicate, own(value)))
            case Filter(Call("instanceOf", arguments)):
                done.append(Filter(Call("instanceOf", tuple(own(each) for each in arguments))))
            case Filter():
                done.append(element)
            case Bind(expression):
                done.append(Bind(expression, Variable(f"new{next(names)}")))
            case Group():
                done.append(_legal(element, blocks, names))
            case Union(branches):
                done.append(Union(tuple(_legal(branch, blocks, names) for branch in branches)))
            case Values():
                done.append(element)
        if not isinstance(element, Triple | Filter):
            block = next(blocks)
    return Group(tuple(done))


queries = st.builds(
    lambda form, projected, distinct, where: Query(
        form,
        None if form == "ASK" else projected,
        form == "SELECT" and distinct,
        _legal(where, count(), count()),
    ),
    st.sampled_from(["SELECT", "ASK"]),
    st.one_of(st.none(), st.lists(variables, min_size=1, max_size=3).map(tuple)),
    st.booleans(),
    _groups(elements),
)

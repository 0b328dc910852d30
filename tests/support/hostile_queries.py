"""Random hostile subscriptions: texts that are small and ask for much."""

from __future__ import annotations

import random
from collections.abc import Callable

from gtopss.semantics.functions import FUNCTIONS

IRIS = ("<urn:p>", "<urn:q>", "<urn:r>", "a")
CLASSES = 400
"""Classes that subscriptions may name: <urn:C0> to <urn:C399>."""
TEXTS = (
    "'a'", "''", "'é'", "'\\u0041'", "'\U0001f600'", "'a'@en", "'1'^^xsd:integer", "'x'^^xsd:integer", "1", "-1", "0.5",
    "1e300", "'2020-01-01'^^xsd:date", "'2020-02-30T25:00:00'^^xsd:dateTime", "true", "<urn:n1>", "'INF'^^xsd:double",
    "'" + "9" * 300 + "'^^xsd:decimal", "'" + "ab" * 500 + "'", "'(a|b)*'", "'$0$0$0'", "'.*'", "'i'", "3000000000",
)  # fmt: skip
_UNSAFE = ("BOUND", "IF", "COALESCE")  # their arguments need more than any expression


def query(chance: random.Random) -> str:
    """Return the text of one subscription. Some are not valid."""
    text = chance.choice(_SHAPES)(chance)
    return chance.choice(("SELECT DISTINCT * ", "SELECT * ", "SELECT * ", "ASK ")) + "{ " + text + " }"


def crowd(chance: random.Random) -> list[str]:
    """Return the texts of very many subscriptions that are cheap alone and share much."""
    form = chance.choice((
        lambda n: f"CONTAINS(?y, '{'a' * n}')",
        lambda n: f"CONTAINS(LCASE(?y), '{'a' * n}b') || STRENDS(?y, '{n}')",
        lambda n: f"words(?y, '{'a ' * (n % 400)}b')",
        lambda n: f"REGEX(?y, '^(a|b)*[{chr(99 + n % 20)}-z]{{{1 + n // 20}}}')",
        lambda n: f"REPLACE(?y, '(a|b)+{n}|a', '$0$0') = 'a'",
        lambda n: f"isA(?y, <urn:C{n % CLASSES}>)",
        lambda n: f"isA(?x, <urn:C{n % CLASSES}>) && STRLEN(STR(?y)) > {n}",
        lambda n: f"?y + ?z < -{n}",
        lambda n: f"SUBSTR(?y, {n}) = ENCODE_FOR_URI(?z)",
    ))  # fmt: skip
    return [
        f"SELECT * {{ ?x <urn:p> ?y . ?x <urn:p> ?z FILTER({form(n)}) }}"
        if "?z" in form(n)
        else f"SELECT * {{ ?x <urn:p> ?y FILTER({form(n)}) }}"
        for n in range(1, chance.choice((30, 200, 1_000)))
    ]


def _star(chance: random.Random) -> str:
    """Ask for products: several objects of one subject, tested together."""
    count = chance.choice((2, 3, 4, 5, 8, 30))
    properties = [chance.choice(IRIS[:3])] if chance.random() < 0.6 else list(IRIS[:3])
    edges = " . ".join(f"?x {chance.choice(properties)} ?v{n}" for n in range(count))
    return f"{edges} {_filter(chance, [f'?v{n}' for n in range(count)])}"


def _shared_property(chance: random.Random) -> str:
    """Join through property variables alone, which is nearly a product."""
    count = chance.choice((2, 3, 4))
    edges = " . ".join(f"?x{n} ?p{n % chance.choice((1, 1, 2))} ?y{n}" for n in range(count))
    return f"{edges} {_filter(chance, [f'?y{n}' for n in range(count)])}"


def _chain(chance: random.Random) -> str:
    """Ask for long paths, or for cycles."""
    count = chance.choice((2, 3, 4, 6, 12, 40))
    last = "?n0" if chance.random() < 0.3 else f"?n{count}"
    edges = " . ".join(f"?n{n} <urn:p> {last if n == count - 1 else f'?n{n + 1}'}" for n in range(count))
    return f"{edges} {_filter(chance, ['?n0', f'?n{count - 1}'])}"


def _clique(chance: random.Random) -> str:
    count = chance.choice((3, 4, 5))
    edges = " . ".join(f"?n{i} <urn:p> ?n{j}" for i in range(count) for j in range(i))
    return f"{edges} {_filter(chance, ['?n0', '?n1'])}"


def _wide(chance: random.Random) -> str:
    """Ask for very many variables."""
    count = chance.choice((100, 500, 990, 1_100))
    return " . ".join(f"?x <urn:p> ?v{n}" for n in range(count))


def _product(chance: random.Random) -> str:
    """Ask for parts without a common variable. Most engines refuse it when it is added."""
    return f"?a <urn:p> ?b . ?c <urn:q> ?d . ?e ?f ?g {_filter(chance, ['?a', '?d', '?g'])}"


def _doubling(chance: random.Random) -> str:
    """Bind texts or numbers of which each is twice as long as the one before."""
    form = chance.choice(("CONCAT(?t{0}, ?t{0})", "REPLACE(?t{0}, 'a', 'aa')", "?t{0} * ?t{0}", "ENCODE_FOR_URI(?t{0})",
                          "STRDT(CONCAT(STR(?t{0}), STR(?t{0})), <urn:t>)"))  # fmt: skip
    binds = " ".join(f"BIND({form.format(n)} AS ?t{n + 1})" for n in range(chance.choice((3, 16, 25, 60))))
    last = "CONCAT(" + ", ".join(["?t3"] * chance.choice((2, 30, 900))) + ")"
    return f"?x <urn:p> ?t0 {binds} BIND({last} AS ?all)"


def _regex(chance: random.Random) -> str:
    """Search with a large pattern, or one made of what the publication says."""
    piece = chance.choice((".*{}.*b", "({}|b)*c", "[a-{}]{{1,50}}x", "{}?{}?{}?{}{}{}", "(.*){}"))
    letters = [chr(ord("b") + n % 20) for n in range(chance.choice((1, 20, 500, 4_000)))]
    pattern = "|".join(piece.format(*[letter] * 6) for letter in letters)[:90_000]
    given = f"'{pattern}'" if chance.random() < 0.8 else "STR(?y)"
    call = f"REGEX(STR(?y), {given})" if chance.random() < 0.6 else f"(STRLEN(REPLACE(STR(?y), {given}, '$0$1')) > 0)"
    return f"?x <urn:p> ?y FILTER {call}"


def _texts(chance: random.Random) -> str:
    """Look for texts that are long, nested or many, in every way there is."""
    piece, count = chance.choice(("a", "ab", "é", "\U0001f600", "<a/>", "b ")), chance.choice((1, 10, 200))
    size = chance.choice((1, 2, 99, 101, 3_000))
    needles = [piece * (size if chance.random() < 0.5 else n + 1) for n in range(count)]
    forms = ["{}(?y, '{}')", "{}(STR(?y), '{}')", "{}(LCASE(STR(?y)), '{}')", "!{}(UCASE(?y), '{}')"]
    names = ("CONTAINS", "CONTAINS", "STRSTARTS", "STRENDS", "words")
    tests = [chance.choice(forms).format(chance.choice(names), needle[:400]) for needle in needles]
    match chance.randrange(4):
        case 0:
            return f"?x <urn:p> ?y FILTER({chance.choice((' || ', ' && ')).join(tests)})"
        case 1:
            pairs = [f"({one} && {other})" for one, other in zip(tests, reversed(tests), strict=True)]
            return f"?x <urn:p> ?y FILTER({' || '.join(pairs)})"
        case 2:
            members = ", ".join(f"'{needle[:400]}'" for needle in needles)
            return f"?x ?q ?y FILTER({chance.choice(('?y', 'LCASE(STR(?y))'))} IN ({members}))"
    return f"?x ?q ?y FILTER({tests[0]}) FILTER(words(?y, '{chance.choice(('a', 'a*', 'b b b', 'p div', '日'))}'))"


def _members(chance: random.Random) -> str:
    """Compare with a long list, or with a long chain of alternatives."""
    count = chance.choice((10, 1_000, 9_000))
    constants = [chance.choice((f"{n}", f"<urn:n{n}>", f"'{n}'"))[:20] for n in range(count)]
    match chance.randrange(3):
        case 0:
            return f"?x <urn:p> ?y FILTER(?y {chance.choice(('', 'NOT '))}IN ({', '.join(constants)}))"
        case 1:
            return f"?x <urn:p> ?y FILTER(?y IN ({', '.join(['?x', 'STR(?y)', *constants[:900]])}))"
    sign = chance.choice((" || ", " && "))
    return f"?x <urn:p> ?y . ?x <urn:p> ?z FILTER({sign.join(f'?y + ?z != {each}' for each in constants[:3_000])})"


def _alternatives(chance: random.Random) -> str:
    """Multiply branches by UNION and VALUES."""
    arms = " UNION ".join("{ ?x <urn:p> ?y }" for _ in range(chance.choice((2, 6, 16))))
    rows = " ".join(map(str, range(chance.choice((2, 15, 300)))))
    return f"{arms} {chance.choice((arms, ''))} VALUES ?y {{ {rows} }}"


def _classes(chance: random.Random) -> str:
    """Ask for instances of several classes at once."""
    count = chance.choice((1, 2, 4))
    edges = " . ".join(f"?v{n} <urn:p> ?v{n + 1}" for n in range(count))
    tests = " ".join(f"FILTER(isA(?v{n}, <urn:C{chance.randrange(CLASSES)}>))" for n in range(count))
    return f"{edges} {tests} {chance.choice(('', '?v0 a ?c', '?v0 a/rdfs:subClassOf* <urn:C0>'))}"


def _anything(chance: random.Random) -> str:
    return f"?x <urn:p> ?y . ?x <urn:p> ?z {_filter(chance, ['?x', '?y', '?z'])} {_filter(chance, ['?y', '?z'])}"


def _filter(chance: random.Random, variables: list[str]) -> str:
    """Return constraints on these variables: none, one that always fails, or any expression."""
    match chance.randrange(5):
        case 0:
            return ""
        case 1:
            return f"FILTER({' + '.join(variables[:20])} < -1)"
        case 2:
            return f"FILTER(STRLEN(CONCAT({', '.join(f'STR({each})' for each in variables)})) < 0)"
        case 3:
            return f"FILTER({expression(chance, variables, chance.choice((2, 4, 7)))})"
    return f"BIND({expression(chance, variables, 3)} AS ?made) FILTER(STRLEN(STR(?made)) < 0)"


def expression(chance: random.Random, variables: list[str], depth: int) -> str:
    """Return any expression: functions of the language with arguments of any kind."""
    if depth <= 0 or chance.random() < 0.15:
        return chance.choice(variables) if chance.random() < 0.6 else chance.choice(TEXTS)
    if chance.random() < 0.3:
        sign = chance.choice((" + ", " * ", " - ", " / ", " = ", " < ", " && ", " || "))
        return "(" + sign.join(expression(chance, variables, depth - 1) for _ in range(chance.choice((2, 2, 5)))) + ")"
    name, function = chance.choice(_CALLABLE)
    least, most = function.least, function.most
    count = chance.randint(least, least + 3 if most is None else most)
    return f"{name}({', '.join(expression(chance, variables, depth - 1) for _ in range(count))})"


_CALLABLE = [(name, each) for name, each in FUNCTIONS.items() if name not in _UNSAFE and name.isidentifier()]
_SHAPES: tuple[Callable[[random.Random], str], ...] = (
    _star, _star, _shared_property, _shared_property, _chain, _clique, _wide, _product, _doubling, _doubling, _regex,
    _regex, _texts, _texts, _texts, _members, _members, _alternatives, _classes, _classes, _anything, _anything,
)  # fmt: skip

"""A subscription as the matchers should see it: the same meaning, with more of it in the edges.

1. `rdfs:member` stands for rdf:_1, rdf:_2, ... (the paper's section 6 leaves bags and sequences for later): the
   property becomes a hidden variable with a test of its name.
2. Constants are pushed in. `?x = <iri>`, `?x = "text"` and `sameTerm(?x, ...)` fix the term, not only the value, so the
   variable becomes that constant in the edges, where an index finds it. (`?x = 5` does not: 5.0 would do as well.)
3. Equal variables become one: by `sameTerm`, or by `=` where one of the two stands for a subject or a property, hence
   for no literal.
4. What is then impossible is named, so that it can be registered with a warning and never evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

from gtopss.model import Branch, Call, Expression, FiveTuple, Publication, Subscription, Term
from gtopss.model.expressions import COMPARISONS, IS_A, call, impossible_constraint, substitute, variables
from gtopss.model.terms import RDF, RDFS, is_iri, is_literal, is_variable, literal, literal_parts
from gtopss.semantics.evaluate import compile_expressions
from gtopss.semantics.is_a import EvaluationContext
from gtopss.semantics.values import TypeMismatch, ValueKind, equal, less, value_of
from ontology import Taxonomy

_MEMBER = Term(f"<{RDFS}member>")
_MEMBERSHIP = literal(f"^{RDF}_[1-9][0-9]*$|^{RDFS}member$".replace(".", "\\."))
_POSITION = re.compile(f"<{re.escape(RDF)}_[1-9][0-9]*>")
_EXACT = (ValueKind.IRI, ValueKind.STRING, ValueKind.LANGUAGE_STRING)
_MIRRORED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


class RewriteResult(NamedTuple):
    """The branches that can match, and why the others cannot."""

    subscription: Subscription | None
    impossible: tuple[str, ...]


def rewrite_subscription(subscription: Subscription) -> RewriteResult:
    """The subscription with more of its meaning in its edges; itself, where there is nothing to change."""
    if all(_plain(branch) for branch in subscription.branches):
        return RewriteResult(subscription, ())
    live, impossible = [], []
    for branch in subscription.branches:
        made = _pushed_in(expand_members(branch))
        reason = find_contradiction(made)
        if reason is None:
            live.append(made)
        else:
            impossible.append(reason)
    if not live:
        return RewriteResult(None, tuple(impossible))
    if tuple(live) == subscription.branches:
        return RewriteResult(subscription, ())
    known = {name for branch in live for name in branch.columns()}
    select = [name for name in subscription.select if name in known]
    kept = Subscription(subscription.id, branches=live, select=select, distinct=subscription.distinct)
    return RewriteResult(kept, tuple(impossible))


def _plain(branch: Branch) -> bool:
    """Nothing but edges, none of them `rdfs:member`."""
    return not branch.where and all(
        each.property != _MEMBER and not each.subject_constraints and not each.object_constraints
        for each in branch.tuples
    )


def rewrite_for_explanation(branches: Iterable[Branch], publication: Publication) -> tuple[Publication, list[Branch]]:
    """The branches as a person should see them, and the publication to explain them by.

    Constants are pushed in, so that a missing one is a missing edge. `rdfs:member` stays in its edge, where nobody sees
    the hidden variable that stands for it, and the publication gets the triples that RDFS entails by its containers;
    unless a property variable could take those for its own.
    """
    made = list(branches)
    edges = [edge for branch in made for edge in branch.edges()]
    if any(edge[1] == _MEMBER for edge in edges):
        if any(is_variable(edge[1]) for edge in edges):
            made = [expand_members(branch) for branch in made]
        else:
            entailed = [(s, _MEMBER, o) for s, p, o in publication.triples if _POSITION.fullmatch(p)]
            publication = Publication.trusted(
                publication.id,
                [*publication.triples, *entailed],
                source=publication.source,
                published_at=publication.published_at,
                inferred=publication.inferred,
            )
    return publication, [_pushed_in(branch) for branch in made]


def expand_members(branch: Branch) -> Branch:
    """Step 1; leaves a branch without rdfs:member as it is."""
    if all(each.property != _MEMBER for each in branch.tuples):
        return branch
    tuples, tests = [], list(branch.where)
    for number, each in enumerate(branch.tuples):
        if each.property == _MEMBER:
            position = Term(f"?_:member{number}")
            tests.append(call("REGEX", call("STR", position), _MEMBERSHIP))
            each = FiveTuple(each.subject, position, each.object, each.subject_constraints, each.object_constraints)
        tuples.append(each)
    return Branch(tuples, tests, branch.binds)


def _pushed_in(branch: Branch) -> Branch:
    """Steps 2 and 3: all replacements at once, and again if they made new ones possible."""
    while True:
        replaced, satisfied = _replacements(branch)
        if not replaced:
            return branch
        branch = _replaced(branch, replaced, satisfied)


def _replacements(branch: Branch) -> tuple[dict[Term, Term], set[Call]]:
    """What each variable of the edges is the same as, and the tests that say so."""
    in_edges = set(branch.variables())
    resources = {part for each in branch.tuples for part in (each.subject, each.property)}
    replaced: dict[Term, Term] = {}
    satisfied: set[Call] = set()

    def final(term: Term) -> Term:
        while term in replaced:
            term = replaced[term]
        return term

    for test in branch.constraints():
        if test.function not in ("=", "SAMETERM") or len(test.arguments) != 2:
            continue
        one, other = test.arguments
        if isinstance(one, Call) or isinstance(other, Call) or one == other:
            continue
        if one not in in_edges:
            one, other = other, one
        if one not in in_edges or not _same_term(test, one, other, in_edges, resources):
            continue
        one, other = final(one), final(other)
        if one != other:
            if is_variable(other):
                replaced[other] = one
            elif is_variable(one):
                replaced[one] = other
            else:
                continue  # two constants: the test will turn out false
        satisfied.add(test)
    return {name: final(name) for name in replaced}, satisfied


def _same_term(test: Call, one: Term, other: Term, in_edges: set[Term], resources: set[Term]) -> bool:
    """Whether the test, where it holds, means that the two are the same term and not only of equal value."""
    if is_variable(other):
        return other in in_edges and (test.function == "SAMETERM" or one in resources or other in resources)
    return test.function == "SAMETERM" or value_of(other).kind in _EXACT


def _replaced(branch: Branch, replaced: Mapping[Term, Term], satisfied: set[Call]) -> Branch:
    """Other terms in place of variables, which are still reported."""
    tuples: list[FiveTuple] = []
    where: list[Call] = []
    for each in branch.tuples:
        subject, property, object_ = (replaced.get(part, part) for part in each.edge())
        if is_literal(subject) or not (is_iri(property) or is_variable(property)):
            name, value = (each.subject, subject) if is_literal(subject) else (each.property, property)
            where.append(impossible_constraint(f"{value} cannot stand where {name} does"))
            continue
        tests = [_test(substitute(other, replaced)) for other in each.constraints() if other not in satisfied]
        on_subject = [other for other in tests if variables(other) == {subject}]
        on_object = [other for other in tests if variables(other) == {object_} and other not in on_subject]
        where.extend(other for other in tests if other not in on_subject and other not in on_object)
        tuples.append(FiveTuple(subject, property, object_, on_subject, on_object))
    where.extend(_test(substitute(other, replaced)) for other in branch.where if other not in satisfied)
    binds = [*replaced.items(), *((name, substitute(tree, replaced)) for name, tree in branch.binds)]
    return Branch(tuples, where, binds)


def _test(tree: Expression) -> Call:
    """An expression as a test: a constant, for its truth value."""
    return tree if isinstance(tree, Call) else Call("&&", (tree,))


def find_contradiction(branch: Branch) -> str | None:
    """Why no publication can satisfy the branch, as far as its constraints show it; None if one might."""
    bounds: dict[Term, list[tuple[str, Term, Call]]] = {}
    for test in branch.constraints():
        if test.function == "NEVER":
            (reason,) = test.arguments
            assert not isinstance(reason, Call)
            return f"never matches: {literal_parts(reason)[0]}"
        if not variables(test) and _always_false(branch, test):
            return f"never matches: {test} is false"
        for name, sign, constant in _bound(test):
            bounds.setdefault(name, []).append((sign, constant, test))
    for tests in bounds.values():
        for (sign, constant, test), (other_sign, other, other_test) in combinations(tests, 2):
            if _exclude(sign, constant, other_sign, other):
                return f"never matches: {test} and {other_test}"
    return None


def _bound(test: Call) -> Iterator[tuple[Term, str, Term]]:
    """A comparison of a variable with a constant, the variable first."""
    if test.function not in COMPARISONS - {"!="} or len(test.arguments) != 2:
        return
    one, other = test.arguments
    if isinstance(one, Call) or isinstance(other, Call) or is_variable(one) == is_variable(other):
        return
    yield (one, test.function, other) if is_variable(one) else (other, _MIRRORED[test.function], one)


def _exclude(sign: str, constant: Term, other_sign: str, other: Term) -> bool:
    """Whether `?x sign constant` and `?x other_sign other` cannot both hold."""
    one, two = value_of(constant), value_of(other)
    try:
        same, below = equal(one, two), less(one, two)
    except TypeMismatch:
        return False  # no common order: nothing is known
    if sign == other_sign == "=":
        return not same
    strict = same and not (sign[-1] == other_sign[-1] == "=")
    if sign in ("<", "<=", "=") and other_sign in (">", ">=", "="):
        return below or strict
    if sign in (">", ">=", "=") and other_sign in ("<", "<=", "="):
        return not (below or same) or strict
    return False


def _always_false(branch: Branch, test: Call) -> bool:
    """A test without variables that no publication can change: not is-a, not NOW."""
    functions = {node.function for node in _calls(test)}
    if functions & (IS_A | {"NOW"}):
        return False
    (compiled,) = compile_expressions("", Branch([], [test])).tests
    return not compiled.holds({}, EvaluationContext(Publication.trusted("none", ()), Taxonomy()))


def _calls(tree: Expression) -> Iterator[Call]:
    if isinstance(tree, Call):
        yield tree
        for argument in tree.arguments:
            yield from _calls(argument)

"""`rule`: query a small Datalog program over the publication with clingo (DEBS 2007, section 2.1.3).

The program sees the publication as `triple(S, P, O)`, each a string in N-Triples form:

    police(X)    :- triple(X, "<urn:type>", "<urn:PoliceCar>").
    chases(X, Y) :- police(X), triple(X, "<urn:follows>", Y), not police(Y).

An operator is created for one predicate of the program and computes all its arguments: one run per publication answers
every subscription that uses it, with constants or without.

clingo's language is larger than Datalog. A program that creates terms (`p(X + 1) :- p(X)`) would be grounded forever,
in a thread that cannot be stopped. Therefore only rules of plain atoms, comparisons and `not` are accepted: their
grounding is finite. The program must have exactly one model, which it has if its negation is not circular.
"""

from __future__ import annotations

from typing import Any

from gtopss.model import Publication, Term
from gtopss.model.terms import is_blank, is_iri, is_literal, literal, term
from gtopss.operators.declaration import Operator
from gtopss.operators.errors import InvalidOperator
from gtopss.operators.shipped.libraries import import_library


def rule(name: str, program: str, *, predicate: str, arity: int, cost: float = 1.0, timeout: float = 10.0) -> Operator:
    """Create the operator `name` that queries `predicate/arity` of a program. Raises InvalidOperator."""
    clingo = import_library(name, "clingo")
    _check_program(name, program)

    def query(publication: Publication) -> list[tuple[Term, ...]]:
        control = clingo.Control(["0", "--warn=none"])
        with control.backend() as backend:
            for triple in publication.triples:
                symbol = clingo.Function("triple", [clingo.String(each) for each in triple])
                backend.add_rule([backend.add_atom(symbol)])
        control.add("base", [], program)
        control.ground([("base", [])])
        models = [model.symbols(atoms=True) for model in control.solve(yield_=True)]
        if len(models) != 1:
            raise ValueError(f"the program has {len(models)} models: its negation is circular")
        atoms = [each for each in models[0] if each.name == predicate and len(each.arguments) == arity]
        return [tuple(_term(argument, clingo) for argument in each.arguments) for each in atoms]

    if arity == 0:
        return Operator(name, lambda publication: bool(query(publication)), 0, 0, cost=cost, timeout=timeout)
    return Operator(name, query, arity, arity, binds=tuple(range(arity)), cost=cost, timeout=timeout)


def _term(symbol: Any, clingo: Any) -> Term:
    """Convert a symbol to a term: a number, a term in N-Triples form, or else a literal."""
    if symbol.type is clingo.SymbolType.Number:
        return term(symbol.number)
    text = Term(symbol.string if symbol.type is clingo.SymbolType.String else str(symbol))
    return text if text and (is_iri(text) or is_literal(text) or is_blank(text)) else literal(text)


_DATALOG_NODES = frozenset(
    {"Rule", "Literal", "SymbolicAtom", "Function", "Variable", "SymbolicTerm", "Comparison", "Guard"}
)


def _check_program(name: str, program: str) -> None:
    """Raise InvalidOperator if the program is not plain Datalog."""
    ast = import_library(name, "clingo.ast")
    messages: list[str] = []
    statements: list[Any] = []
    try:
        ast.parse_string(program, statements.append, logger=lambda code, message: messages.append(message))
    except RuntimeError as error:
        raise InvalidOperator(name, f"its program cannot be parsed: {' '.join(messages) or error}") from None
    for statement in statements:
        if statement.ast_type.name != "Program" or str(statement) != "#program base.":
            _check_node(name, statement, statement, ast, inside_atom=False)


def _check_node(name: str, statement: Any, node: Any, ast: Any, *, inside_atom: bool) -> None:
    """Raise InvalidOperator if a node of a statement's syntax tree is not plain Datalog."""
    kind = node.ast_type.name
    creates_term = kind == "Function" and inside_atom and bool(node.arguments)
    if kind not in _DATALOG_NODES or creates_term:
        raise InvalidOperator(name, f"{statement} is not plain Datalog: use only rules of atoms, comparisons and `not`")
    below = inside_atom or kind == "Function"
    for key in node.child_keys:
        child = getattr(node, key)
        for each in child if isinstance(child, ast.ASTSequence) else [child]:
            if isinstance(each, ast.AST):
                _check_node(name, statement, each, ast, inside_atom=below)

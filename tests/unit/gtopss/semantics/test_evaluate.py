"""Compilation of expressions: what is refused at registration."""

from __future__ import annotations

import pytest

from gtopss.errors import InvalidSubscription
from gtopss.model import Branch, Call
from gtopss.model.expressions import call
from gtopss.model.terms import literal
from gtopss.semantics import compile_expressions


@pytest.mark.parametrize(
    ("tree", "problem"),
    [
        (call("NOSUCH", "?x"), "no function 'NOSUCH'"),
        (call("CONTAINS", "?x"), "takes 2 arguments, not 1"),
        (call("isA", "?x"), "takes 2 arguments, not 1"),
        (call("REGEX", "?x", literal("(")), "malformed"),
        (call("REGEX", "?x", literal(r"(a)\1")), "linear time"),
        (call("REGEX", "?x", literal("a"), literal("x")), "flag 'x'"),
        (call("BOUND", literal("a")), "BOUND takes a variable"),
        (call("!", call("NOSUCH", "?x")), "no function 'NOSUCH'"),
    ],
    ids=str,
)
def test_expressions_refused_at_registration(tree: Call, problem: str) -> None:
    with pytest.raises(InvalidSubscription, match=problem.replace("(", r"\(")):
        compile_expressions("s", Branch([("?x", "<urn:p>", "?y")], [tree]))

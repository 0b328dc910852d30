"""Publications: sets of triples, as terms or as text."""

from __future__ import annotations

import copy
import datetime as dt
import pickle
from typing import Any

import pytest
from rdflib import BNode, Literal, Namespace, Variable

from gtopss import Publication
from gtopss.errors import MalformedPublication
from gtopss.model.publication import TextPublication
from gtopss.semantics import entail
from ontology import Taxonomy

EX = Namespace("urn:ex:")
X, Y = Variable("x"), Variable("y")


def test_a_publication_is_a_set_of_triples() -> None:
    made = Publication("p", [(EX.a, EX.p, 1), (EX.a, EX.p, Literal(1)), (EX.a, EX.p, Literal("1"))])
    assert len(made.triples) == 2


def test_a_publication_of_lines_is_one_of_the_same_triples() -> None:
    when = dt.datetime(2005, 4, 8, tzinfo=dt.UTC)
    lines = '<urn:a>\n<urn:p>\n"é"\n<urn:a>\n<urn:p>\n<urn:b>\n<urn:a>\n<urn:p>\n"é"\n'.encode()
    triples = [("<urn:a>", "<urn:p>", '"é"'), ("<urn:a>", "<urn:p>", "<urn:b>")]
    plain = Publication("p", triples, source="here", published_at=when)

    def made() -> Publication:
        """Anew each time, so that nobody has looked at its triples."""
        return TextPublication("p", lines, 3, source="here", published_at=when)

    assert made().triples == plain.triples
    assert (made() == plain, plain == made(), made() == made(), made() != plain) == (True, True, True, False)
    assert hash(made()) == hash(plain)
    assert len({made(), plain}) == 1
    assert (repr(made()), str(made())) == (repr(plain), str(plain))
    for each in (made(), plain):
        assert pickle.loads(pickle.dumps(each)) == copy.deepcopy(each) == plain
        assert each.replace(id="q", published_at=when + dt.timedelta(1)) == Publication(
            "q", triples, source="here", published_at=when + dt.timedelta(1)
        )
        assert each.replace() == plain
        arrived = each.replace(received_at=when)
        assert (
            pickle.loads(pickle.dumps(arrived))
            == arrived
            == Publication("p", triples, source="here", published_at=when, received_at=when)
        )
        assert arrived.replace(id="q").received_at == when
        assert each != each.replace(id="q")
        assert each != Publication("p", triples[:1], source="here", published_at=when)
        assert each != "p"
        for name in ("id", "triples", "lines") if each is not plain else ("id", "triples"):
            with pytest.raises(AttributeError):
                setattr(each, name, None)
            with pytest.raises(AttributeError):
                delattr(each, name)
    with pytest.raises(MalformedPublication, match="id must be a non-empty string"):
        TextPublication("", lines, 3)


def test_a_publication_of_no_lines() -> None:
    assert TextPublication("p", b"", 0) == Publication("p", [])


@pytest.mark.parametrize(
    ("triple", "problem"),
    [
        ((Literal("a"), EX.p, EX.b), "cannot be a subject"),
        ((EX.a, Literal("p"), EX.b), "cannot be a property"),
        ((EX.a, BNode("p"), EX.b), "cannot be a property"),
        ((EX.a, EX.p, X), "has a variable"),
        ((EX.a, EX.p), "is not a triple"),
        ((EX.a, EX.p, None), "cannot be a term"),
        ((EX.a, EX.p, "plain text"), "write it as an rdflib term"),
        (5, "is not a triple"),
    ],
)
def test_a_bad_triple_is_named_with_its_number(triple: Any, problem: str) -> None:
    with pytest.raises(MalformedPublication, match=problem) as caught:
        Publication("p7", [(EX.a, EX.p, EX.b), triple])
    assert caught.value.triple == 2
    assert "'p7', triple 2" in str(caught.value)


def test_a_payload_goes_with_its_publication_and_is_not_compared() -> None:
    event = Publication("p", [("<urn:a>", "<urn:b>", "<urn:c>")], payload={"an": "object"})
    assert event == Publication("p", event.triples)
    assert hash(event) == hash(Publication("p", event.triples))
    assert "object" not in repr(event)
    assert event.replace(id="q").payload is event.payload
    assert event.replace(payload=b"other").payload == b"other"
    assert pickle.loads(pickle.dumps(event)).payload == {"an": "object"}
    entailed = entail(event, Taxonomy())
    assert entailed.payload is event.payload


def test_a_payload_goes_with_a_publication_of_text() -> None:
    event = TextPublication("p", b"<urn:a>\n<urn:b>\n<urn:c>\n", 1, payload=b"bytes")
    assert event.replace(id="q").payload == b"bytes"
    assert event.to_publication().payload == b"bytes"
    assert pickle.loads(pickle.dumps(event)).payload == b"bytes"
    assert TextPublication.trusted_lines("p", b"<urn:a>\n<urn:b>\n<urn:c>\n", 1).payload is None


@pytest.mark.parametrize(("given", "what"), [(5, "a value of type int"), (None, "None")])
def test_what_is_not_iterable_is_not_triples(given: Any, what: str) -> None:
    with pytest.raises(MalformedPublication, match=f"publication 'p': {what} is not triples"):
        Publication("p", given)

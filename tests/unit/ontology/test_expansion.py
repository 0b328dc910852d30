from __future__ import annotations

from collections.abc import Callable

import pytest
from support.hostile_rdf import TOO_LARGE

from ontology import MalformedOntology, load
from ontology.expansion import check_contexts, check_json_size, check_linked_json_size, turtle_expansion
from ontology.limits import DEFAULT_LIMITS, DocumentLimits


def test_relative_prefixes_and_bases_are_counted() -> None:
    base = b"@base <http://a.example/> .\n"
    assert turtle_expansion(base + b"@prefix a: <x> .\n" * 10, 0) == 10 * len("http://a.example/")
    assert turtle_expansion(base + b"PREFIX a: # <urn:>\n <x>\n@Prefix b: <urn:b> .", 0) == len("http://a.example/")
    assert turtle_expansion(base + b"base <x/>\n" * 2, 0) == (17 + 2) + (17 + 4)
    assert turtle_expansion(base + b"# @base <urn:>\n<a> <b> '@base <urn:>' . @prefix a: <x> .", 0) == 17
    assert turtle_expansion(base + b"@prefix a: <x> .", 10**6) == 0


@pytest.mark.parametrize(
    "context",
    [
        '{"a": "b:x", "b": "c:x", "c": "urn:c"}',
        '{"a": {"@id": "b:x"}, "b": {"@type": "c:x"}, "c": "urn:c"}',
        '{"a": "b", "b": "c", "c": "urn:c"}',
        '[{}, {"a": "b:x", "b": "urn:", "b": "c:x", "c": "urn:c"}]',
        '{"d": {"@id": "urn:d", "@context": {"a": "b:x", "b": "c:x", "c": "urn:c"}}}',
    ],
)
def test_terms_that_are_defined_by_each_other_have_a_depth(context: str) -> None:
    document = f'{{"@graph": [{{"@context": {context}}}]}}'.encode()
    check_contexts(document, DocumentLimits(max_depth=3), source="a")
    with pytest.raises(MalformedOntology, match="max_depth"):
        check_contexts(document, DocumentLimits(max_depth=2), source="a")


def test_cyclic_terms_are_left_to_the_parser() -> None:
    check_contexts(b'{"@context": {"a": "b:x", "b": "a:x"}}', DEFAULT_LIMITS, source="a")


def test_one_context_for_many_nodes_costs_once_and_one_for_each_costs_each() -> None:
    limits = DocumentLimits(min_output_bytes=1, max_output_growth=4)
    nodes = '{"a": 1},' * 1_000
    check_contexts(f'{{"@context": {{"a": "urn:a"}}, "@graph": [{nodes} 1]}}'.encode(), limits, source="a")
    each = nodes.replace('{"a"', '{"@context": {}, "a"')
    with pytest.raises(MalformedOntology, match="max_output_growth"):
        check_contexts(f'{{"@context": {{"a": "urn:a"}}, "@graph": [{each} 1]}}'.encode(), limits, source="a")


def test_what_is_not_json_is_located() -> None:
    with pytest.raises(MalformedOntology) as caught:
        check_contexts(b'{"@context":\n x}', DEFAULT_LIMITS, source="a")
    assert (caught.value.line, caught.value.column) == (2, 2)


@pytest.mark.parametrize(("check", "most"), [(check_json_size, 4_000_000 // 120), (check_linked_json_size, 1_000)])
def test_the_values_of_json_are_counted(check: Callable[..., None], most: int) -> None:
    limits = DocumentLimits(max_output_bytes=1_000_000)
    text = b'"' + rb"\",[{" * (2 * most) + b'"'
    check(b"[" + text + b",1" * (most - 1) + b"]", limits, source="a")
    for value in (b",1", b",[1]", b',{"a": 1}', b"," + text[:30] + b'"'):
        with pytest.raises(MalformedOntology, match=f"more than {most} values.*max_output_bytes"):
            check(b"[" + text + value * (most + 100) + b"]", limits, source="a")


@pytest.mark.parametrize("name", ["prefix", "prefixes under a base", "XML base", "JSON-LD vocabulary"])
def test_an_ontology_that_is_too_large_is_refused(name: str) -> None:
    with pytest.raises(MalformedOntology, match="max_output_growth"):
        load(*TOO_LARGE[name], limits=DocumentLimits(max_output_growth=8, min_output_bytes=2**20))

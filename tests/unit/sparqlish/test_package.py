"""The package's surface is what it says it is."""

import ast
import dataclasses
import sys
from pathlib import Path

import sparqlish


def test_the_public_names_are_pinned():
    assert set(sparqlish.__all__) == {
        "IRI", "PREFIXES", "Aggregate", "Alternative", "Bind", "BlankNode", "Call", "Element", "Exists", "Expression",
        "Filter", "Graph", "Group", "GroupKey", "Inverse", "LimitExceeded", "Literal", "Minus", "NegatedSet",
        "NotSupported", "Optional", "OrderKey", "ParserLimits", "Path", "PathPattern", "Query", "Repeated", "Sequence",
        "SparqlishError", "SubSelect", "Term", "Triple", "Union", "UnknownFunction", "UnknownPrefix", "Values",
        "Variable", "WrongArity", "is_grouped", "line_column", "parse", "print_query", "selected_variables",
        "visible_variables",
    }  # fmt: skip
    assert all(hasattr(sparqlish, name) for name in sparqlish.__all__)


def test_nodes_are_frozen_and_slotted():
    nodes = [value for value in vars(sparqlish).values() if dataclasses.is_dataclass(value)]
    assert len(nodes) >= 13
    for node in nodes:
        assert node.__dataclass_params__.frozen, node
        assert "__slots__" in vars(node), node


def test_imports_only_the_standard_library():
    for file in Path(sparqlish.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            for name in names:
                top = name.partition(".")[0]
                assert top == "sparqlish" or top in sys.stdlib_module_names, (file.name, name)


def test_the_preset_prefixes_are_pinned():
    assert dict(sparqlish.PREFIXES) == {
        "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
        "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
        "xsd": "http://www.w3.org/2001/XMLSchema#",
        "owl": "http://www.w3.org/2002/07/owl#",
        "dc": "http://purl.org/dc/elements/1.1/",
        "dcterms": "http://purl.org/dc/terms/",
        "foaf": "http://xmlns.com/foaf/0.1/",
        "skos": "http://www.w3.org/2004/02/skos/core#",
        "schema": "https://schema.org/",
        "rss": "http://purl.org/rss/1.0/",
        "sioc": "http://rdfs.org/sioc/ns#",
        "content": "http://purl.org/rss/1.0/modules/content/",
    }

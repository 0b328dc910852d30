"""Operators that come with the project.

text.py     words, patterns and languages, of a value or of the whole publication
spatial.py  regions, distances, places by name
owl.py      is x a C? asked of an OWL reasoner
rule.py     a Datalog program over the publication's triples
http.py     whatever answers a POST

Those of `text` and `spatial` need no setting up and are in every registry that asks for them (`OPERATORS`); the other
three are made for an ontology, a program or an address, and registered with `Registry.add`.
"""

from gtopss.operators.shipped import spatial, text

OPERATORS = (*text.OPERATORS, *spatial.OPERATORS)

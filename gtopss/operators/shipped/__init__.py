"""Operators that come with the project.

text.py     words, patterns and languages, of a value or of the whole publication
payload.py  the object that a publication carries: its type, the faces in a picture
spatial.py  regions, distances, places by name
owl.py      class membership by an OWL reasoner
rule.py     a Datalog program over the publication's triples
http.py     a web service that answers a POST request

The operators of `text`, `spatial` and `payload` need no settings and are in `OPERATORS`. The other three are made for
an ontology, a program or a URL, and registered with `Registry.add`.
"""

from gtopss.operators.shipped import payload, spatial, text

OPERATORS = (*text.OPERATORS, *spatial.OPERATORS, *payload.OPERATORS)

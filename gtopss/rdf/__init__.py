"""RDF documents: formats and parsing.

formats.py          the table of RDF formats: names, media types, file extensions
parse.py            a document -> triples or quads
ntriples.py         triples by way of N-Triples text, which is faster
prefixes.py         the prefixes that a document declares
safety.py           checks before a parser gets a document
output.py           the limit on what a parser makes of a document
encodings.py        bytes -> text, by byte order mark, declaration or guess
jsonld_contexts.py  the JSON-LD contexts that we ship
"""

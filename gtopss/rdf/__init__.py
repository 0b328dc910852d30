"""RDF documents as triples: formats, parsers and JSON-LD contexts."""

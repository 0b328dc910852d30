"""Name the IRIs that kernels look for in text.

They equal those of `gtopss.model.terms` (a test compares them), but a kernel must not import from there: an edit of a
file outside the packages of kernels would not recompile it.
"""

from __future__ import annotations

XSD = "http://www.w3.org/2001/XMLSchema#"
XSD_STRING = XSD + "string"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

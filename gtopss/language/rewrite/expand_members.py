"""Rule: `rdfs:member` stands for rdf:_1, rdf:_2, ... (G-ToPSS, section 6, leaves bags and sequences for later).

The property becomes a hidden variable, with a constraint on its name.
"""

from __future__ import annotations

import re

from gtopss.model import Branch, FiveTuple, Publication, Term
from gtopss.model.expressions import call
from gtopss.model.terms import RDF, RDFS, literal

RDFS_MEMBER = Term(f"<{RDFS}member>")
_MEMBERSHIP_REGEX = literal(f"^{RDF}_[1-9][0-9]*$|^{RDFS}member$".replace(".", "\\."))
_POSITION_PROPERTY = re.compile(f"<{re.escape(RDF)}_[1-9][0-9]*>")


def expand_members(branch: Branch) -> Branch:
    """Replace the property `rdfs:member` of each edge by a hidden variable that must be a membership property."""
    if all(each.property != RDFS_MEMBER for each in branch.tuples):
        return branch
    tuples, constraints = [], list(branch.where)
    for number, each in enumerate(branch.tuples):
        if each.property == RDFS_MEMBER:
            position = Term(f"?_:member{number}")
            constraints.append(call("REGEX", call("STR", position), _MEMBERSHIP_REGEX))
            each = FiveTuple(each.subject, position, each.object, each.subject_constraints, each.object_constraints)
        tuples.append(each)
    return Branch(tuples, constraints, branch.binds)


def add_members(publication: Publication) -> Publication:
    """Return the publication with the `rdfs:member` triples that RDFS entails from its containers."""
    entailed = [(s, RDFS_MEMBER, o) for s, p, o in publication.triples if _POSITION_PROPERTY.fullmatch(p)]
    return Publication.trusted(
        publication.id,
        [*publication.triples, *entailed],
        source=publication.source,
        published_at=publication.published_at,
        inferred=publication.inferred,
        received_at=publication.received_at,
    )

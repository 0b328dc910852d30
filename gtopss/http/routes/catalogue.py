"""The routes that help to write a subscription: classes of the ontology, and templates."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from gtopss.http.access import Given
from gtopss.http.examples import templates
from gtopss.http.models.operations import TemplatesResponse, TermModel, TermsResponse
from gtopss.http.routes.requests import Served, problems
from gtopss.model.term_text import format_term
from gtopss.model.terms import iri
from ontology import Taxonomy
from sparqlish import PREFIXES

router = APIRouter(tags=["catalogue"])
MAX_TERMS = 100
"""Classes in one response."""
MAX_SHOWN_LABELS = 6
"""Labels of one class."""
MAX_SHOWN_LABEL_CHARACTERS = 200
"""Characters of one label."""


@router.get("/terms", responses=problems(401, 422))
def find_terms(
    service: Served,
    given: Given,
    q: Annotated[str, Query(max_length=200, description="What the class is called, in any language.")],
    limit: Annotated[int, Query(ge=1, le=MAX_TERMS)] = 20,
) -> TermsResponse:
    """Find classes of the ontology by their labels."""
    service.access.require_any_key(given)
    taxonomy = service.taxonomy
    found = [name for name in taxonomy.labels.search(q) if name in taxonomy] if q.strip() else []
    return TermsResponse(terms=[_term(taxonomy, name) for name in found[:limit]])


def _term(taxonomy: Taxonomy, name: str) -> TermModel:
    labels = dict.fromkeys(label.text[:MAX_SHOWN_LABEL_CHARACTERS] for label in taxonomy.labels.of(name))
    parents = sorted(taxonomy.parents(name))
    return TermModel(
        iri=name,
        term=format_term(iri(name), PREFIXES),
        label=taxonomy.labels.preferred(name),
        labels=list(labels)[:MAX_SHOWN_LABELS],
        below=len(taxonomy.descendants(name)),
        parents=[taxonomy.labels.preferred(each) or each for each in parents[:MAX_SHOWN_LABELS]],
    )


@router.get("/templates", responses=problems(401))
def list_templates(service: Served, given: Given) -> TemplatesResponse:
    """List subscriptions to start from."""
    service.access.require_any_key(given)
    return TemplatesResponse(templates=templates(service.settings.examples))

"""Write explanations as text: of a short form condition by condition, otherwise as the engine does."""

from __future__ import annotations

from gtopss.broker.subscription_texts import short_form_explainer
from gtopss.engine import Engine
from gtopss.explain import Explanation
from gtopss.model import Publication
from sparqlish import PREFIXES

MAX_WHY_CHARACTERS = 4_000
"""Characters of one explanation. A longer one is cut, and says so."""
MAX_SHORT_FORM_CHARACTERS = 500
"""Characters of a short form that is explained condition by condition, which takes about a millisecond for each."""


def explanation_text(engine: Engine, text: str, form: str, item: Publication, explanation: Explanation) -> str:
    """Return an explanation in words. `text` and `form` are those of its subscription."""
    if not is_explained_by_conditions(text, form):
        return explanation.text(PREFIXES, MAX_WHY_CHARACTERS)
    explainer = short_form_explainer(engine, explanation.subscription_id, text)
    words = explainer.text(item, explanation, MAX_WHY_CHARACTERS)
    return words if len(words) <= MAX_WHY_CHARACTERS else f"{words[:MAX_WHY_CHARACTERS]}…\n(cut)"


def is_explained_by_conditions(text: str, form: str) -> bool:
    """Return whether a subscription is explained condition by condition."""
    return form == "short" and len(text) <= MAX_SHORT_FORM_CHARACTERS

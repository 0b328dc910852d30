"""What constraints mean: values and their order, SPARQL's functions, the is-a questions, RDFS entailment."""

from gtopss.semantics.entailment import entail
from gtopss.semantics.evaluate import Rules, Test, asks_for_now, check, compile_rules, refusal
from gtopss.semantics.isa import Scope

__all__ = [
    "Rules", "Scope", "Test", "asks_for_now", "check", "compile_rules", "entail", "refusal",
]  # fmt: skip

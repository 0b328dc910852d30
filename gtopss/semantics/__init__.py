"""What constraints mean: values and their order, SPARQL's functions, the is-a questions, RDFS entailment."""

from gtopss.semantics.entailment import entail
from gtopss.semantics.evaluate import Test, check, compile_tests
from gtopss.semantics.isa import Scope

__all__ = ["Scope", "Test", "check", "compile_tests", "entail"]

"""What constraints mean: values and their order, SPARQL's functions, the is-a questions, RDFS entailment."""

from gtopss.semantics.entailment import entail
from gtopss.semantics.evaluate import (
    BranchExpressions,
    CompiledTest,
    check_expressions,
    compile_error,
    compile_expressions,
    uses_now,
)
from gtopss.semantics.is_a import EvaluationContext

__all__ = [
    "BranchExpressions",
    "CompiledTest",
    "EvaluationContext",
    "check_expressions",
    "compile_error",
    "compile_expressions",
    "entail",
    "uses_now",
]  # fmt: skip

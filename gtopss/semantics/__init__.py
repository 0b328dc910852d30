"""What constraints mean: values and their order, functions, is-a, RDFS entailment, and expression evaluation."""

from gtopss.semantics.budget import BudgetExceeded, EvaluationLimits
from gtopss.semantics.context import EvaluationContext
from gtopss.semantics.entailment import entail
from gtopss.semantics.evaluate import (
    BranchExpressions,
    CompiledTest,
    check_expressions,
    compile_error,
    compile_expressions,
    uses_has,
    uses_now,
)
from gtopss.semantics.functions import function_arities

__all__ = [
    "BranchExpressions", "BudgetExceeded", "CompiledTest", "EvaluationContext", "EvaluationLimits",
    "check_expressions", "compile_error", "compile_expressions", "entail", "function_arities", "uses_has", "uses_now",
]  # fmt: skip

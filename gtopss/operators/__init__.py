"""Operators: predicates that call something costly, answered once for all subscriptions (DEBS 2007).

declaration.py, registry.py a named function and how to call it; the table of them
predicates.py               p(a1, ..., an), and when two of them are one
parts.py, conjunction.py    what of a branch is for operators; predicates, value constraints and the join
registered.py, sheet.py     what is registered, as numbers; what one publication has to settle
board.py, kernels.py        the paper's two hash tables, as arrays, and the loops over them
strategies/                 naive, sequential, sub_order, adaptive: which predicate to ask next
costs.py, chains.py         the paper's expected costs; the order of linked chains
statistics.py, plan.py      what is learned; the plan that follows
execution.py                calls that cannot stop one another
stage.py, evaluation.py     the stage as the engine uses it; one publication's walk through it
report.py, errors.py        what comes back; what is refused at registration
alternatives.py             what each strategy would have asked, once the answers are known
hindsight.py                the fewest calls possible, to compare with
shipped/                    text, spatial, owl, rule, http
"""

from gtopss.operators.alternatives import Taken
from gtopss.operators.declaration import Charged, Operator
from gtopss.operators.errors import (
    InvalidOperator,
    InvalidPredicate,
    MissingLibrary,
    UnboundArgument,
    UnknownOperator,
    UnknownStrategy,
    WrongArity,
)
from gtopss.operators.evaluation import Limits
from gtopss.operators.parts import Parts, split
from gtopss.operators.plan import Plan
from gtopss.operators.predicates import Predicate, Request
from gtopss.operators.registry import REGISTRY, Registry, operator
from gtopss.operators.report import Asked, OperatorReport, Unknown
from gtopss.operators.stage import OperatorStage
from gtopss.operators.strategies import STRATEGIES

__all__ = [
    "REGISTRY", "STRATEGIES", "Asked", "Charged", "InvalidOperator", "InvalidPredicate", "Limits", "MissingLibrary",
    "Operator", "OperatorReport", "OperatorStage", "Parts", "Plan", "Predicate", "Registry", "Request", "Taken",
    "UnboundArgument", "Unknown", "UnknownOperator", "UnknownStrategy", "WrongArity", "operator", "split",
]  # fmt: skip

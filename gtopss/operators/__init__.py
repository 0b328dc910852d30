"""Operators: expensive predicates, evaluated once per publication for all subscriptions (DEBS 2007).

Declare
    declaration.py, registry.py    an operator, its settings and its timeout; operators by name
    shipped/                       text, spatial, owl, rule, http
    limits.py, errors.py           limits per publication, call and process; what is refused at registration

Register subscriptions
    split_branch.py                split a branch into a graph pattern and operator calls
    predicates.py, conjunction.py  p(a1, ..., an), and when two are the same; predicates, value constraints, join
    chained_calls.py               calls whose inputs other calls compute
    conjunction_table.py           registered conjunctions by number

Evaluate a publication
    stage.py                       the stage as the engine uses it: the whole pipeline
    publication_conjunctions.py    the conjunctions of one publication
    predicate_graph.py             which of them has which predicates
    evaluation_tables.py           the paper's two hash tables, updated by answers
    evaluation.py                  make calls until everything is decided or a limit is reached
    cost_budget.py, slow_calls.py  the cost limit; calls that take long
    answer_recorder.py             record answers, join, build the report
    answer_cache.py                cache the answers of pure operators
    execution.py                   run calls with timeouts, in threads or on the event loop
    pending_calls.py, event_loop.py, call_result.py
    report.py                      matches, undecided subscriptions, calls

Choose the order
    strategies/                    naive, sequential, sub_order, gain_order, adaptive: which predicate to evaluate next
    learned_statistics.py          learn selectivity and cost; detect drift and dependence
    planning.py, plan.py           when to plan; the plan as users see it
    chain_costs.py, chain_order.py the paper's expected costs; the order of linked chains
    strategy_costs.py              what each strategy would have cost
    call_bounds.py                 bounds on the fewest possible calls
    kernels/                       compiled loops
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gtopss.operators.declaration import AnswerWithCost, Operator
from gtopss.operators.errors import (
    InvalidOperator,
    InvalidOperatorLimits,
    InvalidPredicate,
    MissingLibrary,
    UnboundArgument,
    UnknownOperator,
    UnknownStrategy,
    WrongArity,
)
from gtopss.operators.limits import OperatorLimits
from gtopss.operators.predicates import OperatorCall, Predicate
from gtopss.operators.registry import REGISTRY, Registry, operator
from gtopss.operators.report import CallAnswer, OperatorReport, UnansweredCall
from gtopss.operators.split_branch import SplitBranch, split_branch
from gtopss.operators.strategies import STRATEGIES

if TYPE_CHECKING:
    from gtopss.operators.plan import OperatorPlan
    from gtopss.operators.stage import OperatorExplanation, OperatorStage
    from gtopss.operators.strategy_costs import StrategyCost

__all__ = [
    "REGISTRY", "STRATEGIES", "AnswerWithCost", "CallAnswer", "InvalidOperator", "InvalidOperatorLimits",
    "InvalidPredicate", "MissingLibrary", "Operator", "OperatorCall", "OperatorExplanation", "OperatorLimits",
    "OperatorPlan", "OperatorReport", "OperatorStage", "Predicate", "Registry", "SplitBranch", "StrategyCost",
    "UnansweredCall", "UnboundArgument", "UnknownOperator", "UnknownStrategy", "WrongArity", "operator",
    "split_branch",
]  # fmt: skip

_MODULE_OF_NAME = {
    "OperatorExplanation": "stage", "OperatorPlan": "plan", "OperatorStage": "stage", "StrategyCost": "strategy_costs",
}  # fmt: skip
"""Imported when first used: with them come numpy and numba, which an engine without operators does not need."""


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF_NAME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"gtopss.operators.{_MODULE_OF_NAME[name]}"), name)
    return value

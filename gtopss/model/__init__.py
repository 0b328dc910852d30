"""Publications, subscriptions and matches: immutable data, without matchers and file formats."""

from gtopss.model.expressions import Call, Expression
from gtopss.model.matches import Counters, Exceeded, Match, MatchReport, OperatorUsage, Row, Solution, Undecided
from gtopss.model.publication import Publication
from gtopss.model.subscription import Bind, Branch, FiveTuple, Subscription
from gtopss.model.terms import Term, Triple

__all__ = [
    "Bind", "Branch", "Call", "Counters", "Exceeded", "Expression", "FiveTuple", "Match", "MatchReport",
    "OperatorUsage", "Publication", "Row", "Solution", "Subscription", "Term", "Triple", "Undecided",
]  # fmt: skip

"""Evaluation of SPARQL's algebra over one publication (SPARQL 1.1, section 18): the second stage of matching.

`gtopss.model.algebra` describes the patterns. Each operator is one function; `OPERATORS` in `patterns` and `STEPS` in
`steps` are their tables. All of it runs within the budget of evaluation (`gtopss.semantics.budget`).
"""

from gtopss.algebra.check import check_query
from gtopss.algebra.dataset import Dataset
from gtopss.algebra.results import QueryResult, evaluate_query, query_rows

__all__ = ["Dataset", "QueryResult", "check_query", "evaluate_query", "query_rows"]

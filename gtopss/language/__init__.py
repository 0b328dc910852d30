"""The subscription language: query text to subscriptions (`lower`), and rules that rewrite them (`rewrite`)."""

from gtopss.language.lower import OperatorArities, locate_invalid_expression, lower_query, subscription_from_text
from gtopss.language.rewrite import RewriteResult, rewrite_for_explanation, rewrite_subscription

__all__ = [
    "OperatorArities",
    "RewriteResult",
    "locate_invalid_expression",
    "lower_query",
    "rewrite_for_explanation",
    "rewrite_subscription",
    "subscription_from_text",
]

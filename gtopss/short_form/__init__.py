"""The short form of subscriptions, for people who know no SPARQL: `topic:health words:"open source" -author:bot`.

parser.py       text -> a tree of terms, with the place of each for errors
translation.py  the tree -> the text of a query in the subscription language
subscriptions.py  names of subscriptions, and files with one per line
"""

from gtopss.short_form.subscriptions import ShortForm, read_lines
from gtopss.short_form.translation import FIELDS, to_query

__all__ = ["FIELDS", "ShortForm", "read_lines", "to_query"]

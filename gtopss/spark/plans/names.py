"""The names of the plans and scopes, for those who must not import Spark. `registry.py` has the plans themselves."""

from __future__ import annotations

from typing import Literal, TypeAlias

PlanName: TypeAlias = Literal["engine", "graphframes", "relational"]
"""How Spark finds the matches; the matches are the same."""

ScopeName: TypeAlias = Literal["publication", "corpus"]
"""Where a pattern must be found: within one publication, or across all of them."""

"""Limits of an explanation: how much work it may do, and how much it shows.

The author of a subscription may be hostile, so every search here is bounded. An explanation that reached a limit says
so (`settled`, `exact`, `complete`).
"""

from __future__ import annotations

MAX_STEPS = 400_000
"""Steps of one explanation, shared by its branches: about one second. When they are used up, the search stops."""
MAX_EVALUATION_STEPS = 10_000_000
"""Steps of `gtopss.semantics.budget` that the regular expressions and texts of one explanation may take."""
MAX_EDGE_TRIPLES = 1_000_000
"""Triples that are compared with the failing edges of one explanation, shared by its branches: about two seconds. Of
the others none is shown or counted."""
MAX_ROWS_PER_BRANCH = 10_000
"""Rows examined, and solutions counted, for one branch. Further rows are ignored and the counts become lower bounds."""
MAX_SOLUTIONS_SHOWN = 10
"""Solutions explained for one branch. The others are only counted."""
MAX_TRIPLES_SHOWN = 3
"""Triples shown for a failing edge."""
MAX_CLASSES_SHOWN = 5
"""Classes named for a term that is not in the class a constraint needs."""
MAX_PATH_STEPS_SHOWN = 20
"""Classes shown of a path up the taxonomy. The middle of a longer one is counted."""
MAX_CONFLICT_CANDIDATES = 200
"""Rows of the matched part, and triples of the failing edge, that are compared to find the smallest conflict."""
MAX_EDGES_FOR_EXACT_PART = 12
"""Connected edges up to which the largest matching part is exact. Longer patterns get a greedy answer."""
PART_SEARCH_SHARE = 20
"""One search for a part may take at most one part in so many of the budget, so that the next search has steps left."""
MAX_SUBSTITUTED_CHARACTERS = 1_000
"""Characters shown of a value in an expression. A longer one is cut, and ends with an ellipsis."""
MIN_TEXT_CHARACTERS = 20
"""Characters that stay of each text in an explanation's JSON, even if all of them are more than the limit on output."""
MAX_TEXT_CHECK_STEPS = 10_000_000
"""Steps of `gtopss.semantics.budget` for finding needles in texts. Beyond them an explanation shows no more of them."""
MAX_NEEDLES_SHOWN = 10
"""Needles of one constraint that are shown. The others are counted."""
MAX_NEEDLE_CHARACTERS = 100
"""Characters shown of a needle, and of what it found. The middle of a longer one is left out."""
EXCERPT_CHARACTERS = 30
"""Characters shown on each side of a needle that was found."""
TEXT_START_CHARACTERS = 80
"""Characters shown of the beginning of a text in which a needle was not found."""
MAX_PARTS_COMPARED = 300
"""Members of `&&`, `||` or IN that are tried to find the one that decided. If it is none of them, all are shown."""

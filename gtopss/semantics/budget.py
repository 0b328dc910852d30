"""The budget of expression evaluation: steps of work, and characters of text.

A subscription may come from a stranger, and a few characters of it may ask for gigabytes or hours. So everything that
evaluation does is charged before or while it is done:

| what                                     | steps                                                              |
|------------------------------------------|--------------------------------------------------------------------|
| a row                                    | `STEPS_PER_ROW`                                                    |
| a row that `reference` joins             | `STEPS_PER_JOINED_ROW` (`matching/reference.py`)                   |
| an expression                            | `STEPS_PER_NODE` for each call and term (`expression_steps`)        |
| a text that is read                      | one for `CHARACTERS_PER_STEP` characters                           |
| a text that is computed                  | ten times as many                                                  |
| REGEX                                    | bytes of the text times size of the program (`regex.py`)           |
| REPLACE                                  | the same, and its time on the processor                            |
| WORDS                                    | three for each character of the text (`words.py`)                  |
| LABELLED                                 | three for each character of the text, ten for a term with the label |
| a pattern that is not a constant         | by its length and the size of its program, when it is compiled     |

A step is about a tenth of a microsecond. Steps are counted per subscription and publication (`work_limit`) and per
publication: twice as much, and half a work limit more as a reserve, so that expensive subscriptions do not cost the
cheap ones their answers. Of the reserve, no subscription gets more than a hundredth of what is left, and each gets
`MIN_STEPS`. Characters are counted per row
(`row_text_limit`: all that expressions compute for it), and per publication (`publication_text_limit`: the computed
values that its solutions keep; every subscription may keep `GUARANTEED_CHARACTERS`).

A budget that is spent raises `BudgetExceeded`, which no expression catches: the matcher ends the search of that
subscription in that publication and reports it (`MatchReport.exceeded`) with the name of the limit.
"""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

STEPS_PER_ROW = 100
"""Steps of the work limit for one row that is checked in Python."""
STEPS_PER_NODE = 10
"""Steps for one call or term of an expression, each time that a row is checked."""
CHARACTERS_PER_STEP = 100
"""Characters of text that are read in one step."""
COMPUTED_CHARACTERS_PER_STEP = 10
"""Characters of text that are computed in one step."""
STEPS_PER_SECOND = 10_000_000
"""Steps for one second on the processor, where only time tells how much was done."""
DEFAULT_WORK_LIMIT = 10_000_000
"""Steps per subscription and publication unless the caller sets another limit."""
PUBLICATION_SHARE = 10
"""The matches of a publication together may have this many times the values of one."""
PUBLICATION_WORK_SHARE = 2
"""All subscriptions of a publication together get this many times the work limit of one: about two seconds."""
RESERVE_DIVISOR = 2
"""The reserve is the work limit of one subscription divided by this: about half a second."""
RESERVE_PARTS = 100
"""A subscription gets one of so many parts of what is left of the reserve."""
MIN_STEPS = 1_000
"""Steps that a subscription gets in a publication even if others spent all of that publication's budget."""
DEFAULT_ROW_TEXT_LIMIT = 4_000_000
"""Characters that expressions may compute for one row."""
DEFAULT_PUBLICATION_TEXT_LIMIT = 16_000_000
"""Characters of computed values that the solutions of one publication may keep."""
GUARANTEED_CHARACTERS = 10_000
"""Characters that a subscription may keep in a publication even if others spent that publication's budget."""

DEFAULT_VALUE_LIMIT = 200_000
"""Values of one match, in all its solutions together: the default row limit with 20 variables."""


class EvaluationLimits(NamedTuple):
    """The limits of evaluation for one publication."""

    work: int = DEFAULT_WORK_LIMIT
    row_text: int = DEFAULT_ROW_TEXT_LIMIT
    publication_text: int = DEFAULT_PUBLICATION_TEXT_LIMIT
    match_values: int = DEFAULT_VALUE_LIMIT


class BudgetExceeded(Exception):
    """Evaluation reached a limit: `limit` is its name, `amount` what was spent or asked for."""

    def __init__(self, limit: str, amount: int) -> None:
        self.limit, self.amount = limit, amount
        super().__init__(f"{limit} is reached: {amount:,}")


class EvaluationBudget:
    """Count what the evaluation of one publication spends. Not thread-safe: one match owns it."""

    __slots__ = ("_keeps_at_most", "_publication_kept", "_publication_steps", "_steps_at_most",
                 "kept", "limits", "patterns", "row_text", "steps")  # fmt: skip

    def __init__(self, limits: EvaluationLimits) -> None:
        self.limits = limits
        self._publication_steps = self._publication_kept = self._steps_at_most = 0
        self.steps = self.kept = self.row_text = 0
        self.patterns: dict[tuple[str, str], Any] = {}
        """Patterns that were compiled for this publication; `regex` fills it."""
        self.start_subscription()

    def start_subscription(self) -> None:
        """Give the next subscription its own budget, as far as the publication has one left."""
        self._publication_steps += min(self.steps, self._steps_at_most)  # what is refused is not done
        self._publication_kept += self.kept
        self.steps = self.kept = self.row_text = 0
        limits = self.limits
        shared = PUBLICATION_WORK_SHARE * limits.work - self._publication_steps
        reserve = limits.work // RESERVE_DIVISOR + min(shared, 0)
        self._steps_at_most = min(limits.work, max(shared, reserve // RESERVE_PARTS, MIN_STEPS))
        self._keeps_at_most = max(limits.publication_text - self._publication_kept, GUARANTEED_CHARACTERS)

    def start_row(self, steps: int) -> None:
        """Start a row whose expressions cost this many steps by their size."""
        self.row_text = 0
        self.spend(STEPS_PER_ROW + steps)

    def spend(self, steps: int) -> None:
        """Charge steps. Raises BudgetExceeded."""
        self.steps += steps
        if self.steps > self._steps_at_most:
            self.exceed("work_limit" if self.steps > self.limits.work else "publication_work_limit", self.steps)

    def reserve(self, characters: int) -> None:
        """Refuse a text of so many characters before it is computed, if the row has no room for it."""
        if self.row_text + characters > self.limits.row_text:
            self.exceed("row_text_limit", self.row_text + characters)

    def add_text(self, characters: int) -> None:
        """Charge a text that was computed. Raises BudgetExceeded."""
        self.reserve(characters)
        self.row_text += characters
        self.spend(characters // COMPUTED_CHARACTERS_PER_STEP)

    def charge_result(self, data: Any) -> None:
        """Charge the data of a computed value, if it is a text. Raises BudgetExceeded."""
        if type(data) is str:
            self.add_text(len(data))
        elif type(data) is tuple:  # a string in a language
            self.add_text(len(data[0]))

    def keep(self, characters: int) -> None:
        """Charge the computed values of a row that becomes a solution. Raises BudgetExceeded."""
        self.kept += characters
        if self.kept > self._keeps_at_most:
            self.exceed("publication_text_limit", self._publication_kept + self.kept)

    def exceed(self, limit: str, amount: int) -> NoReturn:
        """End the search of the subscription because of a limit."""
        raise BudgetExceeded(limit, amount)

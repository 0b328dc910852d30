"""Hold all settings of an engine in one frozen object, which is saved, copied and sent to Spark as a whole.

To add a setting, add a field to `EngineConfig` and a line to its docstring, the same name to `EngineSettings`, and a
check to `__post_init__`. The taxonomy, the operators and the clock are resources, and not part of the settings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, TypeAlias, TypedDict

from gtopss.errors import GtopssError, UnknownMatcher, UnknownSetting, short_repr
from gtopss.matching.matcher import DEFAULT_ROW_LIMIT, MatcherLimits
from gtopss.matching.table import MATCHERS
from gtopss.operators import STRATEGIES, OperatorLimits, UnknownStrategy
from gtopss.semantics.budget import (
    DEFAULT_PUBLICATION_TEXT_LIMIT,
    DEFAULT_ROW_TEXT_LIMIT,
    DEFAULT_VALUE_LIMIT,
    DEFAULT_WORK_LIMIT,
    PUBLICATION_WORK_SHARE,
    EvaluationLimits,
)
from gtopss.semantics.entailment import DEFAULT_EXPANSION_LIMIT
from gtopss.semantics.lenient_literals import LiteralRules
from ontology.limits import DocumentLimits

EntailmentRegime: TypeAlias = Literal["rdfs"]

MAX_ROW_LIMIT = 1_000_000_000
"""Solutions per match; the kernels count them in 64 bits with room to spare."""
MAX_WORK_LIMIT = 10**15
"""Steps per subscription and publication."""
MAX_TEXT_LIMIT = 10**12
"""Characters."""
MAX_VALUE_LIMIT = 10**12
"""Values per match."""
MAX_EXPANSION_LIMIT = 100_000_000
"""Triples per publication; the kernels number the terms of a batch in 32 bits."""
MAX_THREADS = 1_024
"""Threads of one batch."""
_COUNTS = {
    "row_text_limit": ("characters", MAX_TEXT_LIMIT),
    "publication_text_limit": ("characters", MAX_TEXT_LIMIT),
    "value_limit": ("values", MAX_VALUE_LIMIT),
    "expansion_limit": ("triples", MAX_EXPANSION_LIMIT),
}

_LIMITS: dict[str, Callable[..., Any]] = {"operator_limits": OperatorLimits, "document_limits": DocumentLimits}


class EngineSettings(TypedDict, total=False):
    """The keyword arguments of `Engine`: one for each field of `EngineConfig` (a test compares them)."""

    matcher: str
    entailment: EntailmentRegime | None
    literals: LiteralRules
    row_limit: int
    work_limit: int | None
    row_text_limit: int
    publication_text_limit: int
    value_limit: int
    expansion_limit: int
    allow_cartesian: bool
    strategy: str
    operator_limits: OperatorLimits | None
    document_limits: DocumentLimits | None
    threads: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineConfig:
    """All settings of an engine, as one frozen object. Raises GtopssError for an invalid value.

    >>> EngineConfig(row_limit=5).row_limit
    5

    matcher
        Matching algorithm: a name in `MATCHERS`. The default, "gm", is the fastest.
    entailment
        "rdfs" also matches the triples that RDFS infers from a publication and the taxonomy.
    literals
        How literals without a datatype are compared: "sparql" as strings, "lenient" as numbers and dates if they look
        like one.
    row_limit, value_limit
        Maximum number of solutions per match, and of values in all solutions of a match. A match with more is
        truncated.
    work_limit
        Maximum number of steps per subscription and publication; None for the default of the matcher.
    row_text_limit, publication_text_limit
        Maximum number of characters that expressions compute for one solution, and that the solutions of one
        publication keep.
    expansion_limit
        Maximum number of triples that is-a constraints, and RDFS entailment, each add to a publication.
    allow_cartesian
        Accept patterns whose parts share no variable, and branches that match every publication.
    strategy, operator_limits
        Order of the operator calls, a name in `STRATEGIES`; and the limits of these calls per publication.
    document_limits
        Limits for the documents that the engine reads.
    threads
        Number of threads that match a batch; None for one per available processor.

    docs/limits.md lists the defaults, and what happens when a limit is reached.
    """

    matcher: str = "gm"
    """Matching algorithm: a name in `MATCHERS`."""
    entailment: EntailmentRegime | None = None
    """"rdfs" also matches the triples that RDFS infers from a publication and the taxonomy."""
    literals: LiteralRules = "sparql"
    """"lenient" compares literals without a datatype as numbers and dates, if they look like one."""
    row_limit: int = DEFAULT_ROW_LIMIT
    """Maximum number of solutions per match. A match with more is truncated."""
    work_limit: int | None = None
    """Maximum number of steps per subscription and publication; None for the matcher's default.

    Needs a matcher that counts steps.
    """
    row_text_limit: int = DEFAULT_ROW_TEXT_LIMIT
    """Maximum number of characters that expressions compute for one row."""
    publication_text_limit: int = DEFAULT_PUBLICATION_TEXT_LIMIT
    """Maximum number of characters of computed values in the solutions of one publication."""
    value_limit: int = DEFAULT_VALUE_LIMIT
    """Maximum number of values in all solutions of one match. A match with more is truncated."""
    expansion_limit: int = DEFAULT_EXPANSION_LIMIT
    """Maximum number of triples that is-a constraints, and RDFS entailment, each add to a publication."""
    allow_cartesian: bool = False
    """Accept patterns whose parts share no variable, and branches that match every publication."""
    strategy: str = "adaptive"
    """Strategy that orders the operator calls: a name in `STRATEGIES`."""
    operator_limits: OperatorLimits | None = None
    """Limits of the operator calls of one publication; None for the defaults."""
    document_limits: DocumentLimits | None = None
    """Limits for the documents that the engine reads; None for the defaults."""
    threads: int | None = None
    """Number of threads that match a batch; None for one per available processor."""

    def __post_init__(self) -> None:
        if not isinstance(self.matcher, str) or self.matcher not in MATCHERS:
            raise UnknownMatcher(self.matcher if isinstance(self.matcher, str) else short_repr(self.matcher), MATCHERS)
        if self.entailment not in (None, "rdfs"):
            raise GtopssError(f"entailment is {short_repr(self.entailment)}: use None or 'rdfs'")
        if self.literals not in ("sparql", "lenient"):
            raise GtopssError(f"literals is {short_repr(self.literals)}: use 'sparql' or 'lenient'")
        if type(self.row_limit) is not int or not 1 <= self.row_limit <= MAX_ROW_LIMIT:
            reason = f"it must be from 1 to {MAX_ROW_LIMIT}; to get no rows, use match(..., bindings=False)"
            raise GtopssError(f"row_limit is {short_repr(self.row_limit)}: {reason}")
        if self.work_limit is not None:
            self._check_work_limit(self.work_limit)
        for name, (unit, largest) in _COUNTS.items():
            count = getattr(self, name)
            if type(count) is not int or not 1 <= count <= largest:
                raise GtopssError(f"{name} is {short_repr(count)}: it is a number of {unit}, from 1 to {largest}")
        if not isinstance(self.strategy, str) or self.strategy not in STRATEGIES:
            raise UnknownStrategy(
                self.strategy if isinstance(self.strategy, str) else short_repr(self.strategy), STRATEGIES
            )
        if self.operator_limits is not None:
            self.operator_limits.check(self.strategy)
        if self.document_limits is not None and not isinstance(self.document_limits, DocumentLimits):
            raise GtopssError(f"document_limits is {short_repr(self.document_limits)}: give a DocumentLimits")
        if self.threads is not None and (type(self.threads) is not int or not 1 <= self.threads <= MAX_THREADS):
            raise GtopssError(
                f"threads is {short_repr(self.threads)}: it is a number of threads, from 1 to {MAX_THREADS}"
            )

    def _check_work_limit(self, steps: int) -> None:
        if type(steps) is not int or not 1 <= steps <= MAX_WORK_LIMIT:
            raise GtopssError(f"work_limit is {short_repr(steps)}: it is a number of steps, from 1 to {MAX_WORK_LIMIT}")
        if not MATCHERS[self.matcher].capabilities.work_limits:
            raise needs_other_matcher("work_limit", "work_limits")

    def matcher_limits(self) -> MatcherLimits:
        """Return the limits that the matcher is created with."""
        return {
            "work_limit": self.work_limit,
            "row_text_limit": self.row_text_limit,
            "publication_text_limit": self.publication_text_limit,
            "value_limit": self.value_limit,
            "expansion_limit": self.expansion_limit,
            "literals": self.literals,
        }

    def evaluation_limits(self) -> EvaluationLimits:
        """Return the limits of evaluation for one publication."""
        work = DEFAULT_WORK_LIMIT if self.work_limit is None else self.work_limit
        return EvaluationLimits(work, self.row_text_limit, self.publication_text_limit, self.value_limit)

    def operator_evaluation_limits(self) -> EvaluationLimits:
        """Return the limits of evaluation for all subscriptions that call operators, per publication."""
        work = DEFAULT_WORK_LIMIT if self.work_limit is None else self.work_limit
        return EvaluationLimits(
            PUBLICATION_WORK_SHARE * work, self.row_text_limit, self.publication_text_limit, self.value_limit
        )

    def to_json(self) -> dict[str, Any]:
        """Return the settings as JSON data."""
        data = {field.name: getattr(self, field.name) for field in fields(self)}
        for name in _LIMITS:
            if data[name] is not None:
                data[name] = asdict(data[name])
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> EngineConfig:
        """Read what `to_json` returned. Raises GtopssError if a setting is unknown or its value is not allowed."""
        limits = {name: kind(**data[name]) for name, kind in _LIMITS.items() if data.get(name) is not None}
        return make_config(None, {**data, **limits})


def make_config(config: EngineConfig | None, settings: Any) -> EngineConfig:
    """Return `config` (None for the defaults) with these settings in place of its own. Raises UnknownSetting."""
    known = [field.name for field in fields(EngineConfig)]
    for name in settings:
        if name not in known:
            raise UnknownSetting(name, known)
    return replace(config if config is not None else EngineConfig(), **settings)


def reopened_config(saved: EngineConfig, settings: Any) -> EngineConfig:
    """Return the settings of a saved engine with these in place of its own. Raises UnknownSetting or GtopssError."""
    made = make_config(saved, settings)
    for name in ("literals", "entailment"):
        before, after = getattr(saved, name), getattr(made, name)
        if before != after:
            raise GtopssError(
                f"the engine was saved with {name}={before!r}, by which its subscriptions are indexed: for "
                f"{name}={after!r}, add them to a new Engine"
            )
    return made


def needs_other_matcher(feature: str, capability: str) -> GtopssError:
    """Return the error for a feature that the chosen matcher lacks. It names a matcher that has it."""
    name = next(name for name, matcher in MATCHERS.items() if getattr(matcher.capabilities, capability))
    return GtopssError(f"{feature} needs the matcher {name!r}: Engine(matcher={name!r})")

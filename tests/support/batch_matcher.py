"""The index through its batch way: each publication amid others, as one text, in several threads, read from arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gtopss.matching.batch_source import BatchSource, GivenPublications
from gtopss.matching.index.matcher import MIN_THREAD_PUBLICATIONS, IndexMatcher
from gtopss.matching.match_batch import MatchBatch, ReportBatch
from gtopss.matching.matcher import DEFAULT_ROW_LIMIT, Matcher
from gtopss.matching.threads import ONE_THREAD, MatchThreads
from gtopss.model import Match, MatchReport, Publication, Solution
from gtopss.model.text_block import TextBlockBuilder

OTHER = Publication("other", [("<urn:other:s>", "<urn:other:p>", "<urn:other:o>")])
BEFORE, AFTER = MIN_THREAD_PUBLICATIONS + 3, MIN_THREAD_PUBLICATIONS
"""Other publications around those that are asked about: enough for two ranges."""


class BatchIndexMatcher(IndexMatcher):
    """Answers as `gm` does; only the way is another one."""

    name = "gm-batch"

    def __init__(self, *given: object, **limits: object) -> None:
        super().__init__(*given, **limits)  # type: ignore[arg-type]
        self._own_threads = MatchThreads(2)

    def match_batches(
        self, source: BatchSource, row_limit: int = DEFAULT_ROW_LIMIT, threads: MatchThreads = ONE_THREAD
    ) -> Iterator[MatchBatch]:
        read = source.read(0, len(source))
        given = [OTHER] * BEFORE + list(read.publications) + [OTHER] * AFTER
        errors = {BEFORE + number: error for number, error in read.errors.items()}
        publications = as_text(given) or given
        found = super().match_batches(GivenPublications(publications, errors), row_limit, self._own_threads)
        reports = [report for batch in found for report in reports_from_columns(batch, self)]
        yield ReportBatch(read.publications, reports[BEFORE : BEFORE + len(source)])


def as_text(publications: list[Publication]) -> Sequence[Publication] | None:
    """Publications as one text; None where a text cannot say all of them."""
    block = TextBlockBuilder()
    for each in publications:
        has_line_break = any("\n" in term for triple in each.triples for term in triple)
        if each.published_at is not None or each.inferred or has_line_break:
            return None
        block.add_publication(each)
    return block.build()


def reports_from_columns(batch: MatchBatch, matcher: Matcher) -> Iterator[MatchReport]:
    """Reports of what the arrays of a batch say, with the counters of its own reports."""
    offsets, solutions = batch.offsets.tolist(), batch.solutions
    for number, report in enumerate(batch.reports()):
        matches = []
        found = [match.to_match() if hasattr(match, "to_match") else match for match in report]
        reported = {match.subscription_id: match for match in found}
        assert len(reported) == len(found)
        for place in range(offsets[number], offsets[number + 1]):
            assert batch.publication[place] == number
            subscription = matcher.subscription(batch.subscription_ids[batch.subscription[place]])
            rows = []
            for row in range(solutions.offsets[place], solutions.offsets[place + 1]):
                values = solutions.values[solutions.value_offsets[row] : solutions.value_offsets[row + 1]].tolist()
                terms = tuple(None if value < 0 else solutions.terms[value] for value in values)
                branch = subscription.branches[solutions.branch[row]]
                if subscription.query is not None:  # rows of a whole query belong to a branch made for its columns
                    branch = reported[subscription.id].solutions[0].branch
                rows.append(Solution(branch, terms))
            truncated = bool(batch.truncated[place])
            matches.append(Match(batch.publication_ids[number], subscription, tuple(rows), truncated))
        assert tuple(matches) == tuple(reported.values())
        yield MatchReport(
            batch.publication_ids[number],
            tuple(matches),
            replace(report.counters),
            batch.errors.get(number),
            batch.exceeded.get(number, ()),
            batch.undecided.get(number, ()),
            limits_reached=batch.limits_reached.get(number, ()),
        )

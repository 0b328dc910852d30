"""Explain the `labelled` parts of a constraint: the label, the term that has it and its path up to the class."""

from __future__ import annotations

from collections.abc import Iterator

from gtopss.errors import InvalidTerm
from gtopss.explain.explanation import LabelCheck
from gtopss.explain.limits import MAX_CLASSES_SHOWN
from gtopss.explain.operands import compile_operands, operand_terms
from gtopss.explain.triple_index import Row
from gtopss.model import Expression, Term
from gtopss.model.expressions import calls_in
from gtopss.model.terms import iri_text, is_iri, literal, literal_parts
from gtopss.semantics import EvaluationContext
from gtopss.semantics.labelled import is_labelled
from gtopss.semantics.values import ValueKind, value_of
from ontology.labels import Label, label_key


def label_checks(expression: Expression, values: Row, context: EvaluationContext) -> Iterator[LabelCheck]:
    """Yield each call of `labelled` inside an expression, evaluated on a row."""
    for call in calls_in([expression]):
        if call.function == "LABELLED" and len(call.arguments) == 2:
            operands = operand_terms(compile_operands(*call.arguments), values, context)
            if operands is not None:
                yield _label_check(*operands, context)


def _label_check(text: Term, cls: Term, context: EvaluationContext) -> LabelCheck:
    answer = is_labelled(value_of(text), value_of(cls), context)
    is_text = value_of(text).kind in (ValueKind.STRING, ValueKind.LANGUAGE_STRING)
    if not is_text or not is_iri(cls):
        return LabelCheck(text, cls, answer, is_text)
    written, name = literal_parts(text)[0], iri_text(cls)
    taxonomy, labels = context.taxonomy, context.taxonomy.labels
    if answer:
        paths = [taxonomy.path(term, name) for term in taxonomy.labelled(written, name)]
        path = min(paths, key=len)
        label = next(each for each in labels.of(path[0]) if label_key(each.text) == label_key(written))
        return LabelCheck(text, cls, answer, is_text, _literal(label), tuple(map(_term, path)))
    others = labels.with_label(written)[:MAX_CLASSES_SHOWN]
    called = dict.fromkeys(map(_literal, labels.of(name)[:MAX_CLASSES_SHOWN]))
    return LabelCheck(text, cls, answer, is_text, others=tuple(map(_term, others)), called=tuple(called))


def _literal(label: Label) -> Term:
    try:
        return literal(label.text, language=label.language)
    except InvalidTerm:  # labels that were added in Python may have any text
        return literal(label.text.encode("utf-8", "replace").decode())


def _term(name: str) -> Term:
    return Term(name) if name.startswith("_:") else Term(f"<{name}>")

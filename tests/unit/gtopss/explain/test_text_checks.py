"""Text constraints are explained by the needle where it was found, or by the text in which it was not."""

from __future__ import annotations

import json

import pytest
from support.explanations import A, P, explain_branch

from gtopss import Engine
from gtopss.explain import Check, Explanation, explain, limits
from gtopss.model import Branch, Publication, Subscription
from gtopss.model.expressions import call
from gtopss.model.terms import literal
from ontology import Taxonomy

TITLE = "http://purl.org/rss/1.0/title"
FLOOD = "Houses and gardens that were there after the flood in the valley which everybody knows by name"
EXCERPT = "…that were there after the «flood» in the valley which everybody…"


def explained(test: str, *titles: str) -> Explanation:
    """Explain a subscription with one filter on titles; a title is a text, or a literal in N-Triples."""
    engine = Engine(matcher="naive")
    engine.add(f"SELECT ?t {{ ?i rss:title ?t FILTER ({test}) }}", id="s")
    triples = [("<urn:i>", f"<{TITLE}>", each if each.startswith('"') else literal(each)) for each in titles]
    return engine.explain(Publication("p", triples), "s")


def reasons(explanation: Explanation) -> list[str]:
    """Return the right column of the lines for constraints, with its mark."""
    lines = [line.strip() for line in explanation.text().splitlines()]
    return [
        f"{line[0]} {line.split('   ', 1)[1].strip()}" for line in lines if line[0] in "✔✘" and "?i  rss:" not in line
    ]


@pytest.mark.parametrize(
    ("test", "title", "reason"),
    [
        ('CONTAINS(?t, "flood")', FLOOD, f'✔ "flood" found: {EXCERPT}'),
        ('CONTAINS(LCASE(?t), "flood")', "a FLOOD", '✔ "flood" found: a «FLOOD»'),
        ('CONTAINS(UCASE(?t), "SE 5")', "Große Straße 5", '✔ "SE 5" found: Große Stra«ße 5»'),
        ('CONTAINS(LCASE(?t), "stan")', "İİ İstanbul", '✔ "stan" found: İİ İ«stan»bul'),
        ('CONTAINS(LCASE(STR(?t)), "a")', '"A1"^^<urn:d>', '✔ "a" found: «A»1'),
        ('CONTAINS(?t, "x"@en)', '"a x"@en', '✔ "x"@en found: a «x»'),
        ('STRSTARTS(?t, "Hous")', "Houses", '✔ "Hous" found at the start: «Hous»es'),
        ('STRENDS(?t, "es")', "Houses", '✔ "es" found at the end: Hous«es»'),
        ('UCASE(?t) = "STRASSE"', "Straße", '✔ "STRASSE" found as the whole: «Straße»'),
        ('"STRASSE" = UCASE(?t)', "Straße", '✔ "STRASSE" found as the whole: «Straße»'),
        ('REGEX(?t, "fl(oo|u)d")', "日本 flood", '✔ the pattern "fl(oo|u)d" found: 日本 «flood»'),
        ('REGEX(?t, "x*$")', "ab", '✔ the pattern "x*$" found: ab«»'),
        ('words(?t, "café")', "<p>Le Ca<b>fe\u0301</b> &amp; more</p>",
         '✔ the words "café" found: Le «Cafe\u0301» & more'),
        ('has(?i, rss:title, "flood")', "a flood", '✔ the words "flood" found: a «flood»'),
        ('!CONTAINS(?t, "rain")', "a flood", '✔ "rain" not found in "a flood"'),
        ('CONTAINS(?t, "rain") || words(?t, "flood")', "a flood", '✔ the words "flood" found: a «flood»'),
        ('LCASE(?t) IN ("rain", "flood")', "Flood", '✔ "flood" found as the whole: «Flood»'),
        ('?t IN ("rain", "flood")', "flood", '✔ "flood" = "flood"'),
        ('CONTAINS(?t, "rain") || STRLEN(?t) > 2', "flood", '✔ STRLEN("flood") > 2'),
        # misses
        ('CONTAINS(?t, "rain")', FLOOD,
         '✘ "rain" not found in "Houses and gardens that were there after the flood in the valley which everybody…"'),
        ('CONTAINS(?t, "x"@en)', '"y"@en', '✘ "x"@en not found in "y"@en'),
        ('STRSTARTS(?t, "ouse")', "Houses", '✘ "ouse" not found at the start of "Houses"'),
        ('LCASE(?t) = "x"', '"X"@en', '✘ "x" not found as the whole of "X"@en'),
        ('words(?t, "rain")', "<p>a <b>flood</b></p>", '✘ the words "rain" not found in "a flood"'),
        ('!words(?t, "flood")', "a <b>flood</b>", '✘ the words "flood" found: a «flood»'),
        ('has(?i, rss:link, "flood")', "flood", '✘ the words "flood" not found: there is no text'),
        ('REGEX(?t, "^in")', "rain", '✘ the pattern "^in" not found in "rain"'),
        ('CONTAINS(?t, "rain") || CONTAINS(?t, "snow")', "flood",
         '✘ "rain" not found in "flood"; "snow" not found in "flood"'),
        ('!(CONTAINS(?t, "rain") || CONTAINS(?t, "flood"))', "a flood",
         '✘ "rain" not found in "a flood"; "flood" found: a «flood»'),
        ('CONTAINS(?t, "x"@en)', '"x"@fr', '✘ CONTAINS("x"@fr, "x"@en) is a type error: the languages differ'),
        ('CONTAINS(?t, "1")', '"1"^^<urn:d>', '✘ CONTAINS("1"^^<urn:d>, "1") is a type error: it is not a string'),
    ],
)  # fmt: skip
def test_a_text_constraint_shows_its_needle(test: str, title: str, reason: str) -> None:
    assert reasons(explained(test, title)) == [reason]


def test_a_conjunction_names_the_needles_found_and_not_found() -> None:
    test = call("&&", *(call("CONTAINS", "?y", literal(each)) for each in ("flood", "rain", "snow")))
    branch = explain_branch([(A, P, "?y")], [(A, P, literal("a flood, snow"))], where=[test])
    (check,) = branch.checks()
    found = {each.needle: str(each.excerpt) if each.excerpt else each.text for each in check.text_checks}
    assert found == {'"rain"': '"a flood, snow"', '"flood"': "a «flood», snow", '"snow"': "a flood, «snow»"}


def test_each_filter_has_its_needle() -> None:
    found = explained('CONTAINS(?t, "flood") && CONTAINS(?t, "rain")', "a flood")
    assert reasons(found) == ['✔ "flood" found: a «flood»', '✘ "rain" not found in "a flood"']


def test_json_has_the_excerpt_in_parts() -> None:
    found = explained('words(?t, "FLOOD")', "after the flood in").to_json()
    (check,) = found["branches"][0]["solutions"][0]["checks"]
    assert check["text_checks"] == [
        {
            "function": "WORDS",
            "needle": '"FLOOD"',
            "holds": True,
            "excerpt": {"before": "after the ", "found": "flood", "after": " in"},
            "text": None,
        }
    ]
    json.dumps(found)


def test_the_diagram_shows_the_needle() -> None:
    found = explained('CONTAINS(?t, "flood")', FLOOD)
    assert "…after the «flood» in the…" in found.svg()
    assert "after the #171;flood#187; in the" in found.mermaid()
    assert EXCERPT in found._repr_html_()


def test_a_needle_cannot_control_the_terminal() -> None:
    assert "\x1b" not in explained('CONTAINS(?t, "flood")', "a \x1b[31m flood \u202e").text()


def only_check(test: str, title: str) -> Check:
    (check,) = explained(test, title).branches[0].checks()
    return check


def test_few_needles_of_a_constraint_are_shown_and_the_others_counted() -> None:
    found = explained(" || ".join(f'CONTAINS(?t, "x{number}")' for number in range(50)), "a")
    (check,) = found.branches[0].checks()
    assert (len(check.text_checks), check.more_texts) == (limits.MAX_NEEDLES_SHOWN, 40)
    assert "and 40 more texts" in found.text()


def test_long_needles_and_long_finds_are_shortened() -> None:
    check = only_check(f'CONTAINS(?t, "{"ab" * 500}")', "ab" * 1_000)
    (text,) = check.text_checks
    assert text.excerpt is not None
    assert len(text.needle) <= limits.MAX_NEEDLE_CHARACTERS + 3
    assert len(text.excerpt.found) <= limits.MAX_NEEDLE_CHARACTERS + 1


def test_texts_beyond_their_budget_are_not_shown_and_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_TEXT_CHECK_STEPS", 1_000)
    found = explained('words(?t, "flood")', "ä " * 1_000 + "flood")
    assert found.matched
    assert found.complete
    (check,) = found.branches[0].checks()
    assert check.text_checks == ()
    assert "words(" in found.text()


def test_the_alternatives_of_a_long_list_are_not_all_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_PARTS_COMPARED", 2)
    members = tuple(map(literal, "abcd"))
    for text, deciding in (("b", "="), ("d", "in")):
        branch = Branch([(A, P, "?y")], [call("in", "?y", *members)])
        made = explain(Subscription("s", branches=[branch]), Publication("p", [(A, P, literal(text))]), Taxonomy())
        (check,) = made.branches[0].checks()
        assert (check.holds, check.deciding.function) == (True, deciding)

"""The needles of subscriptions that come and go."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from gtopss import Engine, Publication, Subscription
from gtopss.errors import GtopssError
from gtopss.language import subscription_from_text
from gtopss.matching.index import renumbering, results, text_index, writer
from gtopss.matching.index.kernels.needles import OUTPUT_NEXT, OUTPUT_TARGET
from gtopss.matching.index.kernels.relations import ANY_OF, CONTAINS, LOWER, WRITTEN, text_relation
from gtopss.matching.index.kernels.text_hits import TextSearch
from gtopss.matching.index.matcher import IndexMatcher
from gtopss.matching.index.text_index import TextIndex, TextOutput
from gtopss.model.terms import literal
from ontology import Taxonomy

TITLE = "<urn:title>"
WRITTEN_CONTAINS, LOWER_CONTAINS = text_relation(WRITTEN, CONTAINS, False), text_relation(LOWER, CONTAINS, False)


def keyword(name: str, test: str) -> Subscription:
    return subscription_from_text(f"SELECT ?t {{ ?x {TITLE} ?t FILTER({test}) }}", name)


def item(*titles: str) -> Publication:
    return Publication("p", [("<urn:item>", TITLE, literal(each)) for each in titles])


def matcher_of(engine: Engine) -> IndexMatcher:
    assert isinstance(engine._core.matcher, IndexMatcher)
    return engine._core.matcher


def json_array(data: Any) -> np.ndarray[Any, Any]:
    return np.frombuffer(json.dumps(data).encode(), np.uint8)


def looks_for_nothing(matcher: IndexMatcher) -> bool:
    saved = matcher._writer._text_index.saved()
    as_json = saved["patterns"].tobytes(), saved["labels"].tobytes()
    return not len(saved["places"]) and not len(saved["sets"]) and as_json == (b"[]", b"[]")


def test_what_is_added_amid_matching_is_found_in_the_next_item_and_waits_for_it() -> None:
    matcher = IndexMatcher(Taxonomy())
    matcher.add(keyword("old", 'CONTAINS(?t, "flood")'))
    assert matcher.match(item("a flood")).subscription_ids == ("old",)
    assert matcher.segments() == [1]
    for number, test in enumerate(
        [
            'CONTAINS(LCASE(?t), "neuron")',
            'STRSTARTS(?t, "Neuron")',
            'words(?t, "neuron")',
            'CONTAINS(?t, "Neuron") || CONTAINS(LCASE(?t), "axon")',
            'CONTAINS(?t, "Neuron") && CONTAINS(?t, "new")',
            '?t IN ("Neuron, new", "other")',
        ],
        start=1,
    ):
        matcher.add(keyword(f"new {number}", test))
        for title in ("a flood", "neutron", "new", "other matter"):
            expected = {"old"} if "flood" in title else set()
            assert set(matcher.match(item(title)).subscription_ids) == expected
        assert sum(matcher.segments()) == number, test
        found = set(matcher.match(item("Neuron, new")).subscription_ids)
        assert found == {f"new {each}" for each in range(1, number + 1)}, test
        assert sum(matcher.segments()) == number + 1, test


def test_a_removed_needle_adds_no_match() -> None:
    matcher = IndexMatcher(Taxonomy())
    tests = [
        *['CONTAINS(?t, "flood")'] * 2,
        'CONTAINS(?t, "flo")',
        'REGEX(?t, "^.....$")',
        'REGEX(?t, "^.{5}") || ?t = "flood"',
    ]
    for name, test in zip("abcde", tests, strict=True):
        matcher.add(keyword(name, test))
    for name in "abcde":
        assert "".join(sorted(matcher.match(item("flood")).subscription_ids)) == "abcde"["abcde".index(name) :]
        matcher.remove(name)
    assert matcher.match(item("flood")).subscription_ids == ()
    assert looks_for_nothing(matcher)
    matcher.add(keyword("a", 'CONTAINS(?t, "food")'))
    assert matcher.match(item("flood")).subscription_ids == ()
    assert matcher.match(item("food")).subscription_ids == ("a",)


def searched(index: TextIndex) -> TextSearch:
    search = index.search()
    assert search is not None
    return search


def test_where_texts_are_looked_for_is_counted() -> None:
    index = TextIndex(np.uint64(1), Taxonomy())
    assert index.search() is None
    one = TextOutput(WRITTEN_CONTAINS, "a", "", WRITTEN_CONTAINS, 100, 60)
    other = TextOutput(LOWER_CONTAINS, "a", "", ANY_OF, 101, -1)
    index.add([one, one, other])
    assert searched(index).by_property[60] == 1 << WRITTEN
    assert searched(index).everywhere == 1 << LOWER
    assert index.term_numbers().tolist() == [101]
    index.remove([one, other])
    assert searched(index).by_property[60] == 1 << WRITTEN
    assert searched(index).everywhere == 0
    assert index.term_numbers().tolist() == []
    index.remove([one])
    assert index.search() is None


def test_texts_without_end_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_index, "MAX_NODES", 511)
    engine = Engine()

    def add_more() -> None:
        for number in range(1_000):
            engine.add(keyword(str(number), f'CONTAINS(?t, "{number:04}") || CONTAINS(?t, "{number:04} more")'))

    with pytest.raises(GtopssError, match="texts of all subscriptions take more than 511 pieces"):
        add_more()
    count = len(engine)
    assert 100 < count < 1_000
    engine.add(keyword("0000", 'CONTAINS(?t, "0000")'))  # a text that is looked for already
    assert engine.match(item(f"{count:04}")).subscription_ids == ()
    assert engine.match(item(f"{count - 1:04}")).subscription_ids == (str(count - 1),)
    for name in [each.id for each in engine.subscriptions()]:
        engine.remove(name)
    assert looks_for_nothing(matcher_of(engine))


def everything(engine: Engine) -> list[set[str]]:
    titles = ["Flood in a new city", "flood 17", "dead 3", "FLOOD", "City flood?", "ab", "x" * 200, "日本 flood 17"]
    reports = list(engine.match_many([item(each) for each in titles]))
    assert [report.error for report in reports] == [None] * len(titles)
    return [set(report.subscription_ids) for report in reports]


@pytest.fixture
def engine() -> Engine:
    """An engine most of whose needles are dead."""
    engine = Engine(allow_cartesian=True)
    for number in range(300):
        engine.add(keyword(f"dead {number}", f'CONTAINS(?t, "dead {number}") || CONTAINS(?t, "dear {number}")'))
    tests = [
        'CONTAINS(LCASE(?t), "flood")', 'STRSTARTS(?t, "flood")', 'STRENDS(LCASE(?t), "city")', '?t IN ("ab", "FLOOD")',
        'words(?t, "new city")', 'words(?t, "flood 17")', 'UCASE(?t) = "FLOOD"', f'CONTAINS(?t, "{"x" * 150}")',
        'CONTAINS(?t, "17") || CONTAINS(?t, "日")', 'CONTAINS(?t, "flood") || CONTAINS(STR(?x), "never")',
        '!CONTAINS(?t, "flood")', 'REGEX(?t, "^.l..d$", "i")', 'REGEX(STR(?t), "[0-9]{2}") || CONTAINS(?t, "FLOOD")',
    ]  # fmt: skip
    for test in tests:
        engine.add(keyword(test, test))
    everything(engine)
    for number in range(300):
        engine.remove(f"dead {number}")
    return engine


def nodes(engine: Engine) -> int:
    return int(matcher_of(engine)._writer._text_index.saved()["used"][0])


def test_merging_and_new_numbers_change_no_answer(engine: Engine) -> None:
    expected, before = everything(engine), nodes(engine)
    assert all(expected[:2])
    assert expected[2] == {'!CONTAINS(?t, "flood")'}
    engine.optimise()
    assert everything(engine) == expected
    assert nodes(engine) < before / 2
    assert len(matcher_of(engine)._writer.dictionary) < 120
    engine.add(keyword("late", 'CONTAINS(?t, "city")'))
    expected[0].add("late")
    assert everything(engine) == expected


def test_what_changes_while_terms_get_new_numbers(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    merge, expected = writer.merge_index_segments, everything(engine)

    def change_meanwhile(*arguments: Any, **options: Any) -> Any:
        made = merge(*arguments, **options)
        engine.remove('words(?t, "new city")')
        engine.add(keyword("dead 3", 'CONTAINS(?t, "dead 3") || CONTAINS(?t, "dear 3")'))
        engine.add(keyword("late", 'CONTAINS(?t, "city") || words(?t, "late")'))
        return made

    monkeypatch.setattr(writer, "merge_index_segments", change_meanwhile)
    matcher_of(engine)._writer.renumber_terms()
    monkeypatch.undo()
    expected[0] = (expected[0] - {'words(?t, "new city")'}) | {"late"}
    expected[2].add("dead 3")
    assert everything(engine) == expected
    for name in ("late", "dead 3"):
        engine.remove(name)
    engine.optimise()
    assert everything(engine) == [each - {"late", "dead 3"} for each in expected]


def test_a_saved_engine_looks_for_the_same_and_for_more(engine: Engine, tmp_path: Path) -> None:
    expected = everything(engine)
    for _ in range(2):
        engine.save(tmp_path / "engine")
        engine = Engine.open(tmp_path / "engine")
        assert everything(engine) == expected
    for number in range(1_000):  # the table grows
        engine.add(keyword(f"late {number}", f'CONTAINS(LCASE(?t), "late {number}.")'))
    assert everything(engine) == expected
    late = engine.match(item("A flood: Late 7.", "LATE 999. flood")).subscription_ids
    assert {each for each in late if each.startswith("late")} == {"late 7", "late 999"}
    for number in range(1_000):
        engine.remove(f"late {number}")
    for name in [each.id for each in engine.subscriptions()]:
        engine.remove(name)
    assert looks_for_nothing(matcher_of(engine))
    engine.optimise()
    engine.add(keyword("again", 'CONTAINS(?t, "flood")'))
    assert engine.match(item("flood")).subscription_ids == ("again",)
    assert everything(Engine.open(tmp_path / "engine")) == expected  # nothing was written into its files


NEGATED = [
    '!CONTAINS(?t, "flood")', '!CONTAINS(LCASE(?t), "flood")', '!STRSTARTS(?t, "A ")', '!STRENDS(UCASE(?t), "CITY")',
    '!words(?t, "the flood")', '!CONTAINS(STR(?t), "flood")', '!CONTAINS(?t, "flood") && !CONTAINS(?t, "fire")',
    'CONTAINS(?t, "city") && !CONTAINS(?t, "flood")', '!words(STR(?t), "flood")', '!CONTAINS(LCASE(STR(?t)), "日本")',
]  # fmt: skip
TITLES = [
    literal("A flood in the city"), literal("The Flood"), literal("fire", language="en"), literal("日本の flood"),
    literal("ﬂood İstanbul ΟΔΟΣ"), "<urn:flood>", literal("a flood", "urn:type"), "_:b", literal(""), literal("city"),
]  # fmt: skip


def test_negated_texts_are_decided_by_the_index(monkeypatch: pytest.MonkeyPatch) -> None:
    engine, naive = Engine(), Engine(matcher="naive")
    for test in NEGATED:
        engine.add(keyword(test, test))
        naive.add(keyword(test, test))
    publications = [Publication("p", [("<urn:item>", TITLE, each)]) for each in TITLES]
    publications += [Publication("all", [("<urn:item>", TITLE, each) for each in TITLES]), Publication("none", [])]
    expected = [
        {match.subscription_id: set(map(str, match.rows)) for match in naive.match(each)} for each in publications
    ]
    assert sum(map(len, expected)) > 30

    def refuse(*arguments: Any, **options: Any) -> NoReturn:
        raise AssertionError("a row is checked in Python")

    monkeypatch.setattr(results, "compile_expressions", refuse)
    for _ in range(2):
        for publication, matches in zip(publications, expected, strict=True):
            found = {match.subscription_id: set(map(str, match.rows)) for match in engine.match(publication)}
            assert found == matches, publication
        engine.optimise()


def test_what_a_text_lacks_is_announced_as_unknown_near_the_limit() -> None:
    engine = Engine(expansion_limit=2)
    engine.add(keyword("no zzz", '!CONTAINS(?t, "zzz")'))
    engine.add(keyword("a", 'CONTAINS(?t, "a")'))
    report = engine.match(item("a", "b"))
    assert report.subscription_ids == ("a",)
    assert report.limits_reached == ("expansion_limit",)


@pytest.mark.parametrize("title", ["", "Σ "])
def test_many_publications_with_many_hits_take_little_memory(title: str) -> None:
    """The room for hits grows with them, and not with each publication that has more than the first table holds."""
    words = [f" w{number} " for number in range(100, 250)]
    engine = Engine()
    for word in words:
        engine.add(keyword(word, f'CONTAINS(LCASE(?t), "{word}")'))
    publications = [item(title + "".join(words)) for _ in range(100)]
    assert {len(report) for report in engine.match_many(publications)} == {len(words)}
    many = Publication(
        "many", [("<urn:item>", TITLE, literal(f"{number}{title}{''.join(words)}")) for number in range(40)]
    )
    assert len(engine.match(many)) == len(words)


def test_a_match_is_truncated_if_only_its_first_row_could_be_checked() -> None:
    engine = Engine(work_limit=150)
    engine.add(keyword("long", "STRLEN(?t) > 0"))
    report = engine.match(item("a", "b", "c"))
    assert [match.truncated for match in report] == [True]
    assert [each.subscription_id for each in report.exceeded] == ["long"]


@pytest.mark.parametrize("limits", [{"expansion_limit": 3}, {"work_limit": 1_000}])
def test_what_a_text_lacks_is_not_known_beyond_the_limits(limits: dict[str, Any]) -> None:
    matcher = IndexMatcher(Taxonomy(), publication_work_limit=limits.get("work_limit", 10**8), **limits)
    for letter in "abcdef":
        matcher.add(keyword(letter, f'CONTAINS(?t, "{letter}")'))
    matcher.add(keyword("no x", '!CONTAINS(?t, "x")'))
    report = matcher.match(item("abcdef" * 500 + "x"))
    assert "no x" not in report.subscription_ids
    assert report.limits_reached
    assert matcher.match(item("a")).subscription_ids == ("a", "no x")


def changed(name: str, change: Callable[[Any], Any]) -> Callable[[dict[str, Any]], None]:
    def apply(saved: dict[str, Any]) -> None:
        saved[name] = change(saved[name].copy())

    return apply


def set_column(column: int, value: int, row: int = 0) -> Callable[[Any], Any]:
    def change(array: Any) -> Any:
        array[row, column] = value
        return array

    return change


@pytest.mark.parametrize(
    "damage",
    [
        changed("records", lambda array: array[:0]),
        changed("records", lambda array: array[:5]),
        changed("records", lambda array: array.astype(np.int64)),
        changed("records", lambda array: array[:, :1]),
        changed("records", lambda array: np.where(array != 0, array + (10**6 << 32), array)),
        changed("records", lambda array: np.full_like(array, 2**36 + 1)),
        changed("root_pieces", lambda array: array[:-1]),
        changed("outputs", lambda array: array[:, :2]),
        changed("outputs", set_column(OUTPUT_NEXT, 0)),
        changed("outputs", set_column(OUTPUT_TARGET, 10**6)),
        changed("outputs", set_column(OUTPUT_TARGET, -1)),
        changed("outputs", set_column(0, 255 << 8)),
        changed("filter", lambda array: array[:0]),
        changed("filter", lambda array: np.append(array, array[:1])),
        changed("used", lambda array: array + 10**6),
        changed("used", lambda array: array * 0 - 1),
        changed("used", lambda array: array[:1]),
        changed("used", lambda array: array[:0]),
        changed("seed", lambda array: array[:0]),
        changed("seed", lambda array: array.astype(np.int64)),
        changed("places", lambda array: array[:, :2]),
        changed("places", lambda array: array + 10**6),
        changed("sets", lambda array: np.array([[10**6, 1]])),
        changed("labels", lambda array: json_array([["urn:C", 10**6, 1, 1, 1]])),
        changed("labels", lambda array: json_array([["urn:C", 1, 1, 10**6, 1]])),
        changed("labels", lambda array: json_array([["urn:C", 1, 1]])),
        lambda saved: saved.pop("labels"),
        lambda saved: saved.pop("outputs"),
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(engine: Engine, damage: Callable[[dict[str, Any]], None]) -> None:
    """What kernels read without checks is checked when it is opened."""
    index = matcher_of(engine)._writer
    saved, terms = index._text_index.saved(), len(index.dictionary)
    TextIndex.restored(saved, terms, Taxonomy())
    damage(saved)
    with pytest.raises((ValueError, LookupError)):
        TextIndex.restored(saved, terms, Taxonomy())


def test_threads_add_match_and_remove(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each thread sees its own additions at once, and nobody else's needles are lost as the table grows."""
    monkeypatch.setattr(renumbering, "MIN_DEAD_TERMS", 50)
    engine, wrong = Engine(), list[object]()
    engine.add(keyword("kept", 'CONTAINS(LCASE(?t), "kept") || words(?t, "bleibt")'))

    def change(worker: int) -> None:
        for number in range(300):
            name = f"w{worker}n{number}z"
            engine.add(keyword(name, f'CONTAINS(LCASE(?t), "{name}")'))
            try:
                found = set(engine.match(item(f"Kept {name.upper()}")).subscription_ids)
            except Exception as error:
                wrong.append(error)
                return
            if found != {"kept", name}:
                wrong.append((name, found))
            if number % 3:
                engine.remove(name)

    threads = [threading.Thread(target=change, args=(worker,)) for worker in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    for worker in range(2):
        for number in range(300):
            expected = {"kept"} if number % 3 else {"kept", f"w{worker}n{number}z"}
            assert set(engine.match(item(f"kept w{worker}n{number}z")).subscription_ids) == expected

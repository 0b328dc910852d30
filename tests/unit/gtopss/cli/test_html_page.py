from __future__ import annotations

import re
from pathlib import Path

from typer.testing import CliRunner

from gtopss.cli.commands import app

run = CliRunner().invoke


def test_the_page_shows_items_and_reasons_and_runs_nothing(tmp_path: Path) -> None:
    hostile = "<rss version='2.0'><channel><title>t</title><item><title>&lt;script&gt;alert(1)&lt;/script&gt;</title>"
    hostile += "<link>javascript:alert(1)</link></item></channel></rss>"
    (tmp_path / "hostile.xml").write_text(hostile)
    (tmp_path / "all.rq").write_text("SELECT ?title { ?x rss:title ?title ; a rss:item }")
    page = tmp_path / "page.html"
    done = run(app, ["filter", str(tmp_path / "hostile.xml"), "-s", str(tmp_path / "all.rq"), "--page", str(page)])
    assert done.exit_code == 0, done.output
    text = page.read_text()
    assert "<script" not in text
    assert "javascript:" not in re.sub(r"<pre.*?</pre>", "", text, flags=re.DOTALL)
    assert "&lt;script&gt;alert(1)" in text
    assert "default-src 'none'" in text


def test_a_long_explanation_is_cut(tmp_path: Path) -> None:
    feed = "<rss version='2.0'><channel><title>t</title><item><title>a</title></item></channel></rss>"
    (tmp_path / "feed.xml").write_text(feed)
    pattern = " ".join(f"FILTER(?x != <urn:{'a' * 400}{number}>)" for number in range(200))
    (tmp_path / "all.rq").write_text(f"ASK {{ ?x a rss:item {pattern} }}")
    page = tmp_path / "page.html"
    done = run(app, ["filter", str(tmp_path / "feed.xml"), "-s", str(tmp_path / "all.rq"), "--page", str(page)])
    assert done.exit_code == 0, done.output
    assert "it reached output_text_limit" in page.read_text()


def test_long_words_and_direction_controls_stay_in_their_place(tmp_path: Path) -> None:
    title = f"\u202eevil\u2066 \u05e9\u200f {'w' * 5_000}"
    feed = f"<rss version='2.0'><channel><title>\u202dt</title><item><title>{title}</title></item></channel></rss>"
    (tmp_path / "feed.xml").write_text(feed, encoding="utf-8")
    (tmp_path / "all.rq").write_text("SELECT ?x { ?x a rss:item }")
    page = tmp_path / "page.html"
    command = ["filter", str(tmp_path / "feed.xml"), "-s", str(tmp_path / "all.rq"), "--matcher", "naive"]
    assert run(app, [*command, "--page", str(page)]).exit_code == 0
    text = page.read_text()
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", text)
    (shown,) = re.findall(r"<h2><bdi>(.*?)</bdi></h2>", text)
    assert shown.startswith("evil \u05e9\u200f www")
    assert len(shown) <= 1_000
    assert "overflow-wrap: anywhere" in text

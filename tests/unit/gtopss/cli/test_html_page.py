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

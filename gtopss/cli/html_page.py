"""Render the matched items as one HTML page. The page needs no server and loads nothing from outside."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from itertools import chain
from pathlib import Path
from tempfile import TemporaryFile

from gtopss.atomic_files import write_atomically
from gtopss.checking.short_form_explanation import ShortFormExplainer
from gtopss.engine import Engine
from gtopss.errors import OutputNotWritable
from gtopss.feeds.entries import entry_of
from gtopss.model import Match, MatchReport, Publication
from gtopss.model.term_text import format_term, shorten
from sparqlish import PREFIXES

MAX_EXPLANATION_CHARACTERS = 100_000
"""Characters of the explanation of one match on the page. A longer one is cut, and says so."""

MAX_TEXT_CHARACTERS = 1_000
"""Characters of a title, a source or an author on the page. The middle of a longer one is left out."""

_GENERATOR = '<meta name="generator" content="gtopss">'
_HEAD = b'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>'
_MARKS = tuple(_HEAD + title + b"</title>\n" for title in (b"Matched items", b"What matched"))
"""How the pages of all versions begin."""

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; color: #1f2328 }
article { border: 1px solid #d0d7de; border-radius: 8px; padding: .8rem 1.2rem; margin: 1rem 0 }
h1 { font-size: 1.5rem } h2 { font-size: 1.1rem; margin: 0 } .from { color: #59636e; font-size: .9rem }
.why { background: #f6f8fa; border-radius: 6px; padding: .6rem; overflow-x: auto; font-size: .8rem }
.tag { background: #ddf4ff; border-radius: 1rem; padding: .1rem .6rem; margin-right: .4rem; font-size: .85rem }
summary { cursor: pointer } h2, .from, .bindings, .tag { overflow-wrap: anywhere }
.tag { display: inline-block } .bindings { font-family: ui-monospace, monospace; font-size: .85rem }
"""


Explain = Callable[[Publication, str], str]
"""Returns why a publication matches a subscription, as text."""


def check_page(path: Path) -> None:
    """Raise OutputNotWritable if a page cannot be written to a path, or would replace a file that is no page."""
    if path.is_dir():
        raise OutputNotWritable(path, "it is a folder: name a file")
    if not path.is_file():  # a new file, or a device or pipe
        return
    try:
        with path.open("rb") as file:
            start = file.read(max(map(len, _MARKS)))
    except OSError as error:
        raise OutputNotWritable(path, error.strerror or str(error)) from error
    if start and not start.startswith(_MARKS):
        reason = "it is not a page that this command wrote, so it is not replaced: move it away, or choose another name"
        raise OutputNotWritable(path, reason)


class HtmlPage:
    """A page of matched items: each with its subscriptions, their bindings and an explanation.

    The items are collected in a temporary file, so that any number of them takes no memory.
    """

    def __init__(self, path: Path, engine: Engine, explainer: ShortFormExplainer) -> None:
        self.path, self._engine, self._explainer = path, engine, explainer
        self._articles = TemporaryFile()  # noqa: SIM115 - closed by `write`
        self._is_empty = True

    def add(self, publication: Publication, report: MatchReport) -> None:
        """Add a matched item."""
        self._articles.write(f"{_article(publication, report, self._explain)}\n".encode("utf-8", "backslashreplace"))
        self._is_empty = False

    def _explain(self, publication: Publication, subscription_id: str) -> str:
        explanation = self._engine.explain(publication, subscription_id)
        return self._explainer.text(publication, explanation, MAX_EXPLANATION_CHARACTERS)

    def write(self, summary: str, *, unless_empty: bool) -> bool:
        """Write the page, and return True. With `unless_empty`, an old page stays if no item was added."""
        if unless_empty and self._is_empty and self.path.exists():
            return False
        self._articles.seek(0)
        body = [b"<p>No item matched.</p>\n"] if self._is_empty else self._articles
        write_atomically(self.path, chain((_BEGINNING.encode(),), body, (_end(summary).encode(),)))
        self._articles.close()
        return True


_BEGINNING = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Matched items</title>
{_GENERATOR}
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>{_STYLE}</style></head>
<body><h1>Matched items</h1>
"""


def _end(summary: str) -> str:
    return f'<p class="from">{escape(summary)}</p>\n</body></html>\n'


def _article(publication: Publication, report: MatchReport, explain: Explain) -> str:
    entry = entry_of(publication)
    title = _isolated(entry.title)
    if entry.link:
        title = f'<a href="{escape(entry.link)}" rel="noreferrer noopener">{title}</a>'
    when = entry.published_at.strftime("%Y-%m-%d %H:%M") if entry.published_at else ""
    origin = " · ".join(_isolated(each) for each in (entry.source, *entry.authors, when) if each)
    matches = "\n".join(_match(match, publication, explain) for match in report)
    return f'<article><h2>{title}</h2><p class="from">{origin}</p>\n{matches}</article>'


def _isolated(text: str) -> str:
    """Return HTML for a stranger's text: shortened, and without power over the direction of what is around it.

    Marks (such as U+200F) stay, since names in right-to-left scripts need them. Embeddings, overrides and isolates are
    removed, as well as control characters: they would show a text in another order than it has.
    """
    return f"<bdi>{escape(_CONTROLS.sub('', shorten(text, MAX_TEXT_CHARACTERS)))}</bdi>"


def _match(match: Match, publication: Publication, explain: Explain) -> str:
    rows = [
        ", ".join(f"?{name} = {format_term(value, PREFIXES)}" for name, value in row.items()) for row in match.rows[:5]
    ]
    shown = "<br>".join(escape(_shortened(row)) for row in rows if row)
    why = escape(explain(publication, match.subscription_id))
    return (
        f'<details><summary><span class="tag">{_isolated(match.subscription_id)}</span></summary>'
        f'<p class="bindings">{shown}</p><pre class="why">{why}</pre></details>'
    )


def _shortened(text: str, limit: int = 300) -> str:
    return text if len(text) <= limit else text[:limit] + "…"

"""Render the matched items as one HTML page. The page needs no server and loads nothing from outside."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from gtopss.engine import Engine
from gtopss.explain.formatting import format_term
from gtopss.feeds.writing import entry_of
from gtopss.model import Match, MatchReport, Publication
from sparqlish import PREFIXES

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; color: #1f2328 }
article { border: 1px solid #d0d7de; border-radius: 8px; padding: .8rem 1.2rem; margin: 1rem 0 }
h1 { font-size: 1.5rem } h2 { font-size: 1.1rem; margin: 0 } .from { color: #59636e; font-size: .9rem }
.why { background: #f6f8fa; border-radius: 6px; padding: .6rem; overflow-x: auto; font-size: .8rem }
.tag { background: #ddf4ff; border-radius: 1rem; padding: .1rem .6rem; margin-right: .4rem; font-size: .85rem }
summary { cursor: pointer } .bindings { font-family: ui-monospace, monospace; font-size: .85rem }
"""


def render_page(matched: Iterable[tuple[Publication, MatchReport]], engine: Engine, summary: str) -> str:
    """Return the page: each item with its subscriptions, their bindings and an explanation."""
    articles = "\n".join(_article(publication, report, engine) for publication, report in matched)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Matched items</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>{_STYLE}</style></head>
<body><h1>Matched items</h1><p class="from">{escape(summary)}</p>
{articles or "<p>No item matched.</p>"}
</body></html>
"""


def _article(publication: Publication, report: MatchReport, engine: Engine) -> str:
    entry = entry_of(publication)
    title = escape(entry.title)
    if entry.link:
        title = f'<a href="{escape(entry.link)}" rel="noreferrer noopener">{title}</a>'
    when = entry.published_at.strftime("%Y-%m-%d %H:%M") if entry.published_at else ""
    origin = " · ".join(filter(None, (entry.source, entry.author, when)))
    matches = "\n".join(_match(match, publication, engine) for match in report)
    return f'<article><h2>{title}</h2><p class="from">{escape(origin)}</p>\n{matches}</article>'


def _match(match: Match, publication: Publication, engine: Engine) -> str:
    rows = [
        ", ".join(f"?{name} = {format_term(value, PREFIXES)}" for name, value in row.items()) for row in match.rows[:5]
    ]
    shown = "<br>".join(escape(_shortened(row)) for row in rows if row)
    why = escape(engine.explain(publication, match.subscription_id).text(PREFIXES))
    return (
        f'<details><summary><span class="tag">{escape(match.subscription_id)}</span></summary>'
        f'<p class="bindings">{shown}</p><pre class="why">{why}</pre></details>'
    )


def _shortened(text: str, limit: int = 300) -> str:
    return text if len(text) <= limit else text[:limit] + "…"

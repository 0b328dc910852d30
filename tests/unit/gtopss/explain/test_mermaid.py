"""Diagrams in Mermaid's language."""

from __future__ import annotations

from gtopss.explain.mermaid import escape


def test_mermaid_syntax_in_labels_is_escaped() -> None:
    assert escape('a "b" [c] #35; <br>') == "a #34;b#34; #91;c#93; #35;35#59; #60;br#62;"

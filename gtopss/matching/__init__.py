"""Matchers: the default one in `index/`, and plain, slow or foreign ones to compare it with (`table.py` lists all)."""

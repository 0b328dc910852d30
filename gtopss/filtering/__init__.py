"""Filter feeds again and again: what `gtopss filter` does, without its options and messages.

filter_run.py      documents -> new items -> reports, in batches
seen_items.py      the items of earlier runs, in the state file
publication_names.py  names that are different where two sources use the same id
item_choice.py     one item of a document, by id, link or number
match_lines.py     the matches of an item as JSON
kept_file.py       a file that keeps the last matched items over all runs
"""

"""Create the tables of a store and bring older ones up to date, by Alembic.

`versions` has one file for each revision, numbered from 0001. `python -m gtopss.broker.store.new_revision "what it
does"` writes the next one from the difference between the revisions and `tables.py`.
"""

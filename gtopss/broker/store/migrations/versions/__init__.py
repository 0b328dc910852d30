"""The revisions of the tables, in order. A revision that was released is never changed."""

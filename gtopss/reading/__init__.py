"""Read any document as publications.

detect.py     the kind of a document, by its content
documents.py  bytes of any kind -> publications
isolation.py  the same in a worker process with limits of memory and time
sources.py    files, directories, OPML lists and URLs -> documents
"""

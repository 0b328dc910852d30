"""Read any document as publications.

detect.py     the kind of a document, by its content
documents.py  bytes of any kind -> publications
isolation.py  the same in a worker process with limits of memory and time
reader_pool.py  several of these, shared by threads
worker.py     the worker process
answers.py    what it answers, written and checked
frames.py     byte strings over a socket
files.py      a file -> its bytes, or an RDF document
sources.py    files, directories, OPML lists and URLs -> documents
"""

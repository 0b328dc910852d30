"""Input and output: sources and spools into tables, tables to disk.

| module                 | what it does                                                        |
|------------------------|---------------------------------------------------------------------|
| `sources.py`           | reads files, directories, archives and Parquet into publications    |
| `archives.py`          | splits files, and reads zip, tar, gzip and N-Quads in chunks        |
| `spool.py`             | stores fetched documents as numbered files                          |
| `spool_reading.py`     | reads the documents of a stream's batch                             |
| `storage.py`           | opens folders on any file system: local, or by Hadoop's classes     |
| `canonical_terms.py`   | brings the terms of other programs' tables into canonical form      |
| `table_schemas.py`     | defines the columns of all tables                                   |
| `rows.py`              | converts publications and errors to rows and tables                 |
| `result_tables.py`     | splits a pass into results and errors                               |
| `output.py`            | writes and reads the result tables: the output format               |
| `batch_log.py`         | records which batches of a stream are complete                      |
"""

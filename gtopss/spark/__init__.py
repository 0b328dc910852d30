"""The same subscriptions over an archive or a stream, on Spark: the engine of one process runs in many.

| package    | what is there                                                                               |
|------------|---------------------------------------------------------------------------------------------|
| `io/`      | sources, archives, spools, table schemas, the output format, the log of a stream's batches   |
| `plans/`   | the ways to find matches (`registry.py` lists them) and their steps                          |
| `runtime/` | the session, GraphFrames' jars, engines and operators in the executors, engine versions      |
| `jobs/`    | the bulk job, the stream, and the report                                                     |

| to change                              | see                                                                       |
|----------------------------------------|---------------------------------------------------------------------------|
| the format of the result tables        | `io/output.py`                                                            |
| the size of a stream's batches         | `io/spool_data_source.py`: `DEFAULT_BATCH_DOCUMENTS`, or `--documents`    |
| a plan, or add one                     | `plans/registry.py`, `plans/names.py`                                     |
| what is read from files and archives   | `io/sources.py`, `io/archives.py`                                         |

`errors.py` has the errors of this package. PySpark is optional: importing `gtopss.spark` itself does not need it.
"""

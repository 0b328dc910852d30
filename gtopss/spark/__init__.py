"""Match publications on Spark: archives and streams, with the engine in every executor.

`match(df, engine)` matches a DataFrame in your own session; `read_feeds(spark, path)` reads feeds into a DataFrame, and
`parse_documents(df)` parses a column of documents (`api.py`).

| package    | what is there                                                                               |
|------------|---------------------------------------------------------------------------------------------|
| `io/`      | sources, archives, spools, table schemas, the output format, the log of a stream's batches   |
| `plans/`   | the ways to find matches (`registry.py` lists them) and their steps                          |
| `runtime/` | the session, GraphFrames' jars, engines and operators in the executors, engine versions      |
| `jobs/`    | the bulk job, the stream, and the report                                                     |

| to change                              | see                                                                       |
|----------------------------------------|---------------------------------------------------------------------------|
| the format of the result tables        | `io/output.py`                                                            |
| the size of a stream's batches         | `io/spool_reading.py`: `DEFAULT_BATCH_DOCUMENTS`, or `--documents`        |
| a plan, or add one                     | `plans/registry.py`, `plans/names.py`                                     |
| what is read from files and archives   | `io/sources.py`, `io/archives.py`                                         |

`errors.py` has the errors of this package. PySpark is optional: importing `gtopss.spark` itself does not need it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gtopss.extras import require_extra

if TYPE_CHECKING:
    from gtopss.spark.api import match, parse_documents, read_feeds

__all__ = ["match", "parse_documents", "read_feeds"]


def __getattr__(name: str) -> Any:
    """Import the functions on first use, because they need PySpark."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    require_extra("spark", f"gtopss.spark.{name}")
    from gtopss.spark import api

    return getattr(api, name)

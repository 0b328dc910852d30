"""Runtime: what runs around the plans.

| module                 | what it does                                                       |
|------------------------|--------------------------------------------------------------------|
| `session.py`           | creates the Spark session                                          |
| `graphframes_jars.py`  | finds and fetches GraphFrames' jars; `sedona_jar.py` extracts a copy |
| `shipped_engines.py`   | saves an engine, and opens it once in each executor process        |
| `engine_shards.py`     | divides an engine that is too large for one broadcast              |
| `shipped_operators.py` | sends operators to the executors                                   |
| `engine_versions.py`   | saves an engine for each change of a stream's subscriptions        |
"""

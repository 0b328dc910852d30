"""`gtopss bench`: measure the engine and its peers.

| module | what it measures |
|---|---|
| `run_benchmark` | runs everything below at the sizes of a `BenchmarkPlan`, and saves each part |
| `peer_comparison` | time per item of the engine and each peer, after comparing answers |
| `whole_queries` | what OPTIONAL, NOT EXISTS and HAVING cost |
| `churn` | latency while subscriptions are added and removed |
| `end_to_end` | bytes to matches, against parsing alone |
| `process_memory` | memory per subscription |
| `query_parsing`, `feed_reading` | reading subscriptions and feeds |
| `spark` | the Spark plans (a command of its own) |
| `performance_targets`, `draw_figures` | targets and figures, from the saved results alone |
"""

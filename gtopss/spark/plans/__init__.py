"""Plans: the ways in which Spark finds matches. `registry.py` is the table of plans by name.

| plan          | module                | how                                                              |
|---------------|-----------------------|------------------------------------------------------------------|
| `engine`      | `engine_plan.py`      | runs the engine in each executor process                         |
| `relational`  | `relational_plan.py`  | joins the edges of each shape                                    |
| `graphframes` | `graphframes_plan.py` | finds one GraphFrames motif for each shape                       |
| scope corpus  | `corpus_plan.py`      | finds motifs in all publications as one graph                    |

The last three share their steps: `compilation.py` (with `shapes.py` and `sql_conditions.py`), `triple_graphs.py`,
`term_columns.py`, `residual_checks.py` and `shape_matching.py`, which calls them in order.
"""

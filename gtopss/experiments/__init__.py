"""Workloads and measurements, through public interfaces only. Results are JSON; tables and plots are made from it.

| package | contents |
|---|---|
| `benchmark` | `gtopss bench`: the engine and its peers on our workloads |
| `papers` | `gtopss compare`: the papers' experiments, repeated |
| `workloads` | generated and real subscriptions and publications |
| `peers` | other systems that answer the same subscriptions |
"""

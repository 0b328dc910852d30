"""Workloads and measurements. Uses public interfaces only; writes JSON, from which tables and plots are drawn."""

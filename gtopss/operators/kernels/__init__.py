"""Compiled loops of the operators.

arrays.py             array types, and the arrays that several kernels share
heap.py               a binary heap in two arrays
evaluation_tables.py  the paper's two hash tables: build them and enter answers
next_predicate.py     one loop per strategy: choose the predicate to evaluate next
chain_order.py        the order of linked chains (Sub-Order)
learning.py           counts behind selectivities and expected matches
call_bounds.py        bounds on the fewest possible calls
"""

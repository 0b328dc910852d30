"""Expected costs of chains (DEBS 2007, sections 4.2.3, 4.2.4 and 4.3), in plain Python.

`kernels.chain_order` has the compiled version. A node is (p, c): the probability that the predicate holds, and the cost
of evaluating it. Predicates are assumed to be independent.

| paper       | here                                                                                                |
|-------------|-----------------------------------------------------------------------------------------------------|
| C           | `chain_cost`                                                                                        |
| C1, C2      | `pair_cost` with one chain or the other first                                                       |
| C1 - C2     | `cost_difference`                                                                                   |
| P(i,a)      | the product of all p above node a: the probability that it is reached                               |
| C(i,a)      | the expected cost of the nodes above it                                                             |
| C'(i,eq l)  | the same without the shared nodes above                                                             |

Errors of the paper that are corrected here (`tests/paper/test_expensive_operators.py` compares with enumeration):

1. C(1,a) is printed as 1 + a sum, which is 1 for a = 1. Nothing lies above the top node, so that C = 0 there. With
   the printed value "if a = 1, b = 1, there is no difference" would still hold, but a top node shared with a lower one
   of the other chain would be charged for a node that does not exist. In C1, the cost of s2 without node b is printed
   as 1 + a sum without its term i = b - 1. For b = 1 there is no such term, so that the removed node n(2,1) is counted.
2. "The links are arranged in decreasing order of selectivity" contradicts the same proof, in which a node above another
   has the smaller p. Chains are sorted by increasing p, which is also the cheapest order.
3. With costs, "the probability of each node is multiplied by the cost of the predicate" (section 4.3) is not an
   expected cost. The expected cost is the sum of c(i) times the product of the p above node i; costs do not multiply.
4. Chains with costs are therefore sorted not by p but by c / (1 - p), the rule of Hellerstein and Stonebraker
   (reference 16).

   A `CostRule` chooses: "expected" is this; "printed" is section 4.3 to the letter, in which chains stay sorted by p
   and the products P and C' have p times c in place of p. Only the factor 1 - p of the shared node, the probability
   that it fails, stays without a cost, since 1 - pc may be negative and would turn the order around. If all costs are
   1, both are the same.
5. The proof that links never cross uses p(a) < p(c). Equal selectivities need one more rule, the same for all chains.
6. `C1 > C2 if and only if P2/C2 > P1/C1` divides by C, which is 0 for a top node: compare the products instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

CostRule: TypeAlias = Literal["expected", "printed"]


class Node(NamedTuple):
    """One predicate of a chain. Nodes with equal keys are linked."""

    key: int
    selectivity: float
    cost: float = 1.0


def sorted_chain(nodes: Sequence[Node], cost_rule: CostRule = "expected") -> list[Node]:
    """Sort one chain for the least expected cost: by c / (1 - p), and by key if that is equal.

    The rule "printed" sorts by p.
    """
    if cost_rule == "printed":
        return sorted(nodes, key=lambda node: (node.selectivity, node.key))
    return sorted(nodes, key=lambda node: (_ratio(node), node.key))


def chain_cost(chain: Sequence[Node]) -> float:
    """Return the expected cost of evaluating a chain until a node fails.

    >>> chain_cost([Node(1, 0.5), Node(2, 0.25), Node(3, 0.5, 8.0)])
    2.5
    """
    reach, total = 1.0, 0.0
    for node in chain:
        total += reach * node.cost
        reach *= node.selectivity
    return total


def pair_cost(first: Sequence[Node], second: Sequence[Node]) -> float:
    """Return the expected cost of both chains, with any number of links.

    The second chain uses the answers of the first: it ends at a shared node that failed, and skips shared nodes that
    held. It costs its own expected cost minus what the first saves it, summed over where the first may stop.
    """
    total = chain_cost(first) + chain_cost(second)
    shared = {node.key for node in second}
    reach = 1.0
    known: set[int] = set()
    for node in first:
        if node.key in shared:
            before = _without(second, known)
            total -= reach * (before - node.selectivity * _without(second, known | {node.key}))
            known.add(node.key)
        reach *= node.selectivity
    return total


def cost_difference(one: Sequence[Node], other: Sequence[Node], cost_rule: CostRule = "expected") -> float:
    """Return `pair_cost(one, other) - pair_cost(other, one)`. A positive number means that `other` should be first.

    Both must be sorted by the same rule, so that links do not cross. The rule "printed" gives the difference of the
    printed formula, which is not that of the pair costs unless all costs are 1.
    """
    places = {node.key: place for place, node in enumerate(other)}
    total = 0.0
    links: set[int] = set()
    for place, node in enumerate(one):
        if node.key not in places:
            continue
        above_one = _weighted(one[:place], cost_rule)
        above_other = _weighted(other[: places[node.key]], cost_rule)
        saving = _reach(above_other) * _without(above_one, links) - _reach(above_one) * _without(above_other, links)
        total += (1.0 - node.selectivity) * saving
        links.add(node.key)
    return total


def _weighted(chain: Sequence[Node], cost_rule: CostRule) -> Sequence[Node]:
    """Return the nodes as a rule counts them: "printed" has p times c in place of p, and no other costs."""
    if cost_rule == "expected":
        return chain
    return [Node(node.key, node.selectivity * node.cost) for node in chain]


def _without(chain: Sequence[Node], known: set[int]) -> float:
    """Return C', the expected cost of a chain without the nodes that are known to hold."""
    return chain_cost([node for node in chain if node.key not in known])


def _reach(chain: Sequence[Node]) -> float:
    """Return P, the probability that all nodes hold."""
    product = 1.0
    for node in chain:
        product *= node.selectivity
    return product


def _ratio(node: Node) -> float:
    return node.cost / (1.0 - node.selectivity) if node.selectivity < 1.0 else float("inf")

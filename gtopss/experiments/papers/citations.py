"""The papers whose experiments are repeated."""

from __future__ import annotations

GTOPSS = "Petrovic, Liu, Jacobsen: G-ToPSS: Fast Filtering of Graph-based Metadata, WWW 2005"
EXPENSIVE_OPERATORS = (
    "Liu, Parthasarathy, Ranganathan, Yang: Scalable Event Matching for Overlapping Subscriptions, DEBS 2007"
)
LE_SUBSCRIBE = "Fabret, Llirbat, Pereira, Shasha: Efficient Matching for Content-based Publish/Subscribe Systems"
GRYPHON = "Aguilera, Strom, Sturman, Astley, Chandra: Matching Events in a Content-based Subscription System, PODC 1999"
TOPSS = "Ashayer, Leung, Jacobsen: Predicate Matching and Subscription Matching in Publish/Subscribe Systems, 2002"

"""Shares of the subscriptions: each broker holds some, and publications are routed to those that they may fire in.

| module           | job                                                                            |
|------------------|--------------------------------------------------------------------------------|
| routing_keys.py  | what a publication must have so that a subscription can match it               |
| key_table.py     | the keys of all subscriptions, in arrays, with the shares that they fire in    |
| router.py        | keeps that table current by the log of changes, and routes publications        |
| routing.py       | the step that routes waiting publications                                      |
| assignment.py    | which share a subscription gets                                                |
| placement.py     | writes the share of a new or replaced subscription                             |
| held_shares.py   | which shares this broker holds, and their engines                              |
| resharing.py     | another number of shares                                                       |
"""

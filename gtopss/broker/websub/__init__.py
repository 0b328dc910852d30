"""WebSub (https://www.w3.org/TR/websub/): feeds that push instead of being polled, and followers of our own feeds.

As a subscriber:
hub_links.py      the hub and the topic that a feed names
hub_requests.py   asks hubs to send: requests, renewals, and what was not answered
pushes.py         what hubs send to the callback, and how often a feed that pushes is polled

As a hub:
followers.py      requests to follow the feed of a subscription
distribution.py   asks callbacks whether they agree, and sends them new notifications

Both:
signatures.py     X-Hub-Signature
"""

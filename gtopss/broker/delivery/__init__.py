"""Delivery of notifications.

kind.py          what a kind of push delivery does: webhook and e-mail
webhook.py       webhooks, by Standard Webhooks
email.py         e-mail by SMTP
event_stream.py  a stream of events to one reader; arrivals.py: what wakes it
atom_feed.py     the last notifications as an Atom feed
json_lines.py    notifications as JSON lines
message.py       the notifications of one delivery, and its id
planning.py      which notifications the next delivery has, and when it is due
retries.py       how long to wait after a failure, and when to give up
attempts.py      what to do with a target next, and what an attempt makes of it
schedule.py      attempts the deliveries that are due
targets.py       targets and dead letters: added, listed, changed
deliveries.py    all of it for the owner of a subscription, who has its ticket
"""

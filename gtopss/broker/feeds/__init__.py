"""Feeds that the broker polls, and whose items it publishes.

polling.py        fetches the feeds that are due, and publishes what is new
poll_policy.py    when a feed is fetched again
update_period.py  how often a feed says that it changes
page_links.py     the feeds that an HTML page names
feed_list.py      adds, removes and lists feeds; OPML
feeds.py          all of it for a broker
"""

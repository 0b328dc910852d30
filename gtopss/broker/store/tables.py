"""The tables of the broker's database, for SQLite and PostgreSQL alike.

Times are Unix seconds, from the broker's clock. Rows that are claimed by a broker for a while (publications to match,
deliveries to attempt, feeds to fetch) have the columns `lease_holder` and `lease_until`: a lease that has run out may
be claimed by any broker.

| table          | one row for each                                                            |
|----------------|-----------------------------------------------------------------------------|
| writers        | process that writes, on PostgreSQL (postgresql.py)                          |
| counters       | number of the store: `change` follows the order of commits, `store` is random |
| owners         | API key, and the anonymous owner                                            |
| subscriptions  | subscription that is active, or expired with deliveries left                |
| changes        | addition, replacement or removal of a subscription, numbered                |
| publications   | accepted publication within retention                                       |
| match_tasks    | publication that is still to be matched, and share of the subscriptions     |
| subscription_shares | share of a subscription, where there are several, and its routing keys |
| share_holders  | share that a broker holds                                                   |
| notifications  | match or notice of a subscription, numbered within the subscription         |
| targets        | place that a subscription's notifications are pushed to                     |
| dead_letters   | delivery that was given up                                                  |
| feeds          | feed that is polled                                                         |
| feed_items     | item that a feed has listed                                                 |
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()

_Number = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows by itself only for INTEGER


def _lease_columns() -> tuple[Column[str], Column[float]]:
    return Column("lease_holder", Text), Column("lease_until", Float, nullable=False, server_default="0")


writers = Table(
    "writers",
    metadata,
    Column("id", Text, primary_key=True),
    Column("last_group", BigInteger, nullable=False),  # the last group of changes that it has committed
    Column("seen_at", Float, nullable=False),  # by the server's clock
)

counters = Table(
    "counters",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", BigInteger, nullable=False),
)

owners = Table(
    "owners",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("key_hash", LargeBinary, unique=True),  # SHA-256; NULL for the anonymous owner
    Column("max_subscriptions", BigInteger, nullable=False),
    Column("max_steps", Float),  # steps per publication of all subscriptions together; NULL for no limit
    Column("subscriptions", BigInteger, nullable=False, server_default="0"),  # that are active: counts for the quota
    Column("steps", Float, nullable=False, server_default="0"),  # per publication, of these subscriptions together
    Column("created_at", Float, nullable=False),
    Column("roles", Text, nullable=False, server_default="publisher subscriber"),  # what its key may do
)

subscriptions = Table(
    "subscriptions",
    metadata,
    Column("id", Text, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("query", Text, nullable=False),  # as written
    Column("form", Text, nullable=False),  # "sparql" or "short"
    Column("calls_operators", Boolean, nullable=False, server_default="0"),  # it is matched in the step of operators
    Column("steps", Float, nullable=False, server_default="0"),  # per publication, as measured when it was registered
    Column("ticket_hash", LargeBinary, nullable=False),  # SHA-256
    Column("created_at", Float, nullable=False),
    Column("validity", Float),  # seconds that were granted; NULL for no end
    Column("expires_at", Float),
    Column("expiring_at", Float),  # when the notice is due; NULL if there is no end, or the notice was made
    Column("paused", Boolean, nullable=False, server_default="0"),
    Column("expired", Boolean, nullable=False, server_default="0"),  # gone for everybody; its last deliveries are left
    Column("since_change", BigInteger, nullable=False),  # the change that added it: earlier publications do not match
    Column("last_sequence", BigInteger, nullable=False, server_default="0"),
    Column("digest", Float),  # seconds; NULL to deliver each notification by itself
    Column("at_most", Integer),  # deliveries within `at_most_period`; NULL for no limit
    Column("at_most_period", Float),  # seconds
    Column("join_articles", Boolean, nullable=False, server_default="0"),
    Column("reader_hash", LargeBinary),  # SHA-256 of the token that may only read; NULL if there is none
    Column("verifications", Integer, nullable=False, server_default="0"),  # of targets, that were asked for
    Column("verifications_since", Float, nullable=False, server_default="0"),  # when the first of these was
    Index("subscriptions_owner", "owner"),
    Index("subscriptions_expires_at", "expires_at"),
    Index("subscriptions_expiring_at", "expiring_at"),
    # PostgreSQL writes a changed row within its page if there is room, and then does not change the indexes.
    postgresql_with={"fillfactor": 80},
)

# SQLite uses a partial index only for a query with the same condition: IS 0, and not = 0 (test_tables.py).
Index(
    "subscriptions_ends",
    subscriptions.c.expires_at,
    sqlite_where=subscriptions.c.expired.is_(False),
    postgresql_where=subscriptions.c.expired.is_(False),
)
Index(
    "subscriptions_operators",
    subscriptions.c.id,
    sqlite_where=subscriptions.c.calls_operators.is_(True),
    postgresql_where=subscriptions.c.calls_operators.is_(True),
)

changes = Table(
    "changes",
    metadata,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("subscription", Text, nullable=False),
    Column("at", Float, nullable=False),
)

publications = Table(
    "publications",
    metadata,
    Column("number", _Number, primary_key=True, autoincrement=True),
    Column("id", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False),  # of what it says: the same id may say something new
    Column("source", Text),
    Column("published_at", Float),
    Column("received_at", Float, nullable=False),
    Column("after_change", BigInteger, nullable=False),  # the newest change when it was accepted
    Column("lines", LargeBinary, nullable=False),  # canonical terms, one per line (gtopss.model.TextPublication)
    Column("triples", Integer, nullable=False),
    Column("error", Text),  # why it was not matched, or not with every subscription
    UniqueConstraint("id", "digest"),
    Index("publications_received_at", "received_at"),
    sqlite_autoincrement=True,  # the number of a deleted publication is not used again
)

# Apart from the publications, because it changes three times for each of them: these rows are short, and those are not.
match_tasks = Table(
    "match_tasks",
    metadata,
    # -1 for the subscriptions with operators, -2 if the publication is still to be routed to shares
    Column("share", SmallInteger, primary_key=True, autoincrement=False),
    Column("publication", BigInteger, primary_key=True, autoincrement=False),
    Column("size", Integer, nullable=False),  # bytes of the publication's lines
    Column("received_at", Float, nullable=False),
    Column("attempts", Integer, nullable=False, server_default="0"),  # without an answer of some operator
    Column("epoch", Integer, nullable=False, server_default="0"),  # the division into shares that `share` is of
    *_lease_columns(),
    sqlite_with_rowid=False,
)

# Empty while there is one share. A division into shares is an epoch: the rows of the next one are made while the
# current one is used.
subscription_shares = Table(
    "subscription_shares",
    metadata,
    Column("epoch", Integer, primary_key=True, autoincrement=False),
    Column("subscription", Text, primary_key=True),
    Column("share", SmallInteger, nullable=False),
    Column("keys", LargeBinary, nullable=False),  # gtopss.broker.shares.routing_keys
    Index("subscription_shares_subscription", "subscription"),
    sqlite_with_rowid=False,
)

share_holders = Table(
    "share_holders",
    metadata,
    Column("epoch", Integer, primary_key=True, autoincrement=False),
    Column("share", SmallInteger, primary_key=True, autoincrement=False),
    Column("broker", Text, primary_key=True),
    Column("until", Float, nullable=False),
)

notifications = Table(
    "notifications",
    metadata,
    Column("subscription", Text, primary_key=True),
    Column("sequence", BigInteger, primary_key=True, autoincrement=False),
    Column("id", Text, nullable=False),  # depends on the publication and the subscription only
    Column("kind", Text, nullable=False),  # "match", or a notice: "expiring", "expired", "disabled"
    Column("publication", BigInteger),  # NULL for a notice
    Column("created_at", Float, nullable=False),
    Column("bindings", Text),  # the `bindings` of SPARQL's results in JSON; NULL for a notice
    Column("truncated", Boolean, nullable=False, server_default="0"),
    Column("article_link", LargeBinary),  # hashes that identify an article in several feeds: of its canonical link,
    Column("article_text", LargeBinary),  # and of its text; NULL if articles are not joined
    Column("other_publications", Text),  # JSON: numbers of publications of the same article
    Index("notifications_created_at", "created_at"),
    # In this order, because publications are numbered: new entries are beside each other, and share a page.
    Index("notifications_publication", "publication", "subscription", unique=True),
)
for _column in (notifications.c.article_link, notifications.c.article_text):
    Index(
        f"notifications_{_column.name}",
        notifications.c.subscription,
        _column,
        sqlite_where=_column.is_not(None),
        postgresql_where=_column.is_not(None),
    )

targets = Table(
    "targets",
    metadata,
    Column("id", Text, primary_key=True),
    Column("subscription", Text, nullable=False),
    Column("kind", Text, nullable=False),  # "webhook" or "email"
    Column("address", Text, nullable=False),
    Column("secrets", Text, nullable=False),  # JSON: signing secrets and their ends, the newest first
    Column("state", SmallInteger, nullable=False),  # 0 not verified yet, 1 active, 2 disabled
    Column("reason", Text),  # why it is disabled, or the last error
    Column("delivered_sequence", BigInteger, nullable=False, server_default="0"),  # all up to here are done
    Column("attempted_sequence", BigInteger),  # the last one in the delivery that is retried; NULL if none is
    Column("attempts", Integer, nullable=False, server_default="0"),  # failures in a row
    Column("due_at", Float),  # when to look at it; NULL if there is nothing to deliver
    Column("period_start", Float),  # of `digest` or `at_most`
    Column("period_deliveries", Integer, nullable=False, server_default="0"),
    *_lease_columns(),
    Index("targets_subscription", "subscription"),
    Index("targets_due_at", "due_at"),
)

dead_letters = Table(
    "dead_letters",
    metadata,
    Column("target", Text, primary_key=True),
    Column("first_sequence", BigInteger, primary_key=True, autoincrement=False),
    Column("last_sequence", BigInteger, nullable=False),
    Column("subscription", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("at", Float, nullable=False),
    Column("replay", Boolean, nullable=False, server_default="0"),  # to be delivered again
    Index("dead_letters_subscription", "subscription"),
)

feeds = Table(
    "feeds",
    metadata,
    Column("url", Text, primary_key=True),
    Column("added_at", Float, nullable=False),
    Column("due_at", Float),  # NULL if it is polled no more
    Column("validated_url", Text),
    Column("etag", Text),
    Column("last_modified", Text),
    Column("failures", Integer, nullable=False, server_default="0"),
    Column("gone", Boolean, nullable=False, server_default="0"),
    Column("permanent_url", Text),  # where a permanent redirect leads
    Column("permanent_since", Float),  # when that redirect was first seen
    Column("update_period", Float, nullable=False, server_default="0"),  # seconds, as the last document asked for
    Column("title", Text),
    Column("last_fetch_at", Float),
    Column("last_success_at", Float),
    Column("last_item_at", Float),
    Column("last_error", Text),
    Column("items", BigInteger, nullable=False, server_default="0"),  # new or changed ones after the first fetch
    *_lease_columns(),
    Index("feeds_due_at", "due_at"),
)

feed_items = Table(
    "feed_items",
    metadata,
    Column("feed", Text, primary_key=True),
    Column("item", Text, primary_key=True),
    Column("digest", LargeBinary, nullable=False),
    Column("listed_at", Float, nullable=False),
    Index("feed_items_listed_at", "listed_at"),
)

# One row for each feed that names a WebSub hub: what this broker has asked of the hub, and what came of it.
feed_hubs = Table(
    "feed_hubs",
    metadata,
    Column("feed", Text, primary_key=True),
    Column("hub", Text, nullable=False),
    Column("topic", Text, nullable=False),  # the address of the feed as the hub knows it
    Column("callback", Text, nullable=False, unique=True),  # the secret part of the address that the hub calls
    Column("secret", Text, nullable=False),  # signs what the hub sends
    Column("mode", Text, nullable=False),  # what is wanted: "subscribe" or "unsubscribe"
    Column("requested_at", Float),  # the request that the hub has not verified yet; NULL if there is none
    Column("lease_end", Float),  # until when the hub sends; NULL if it does not
    Column("settled", Boolean, nullable=False, server_default="0"),  # polled since the hub began to send
    Column("demoted", Boolean, nullable=False, server_default="0"),  # a poll found what the hub had not sent
    Column("pushed_at", Float),
    Column("pushes", BigInteger, nullable=False, server_default="0"),
    Column("refused_pushes", BigInteger, nullable=False, server_default="0"),  # with a wrong signature or topic
    Column("polls_saved", Float, nullable=False, server_default="0"),  # fetches that were not needed
    Column("failures", Integer, nullable=False, server_default="0"),  # requests in a row
    Column("error", Text),
    Column("due_at", Float, nullable=False),  # when to look at it: to ask, to renew, to give up
    *_lease_columns(),
    Index("feed_hubs_due_at", "due_at"),
)

# Those who follow the feed of a subscription by WebSub: this broker is the hub.
followers = Table(
    "followers",
    metadata,
    Column("id", Text, primary_key=True),
    Column("subscription", Text, nullable=False),
    Column("callback", Text, nullable=False),
    Column("topic", Text, nullable=False),  # the address of the feed, with the token that may only read
    Column("reader_hash", LargeBinary, nullable=False),  # of that token: another one ends the following
    Column("secret", Text),  # signs what is sent; NULL if the follower gave none
    Column("lease_end", Float),  # NULL until the callback has agreed
    Column("wanted", Text),  # what the callback has not agreed to yet: "subscribe" or "unsubscribe"
    Column("wanted_secret", Text),
    Column("wanted_lease", Float),  # seconds
    Column("delivered_sequence", BigInteger, nullable=False, server_default="0"),  # all up to here were sent
    Column("failures", Integer, nullable=False, server_default="0"),  # in a row
    Column("error", Text),
    Column("due_at", Float, nullable=False),
    *_lease_columns(),
    UniqueConstraint("subscription", "callback"),
    Index("followers_due_at", "due_at"),
)

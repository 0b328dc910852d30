PRAGMA application_id=1196715856;
BEGIN TRANSACTION;
CREATE TABLE changes (
	number BIGINT NOT NULL, 
	subscription TEXT NOT NULL, 
	at FLOAT NOT NULL, 
	PRIMARY KEY (number)
);
INSERT INTO "changes" VALUES(1,'s1',1747800001.0);
INSERT INTO "changes" VALUES(2,'s2',1747800002.0);
CREATE TABLE counters (
	name TEXT NOT NULL, 
	value BIGINT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "counters" VALUES('changes',3);
CREATE TABLE dead_letters (
	target TEXT NOT NULL, 
	first_sequence BIGINT NOT NULL, 
	last_sequence BIGINT NOT NULL, 
	subscription TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	at FLOAT NOT NULL, 
	PRIMARY KEY (target, first_sequence)
);
INSERT INTO "dead_letters" VALUES('t2',1,1,'s2','status 500',1747800300.0);
CREATE TABLE feed_items (
	feed TEXT NOT NULL, 
	item TEXT NOT NULL, 
	digest BLOB NOT NULL, 
	listed_at FLOAT NOT NULL, 
	PRIMARY KEY (feed, item)
);
INSERT INTO "feed_items" VALUES('https://example.org/feed','urn:p1',X'0101010101010101010101010101010101010101010101010101010101010101',1747800100.0);
CREATE TABLE feeds (
	url TEXT NOT NULL, 
	added_at FLOAT NOT NULL, 
	due_at FLOAT, 
	validated_url TEXT, 
	etag TEXT, 
	last_modified TEXT, 
	failures INTEGER DEFAULT '0' NOT NULL, 
	gone BOOLEAN DEFAULT '0' NOT NULL, 
	permanent_url TEXT, 
	title TEXT, 
	last_fetch_at FLOAT, 
	last_success_at FLOAT, 
	last_item_at FLOAT, 
	last_error TEXT, 
	items BIGINT DEFAULT '0' NOT NULL, 
	lease_holder TEXT, 
	lease_until FLOAT DEFAULT '0' NOT NULL, 
	PRIMARY KEY (url)
);
INSERT INTO "feeds" VALUES('https://example.org/feed',1747800000.0,1747803600.0,NULL,'"abc"',NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,0.0);
CREATE TABLE gtopss_revision (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT gtopss_revision_pkc PRIMARY KEY (version_num)
);
INSERT INTO "gtopss_revision" VALUES('0001');
CREATE TABLE notifications (
	subscription TEXT NOT NULL, 
	sequence BIGINT NOT NULL, 
	kind TEXT NOT NULL, 
	publication BIGINT, 
	created_at FLOAT NOT NULL, 
	bindings TEXT, 
	truncated BOOLEAN DEFAULT '0' NOT NULL, 
	article BLOB, 
	other_publications TEXT, 
	PRIMARY KEY (subscription, sequence), 
	UNIQUE (subscription, publication)
);
INSERT INTO "notifications" VALUES('s1',1,'match',1,1747800201.0,'{"results": {"bindings": []}}',0,NULL,NULL);
INSERT INTO "notifications" VALUES('s1',2,'match',2,1747800202.0,'{"results": {"bindings": []}}',0,NULL,NULL);
INSERT INTO "notifications" VALUES('s2',1,'match',1,1747800201.0,'{"results": {"bindings": []}}',0,NULL,NULL);
INSERT INTO "notifications" VALUES('s2',2,'match',2,1747800202.0,'{"results": {"bindings": []}}',0,NULL,NULL);
CREATE TABLE owners (
	id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	key_hash BLOB, 
	max_subscriptions BIGINT NOT NULL, 
	max_steps BIGINT, 
	created_at FLOAT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (key_hash)
);
INSERT INTO "owners" VALUES('o1','Ada',X'0101010101010101010101010101010101010101010101010101010101010101',100,NULL,1747800000.0);
CREATE TABLE publications (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id TEXT NOT NULL, 
	digest BLOB NOT NULL, 
	source TEXT, 
	published_at FLOAT, 
	received_at FLOAT NOT NULL, 
	after_change BIGINT NOT NULL, 
	lines BLOB NOT NULL, 
	triples INTEGER NOT NULL, 
	matched BOOLEAN DEFAULT '0' NOT NULL, 
	lease_holder TEXT, 
	lease_until FLOAT DEFAULT '0' NOT NULL, 
	UNIQUE (id, digest)
);
INSERT INTO "publications" VALUES(1,'urn:p1',X'0101010101010101010101010101010101010101010101010101010101010101','https://example.org/feed',NULL,1747800101.0,2,X'3C75726E3A733E0A3C75726E3A703E0A22636166C3A922',1,1,NULL,0.0);
INSERT INTO "publications" VALUES(2,'urn:p2',X'0202020202020202020202020202020202020202020202020202020202020202','https://example.org/feed',NULL,1747800102.0,2,X'3C75726E3A733E0A3C75726E3A703E0A22636166C3A922',1,1,NULL,0.0);
INSERT INTO "publications" VALUES(3,'urn:p3',X'0303030303030303030303030303030303030303030303030303030303030303','https://example.org/feed',NULL,1747800103.0,2,X'3C75726E3A733E0A3C75726E3A703E0A22636166C3A922',1,0,NULL,0.0);
CREATE TABLE subscriptions (
	id TEXT NOT NULL, 
	owner TEXT NOT NULL, 
	"query" TEXT NOT NULL, 
	form TEXT NOT NULL, 
	ticket_hash BLOB NOT NULL, 
	created_at FLOAT NOT NULL, 
	validity FLOAT, 
	expires_at FLOAT, 
	expiring_at FLOAT, 
	paused BOOLEAN DEFAULT '0' NOT NULL, 
	expired BOOLEAN DEFAULT '0' NOT NULL, 
	since_change BIGINT NOT NULL, 
	last_sequence BIGINT DEFAULT '0' NOT NULL, 
	digest FLOAT, 
	at_most INTEGER, 
	at_most_period FLOAT, 
	join_articles BOOLEAN DEFAULT '0' NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "subscriptions" VALUES('s1','o1','topic:health "word 1"','short',X'0101010101010101010101010101010101010101010101010101010101010101',1747800001.0,86400.0,1747886401.0,1747877761.0,0,0,1,2,NULL,NULL,NULL,0);
INSERT INTO "subscriptions" VALUES('s2','o1','topic:health "word 2"','short',X'0202020202020202020202020202020202020202020202020202020202020202',1747800002.0,86400.0,1747886402.0,1747877762.0,0,0,2,2,NULL,NULL,NULL,0);
CREATE TABLE targets (
	id TEXT NOT NULL, 
	subscription TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	address TEXT NOT NULL, 
	secrets TEXT, 
	state SMALLINT NOT NULL, 
	reason TEXT, 
	delivered_sequence BIGINT DEFAULT '0' NOT NULL, 
	attempts INTEGER DEFAULT '0' NOT NULL, 
	due_at FLOAT, 
	period_start FLOAT, 
	period_deliveries INTEGER DEFAULT '0' NOT NULL, 
	lease_holder TEXT, 
	lease_until FLOAT DEFAULT '0' NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "targets" VALUES('t1','s1','webhook','https://example.org/1','["whsec_x"]',1,NULL,1,0,NULL,NULL,0,NULL,0.0);
INSERT INTO "targets" VALUES('t2','s2','webhook','https://example.org/2','["whsec_x"]',1,NULL,1,0,NULL,NULL,0,NULL,0.0);
CREATE TABLE writers (
	id TEXT NOT NULL, 
	last_group BIGINT NOT NULL, 
	seen_at FLOAT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE INDEX dead_letters_subscription ON dead_letters (subscription);
CREATE INDEX feed_items_listed_at ON feed_items (listed_at);
CREATE INDEX feeds_due_at ON feeds (due_at);
CREATE INDEX notifications_article ON notifications (subscription, article);
CREATE INDEX notifications_created_at ON notifications (created_at);
CREATE INDEX notifications_publication ON notifications (publication);
CREATE INDEX publications_received_at ON publications (received_at);
CREATE INDEX publications_waiting ON publications (number) WHERE matched = 0;
CREATE INDEX subscriptions_expires_at ON subscriptions (expires_at);
CREATE INDEX subscriptions_expiring_at ON subscriptions (expiring_at);
CREATE INDEX subscriptions_owner ON subscriptions (owner);
CREATE INDEX targets_due_at ON targets (due_at);
CREATE INDEX targets_subscription ON targets (subscription);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('publications',3);
COMMIT;

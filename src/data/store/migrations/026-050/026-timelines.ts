// Data of the timelines service (docs/TIMELINES.md): the order in which posts and reposts arrived, the
// timelines that programs write, and their access. `arrivals` has exactly one row for each post and repost
// stored here (data/store/timelines/arrivals.ts, and the triggers of deletions). A number is never reused, even after its row
// is deleted. Existing items count as arrived in order of their time.

export const version = 26

export const sql = /* sql */ `
CREATE TABLE arrivals (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  uid INTEGER NOT NULL,               -- who wrote or reposted it
  item INTEGER NOT NULL,              -- item-ids.ts
  at INTEGER NOT NULL                 -- milliseconds, our clock
);
INSERT INTO arrivals (uid, item, at) SELECT uid, item, sort_at FROM (
  SELECT uid, id * 2 AS item, sort_at FROM posts INDEXED BY posts_by_author WHERE state = 1
  UNION ALL SELECT uid, id * 2 + 1, sort_at FROM reposts
) ORDER BY sort_at, item;
CREATE INDEX arrivals_by_author ON arrivals (uid);
CREATE UNIQUE INDEX arrivals_by_item ON arrivals (item);

CREATE TRIGGER post_arrives AFTER UPDATE OF state ON posts WHEN NEW.state = 1 AND OLD.state <> 1 BEGIN
  INSERT INTO arrivals (uid, item, at)
    VALUES (NEW.uid, NEW.id * 2, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
CREATE TRIGGER post_leaves AFTER UPDATE OF state ON posts WHEN OLD.state = 1 AND NEW.state <> 1 BEGIN
  DELETE FROM arrivals WHERE item = OLD.id * 2;
END;
CREATE TRIGGER post_is_dropped AFTER DELETE ON posts WHEN OLD.state = 1 BEGIN
  DELETE FROM arrivals WHERE item = OLD.id * 2;
END;
CREATE TRIGGER repost_arrives AFTER INSERT ON reposts BEGIN
  INSERT INTO arrivals (uid, item, at)
    VALUES (NEW.uid, NEW.id * 2 + 1, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
CREATE TRIGGER repost_leaves AFTER DELETE ON reposts BEGIN
  DELETE FROM arrivals WHERE item = OLD.id * 2 + 1;
END;

CREATE INDEX notifications_by_arrival ON notifications (uid);

-- Timelines that programs write by POST.
CREATE TABLE custom_timelines (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  last_seq INTEGER NOT NULL DEFAULT 0,  -- the highest number given out
  events INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,     -- of their payloads
  change INTEGER NOT NULL               -- the number, among all timelines, of the last change of this one
);
CREATE UNIQUE INDEX custom_timelines_by_change ON custom_timelines (change);

CREATE TABLE custom_events (
  timeline INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  entity_id TEXT NOT NULL,
  entity_type TEXT NOT NULL,
  payload TEXT NOT NULL,              -- JSON
  producer_ts INTEGER NOT NULL,       -- milliseconds, as the producer said
  received_at INTEGER NOT NULL,       -- milliseconds, our clock
  PRIMARY KEY (timeline, seq)
) WITHOUT ROWID;

-- How far each producer that numbers its events has come.
CREATE TABLE custom_producers (
  timeline INTEGER NOT NULL,
  producer TEXT NOT NULL,
  last_number INTEGER NOT NULL,
  PRIMARY KEY (timeline, producer)
) WITHOUT ROWID;

-- Numbers that were skipped by a producer. Each keeps its place in the timeline, which readers do not pass while
-- it may still come.
CREATE TABLE custom_holes (
  timeline INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  producer TEXT NOT NULL,
  number INTEGER NOT NULL,
  since INTEGER NOT NULL,             -- milliseconds, our clock
  is_given_up INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (timeline, seq)
) WITHOUT ROWID;
CREATE UNIQUE INDEX custom_holes_by_number ON custom_holes (timeline, producer, number);
CREATE INDEX custom_holes_waiting ON custom_holes (since) WHERE is_given_up = 0;

-- Idempotency keys and what was answered.
CREATE TABLE custom_keys (
  timeline INTEGER NOT NULL,
  key BLOB NOT NULL,                  -- digest of it and of who posted
  body BLOB NOT NULL,                 -- digest
  seq INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  PRIMARY KEY (timeline, key)
) WITHOUT ROWID;
CREATE INDEX custom_keys_by_age ON custom_keys (received_at);

-- Positions that readers asked us to keep.
CREATE TABLE timeline_cursors (
  reader TEXT NOT NULL,
  timeline TEXT NOT NULL,
  cursor TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (reader, timeline)
) WITHOUT ROWID;

CREATE TABLE service_tokens (
  name TEXT PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE,        -- SHA-256; the token itself is shown once and kept nowhere
  scopes TEXT NOT NULL,               -- JSON
  rate INTEGER NOT NULL,              -- requests in five minutes; 0: no limit
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) WITHOUT ROWID;

-- What cursors are signed with; the two newest are valid.
CREATE TABLE signing_keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  secret BLOB NOT NULL,
  created_at INTEGER NOT NULL
);
`

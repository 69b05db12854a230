// The timelines that programs write, and their access.

export const version = 26

export const sql = /* sql */ `
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

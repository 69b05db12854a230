// The first schema. Every account is a dense integer (`uid`), as is every post (`id`), so that no index holds
// a DID, an at-URI or a CID as text. Record keys are packed as in keys.ts; times are milliseconds since 1970;
// `cid` columns hold the 32-byte digest. A post that is only referenced (a parent, root, quote or the subject
// of a like) is a stub: its row has state 0 and no record, so that counts and references are right whenever
// the record arrives, or if it never does.

export const version = 1

export const sql = /* sql */ `
CREATE TABLE actors (
  uid INTEGER PRIMARY KEY,            -- dense, from 1; the graph and the timelines use the same
  did TEXT NOT NULL UNIQUE,
  handle TEXT,                        -- lower case; verified both ways when handle_valid
  handle_valid INTEGER NOT NULL DEFAULT 0,
  identity_checked_at INTEGER,        -- when DID document and handle were last resolved
  pds TEXT,                           -- origin of the account's PDS, from its DID document
  status INTEGER NOT NULL DEFAULT 0,  -- AccountStatus: 0 active, see status.ts
  status_at INTEGER NOT NULL DEFAULT 0, -- microseconds: time of the account event that set it
  removed_at INTEGER,                 -- microseconds: when the account was last deleted
  rev TEXT,                           -- rev of the last commit applied
  indexed_at INTEGER NOT NULL,
  follows_count INTEGER NOT NULL DEFAULT 0,
  followers_count INTEGER NOT NULL DEFAULT 0,
  posts_count INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX actors_by_handle ON actors (handle) WHERE handle IS NOT NULL;
CREATE INDEX actors_not_active ON actors (status) WHERE status <> 0;
CREATE INDEX actors_removed ON actors (removed_at) WHERE removed_at IS NOT NULL;

CREATE TABLE profiles (
  uid INTEGER PRIMARY KEY,
  cid BLOB NOT NULL,
  rev TEXT,
  record BLOB NOT NULL,               -- JSON, as it came
  created_at INTEGER,
  indexed_at INTEGER NOT NULL
);

CREATE TABLE posts (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused; as a feed item it is id * 2
  uid INTEGER NOT NULL,
  rkey NOT NULL,
  state INTEGER NOT NULL,             -- 0 stub, 1 present, 2 deleted, 3 looked for and not found
  cid BLOB,
  rev TEXT,
  record BLOB,                        -- JSON, as it came
  created_at INTEGER,
  indexed_at INTEGER,
  sort_at INTEGER,                    -- min(created_at, indexed_at)
  root INTEGER,                       -- posts.id; both set for replies only
  parent INTEGER,
  quote INTEGER,                      -- posts.id of an embedded post
  flags INTEGER NOT NULL DEFAULT 0    -- PostFlag bits, see post-flags.ts
);
CREATE UNIQUE INDEX posts_by_key ON posts (uid, rkey);
CREATE INDEX posts_by_author ON posts (uid, sort_at) WHERE state = 1;
CREATE INDEX posts_by_parent ON posts (parent) WHERE parent IS NOT NULL;
CREATE INDEX posts_by_quote ON posts (quote) WHERE quote IS NOT NULL;

CREATE TABLE post_counts (
  post INTEGER PRIMARY KEY,
  likes INTEGER NOT NULL DEFAULT 0,
  reposts INTEGER NOT NULL DEFAULT 0,
  replies INTEGER NOT NULL DEFAULT 0,
  quotes INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE reposts (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused; as a feed item it is id * 2 + 1
  uid INTEGER NOT NULL,
  rkey NOT NULL,
  subject INTEGER NOT NULL,           -- posts.id
  cid BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  indexed_at INTEGER NOT NULL,
  sort_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX reposts_by_key ON reposts (uid, rkey);
CREATE INDEX reposts_by_author ON reposts (uid, sort_at);
CREATE INDEX reposts_by_subject ON reposts (subject, uid);

CREATE TABLE likes (
  uid INTEGER NOT NULL,
  rkey NOT NULL,
  subject INTEGER NOT NULL,           -- posts.id
  created_at INTEGER NOT NULL,
  lag INTEGER NOT NULL,               -- indexed_at - created_at
  PRIMARY KEY (uid, rkey)
) WITHOUT ROWID;
CREATE INDEX likes_by_subject ON likes (subject, uid);

CREATE TABLE follows (
  uid INTEGER NOT NULL,
  rkey NOT NULL,
  subject INTEGER NOT NULL,           -- actors.uid
  sort_at INTEGER NOT NULL,
  PRIMARY KEY (uid, rkey)
) WITHOUT ROWID;
CREATE INDEX follows_by_pair ON follows (uid, subject);
CREATE INDEX follows_by_subject ON follows (subject, sort_at);

CREATE TABLE blocks (
  uid INTEGER NOT NULL,
  rkey NOT NULL,
  subject INTEGER NOT NULL,
  sort_at INTEGER NOT NULL,
  PRIMARY KEY (uid, rkey)
) WITHOUT ROWID;
CREATE INDEX blocks_by_pair ON blocks (uid, subject);
CREATE INDEX blocks_by_subject ON blocks (subject, uid);

CREATE TABLE lists (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid INTEGER NOT NULL,
  rkey NOT NULL,
  cid BLOB,                           -- NULL while only pointed at
  rev TEXT,
  purpose TEXT,
  record BLOB,
  sort_at INTEGER
);
CREATE UNIQUE INDEX lists_by_key ON lists (uid, rkey);

CREATE TABLE list_items (
  uid INTEGER NOT NULL,
  rkey NOT NULL,
  list INTEGER NOT NULL,              -- lists.id; only the list's creator may add to it
  subject INTEGER NOT NULL,
  sort_at INTEGER NOT NULL,
  PRIMARY KEY (uid, rkey)
) WITHOUT ROWID;
CREATE INDEX list_items_by_list ON list_items (list, subject);
CREATE INDEX list_items_by_subject ON list_items (subject, list);

CREATE TABLE list_blocks (
  uid INTEGER NOT NULL,
  rkey NOT NULL,
  list INTEGER NOT NULL,
  sort_at INTEGER NOT NULL,
  PRIMARY KEY (uid, rkey)
) WITHOUT ROWID;
CREATE INDEX list_blocks_by_pair ON list_blocks (uid, list);
CREATE INDEX list_blocks_by_list ON list_blocks (list, uid);

CREATE TABLE threadgates (
  post INTEGER PRIMARY KEY,           -- posts.id of the gated root; same creator and rkey
  cid BLOB NOT NULL,
  rev TEXT,
  record BLOB NOT NULL,
  indexed_at INTEGER NOT NULL
);

CREATE TABLE postgates (
  post INTEGER PRIMARY KEY,
  cid BLOB NOT NULL,
  rev TEXT,
  record BLOB NOT NULL,
  indexed_at INTEGER NOT NULL
);

-- The last deletion or change of a key: what is not newer than its rev comes late and is ignored.
-- Kept for longer than any stream can replay, then pruned.
CREATE TABLE tombstones (
  uid INTEGER NOT NULL,
  collection INTEGER NOT NULL,        -- CollectionCode, see collections.ts
  rkey NOT NULL,
  rev TEXT NOT NULL,
  deleted_at INTEGER NOT NULL,        -- our clock, when we applied it
  PRIMARY KEY (uid, collection, rkey)
) WITHOUT ROWID;
CREATE INDEX tombstones_by_age ON tombstones (deleted_at);

CREATE TABLE members (
  uid INTEGER PRIMARY KEY,
  joined_at INTEGER NOT NULL,
  last_seen_at INTEGER                -- NULL: configured, not seen yet
);

-- Private state: it lives in no repository, only here.
CREATE TABLE mutes (
  uid INTEGER NOT NULL,
  subject INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (uid, subject)
) WITHOUT ROWID;

CREATE TABLE stream_cursors (
  host TEXT NOT NULL,
  wire TEXT NOT NULL,
  seq INTEGER,
  time_us INTEGER NOT NULL,
  saved_at INTEGER NOT NULL,
  PRIMARY KEY (host, wire)
) WITHOUT ROWID;

CREATE TABLE gaps (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  host TEXT NOT NULL,
  from_us INTEGER NOT NULL,
  to_us INTEGER NOT NULL,
  cause TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'open', -- open, repairing, closed
  found_at INTEGER NOT NULL,
  closed_at INTEGER
);

-- Work to be done against other people's servers; a finished job is deleted.
CREATE TABLE jobs (
  kind TEXT NOT NULL,                 -- JobKind, see jobs.ts
  subject INTEGER NOT NULL,           -- actors.uid, posts.id or lists.id, by kind
  priority INTEGER NOT NULL,          -- lower runs first
  attempts INTEGER NOT NULL DEFAULT 0,
  not_before INTEGER NOT NULL DEFAULT 0,
  stamp INTEGER NOT NULL DEFAULT 0,   -- moves when the work is asked for again while it runs
  last_error TEXT,
  PRIMARY KEY (kind, subject)
) WITHOUT ROWID;
CREATE INDEX jobs_by_turn ON jobs (priority, not_before);

-- What was loaded whole from a repository, and when.
CREATE TABLE backfills (
  uid INTEGER NOT NULL,
  what TEXT NOT NULL,
  rev TEXT,
  finished_at INTEGER NOT NULL,
  PRIMARY KEY (uid, what)
) WITHOUT ROWID;

-- Changes of the follow graph since its snapshot, in order; written with the follow rows, emptied
-- with the snapshot.
CREATE TABLE graph_changes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  creator INTEGER NOT NULL,
  subject INTEGER NOT NULL,
  added INTEGER NOT NULL
);

-- Memory made fast to load (invariant 3): thrown away when torn, old or foreign.
CREATE TABLE snapshots (
  name TEXT NOT NULL,
  part INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (name, part)
) WITHOUT ROWID;

CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value
) WITHOUT ROWID;
`

-- What a new folder begins with: written by scripts/start-schema.ts from the migrations before it, which older folders
-- take one by one. test/data/store/migrations/start-schema.test.ts holds both to the same.

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

CREATE TABLE post_counts (
  post INTEGER PRIMARY KEY,
  likes INTEGER NOT NULL DEFAULT 0,
  reposts INTEGER NOT NULL DEFAULT 0,
  replies INTEGER NOT NULL DEFAULT 0,
  quotes INTEGER NOT NULL DEFAULT 0
, bookmarks INTEGER NOT NULL DEFAULT 0);

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

CREATE TABLE lists (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid INTEGER NOT NULL,
  rkey NOT NULL,
  cid BLOB,                           -- NULL while only pointed at
  rev TEXT,
  purpose TEXT,
  record BLOB,
  sort_at INTEGER
, people INTEGER NOT NULL DEFAULT 0);

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

CREATE TABLE mutes (
  uid INTEGER NOT NULL,
  subject INTEGER NOT NULL,
  created_at INTEGER NOT NULL, scope INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (uid, subject)
) WITHOUT ROWID;

CREATE TABLE stream_cursors (
  host TEXT NOT NULL,
  wire TEXT NOT NULL,
  seq INTEGER,
  time_us INTEGER NOT NULL,
  saved_at INTEGER NOT NULL, by_clock INTEGER NOT NULL DEFAULT 0, mark TEXT,
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
, uid INTEGER, times INTEGER NOT NULL DEFAULT 1, step TEXT, reached INTEGER NOT NULL DEFAULT 0, compared INTEGER NOT NULL DEFAULT 0, unreachable INTEGER NOT NULL DEFAULT 0, retry_at INTEGER NOT NULL DEFAULT 0, how TEXT, note TEXT);

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

CREATE TABLE backfills (
  uid INTEGER NOT NULL,
  what TEXT NOT NULL,
  rev TEXT,
  finished_at INTEGER NOT NULL, left_out INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (uid, what)
) WITHOUT ROWID;

CREATE TABLE graph_changes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  creator INTEGER NOT NULL,
  subject INTEGER NOT NULL,
  added INTEGER NOT NULL
);

CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value
) WITHOUT ROWID;

CREATE TABLE likes_by_creator (
  creator INTEGER NOT NULL,           -- actors.uid
  first INTEGER NOT NULL,             -- 0, or subject of the first entry when it was cut
  oldest INTEGER NOT NULL,            -- of the record keys' periods (edges/edge.ts)
  newest INTEGER NOT NULL,
  bytes BLOB NOT NULL,                -- see edges/creator-entries.ts
  PRIMARY KEY (creator, first)
) WITHOUT ROWID;

CREATE TABLE likes_by_subject (
  subject INTEGER NOT NULL,           -- actors.uid; of likes posts.id
  at INTEGER NOT NULL,                -- 0 and 0, or sortAt and account of the first entry
  uid INTEGER NOT NULL,
  bytes BLOB NOT NULL,                -- see edges/subject-entries.ts
  PRIMARY KEY (subject, at, uid)
) WITHOUT ROWID;

CREATE TABLE follows_by_creator (
  creator INTEGER NOT NULL,           -- actors.uid
  first INTEGER NOT NULL,             -- 0, or subject of the first entry when it was cut
  oldest INTEGER NOT NULL,            -- of the record keys' periods (edges/edge.ts)
  newest INTEGER NOT NULL,
  bytes BLOB NOT NULL,                -- see edges/creator-entries.ts
  PRIMARY KEY (creator, first)
) WITHOUT ROWID;

CREATE TABLE follows_by_subject (
  subject INTEGER NOT NULL,           -- actors.uid; of likes posts.id
  at INTEGER NOT NULL,                -- 0 and 0, or sortAt and account of the first entry
  uid INTEGER NOT NULL,
  bytes BLOB NOT NULL,                -- see edges/subject-entries.ts
  PRIMARY KEY (subject, at, uid)
) WITHOUT ROWID;

CREATE TABLE blocks_by_creator (
  creator INTEGER NOT NULL,           -- actors.uid
  first INTEGER NOT NULL,             -- 0, or subject of the first entry when it was cut
  oldest INTEGER NOT NULL,            -- of the record keys' periods (edges/edge.ts)
  newest INTEGER NOT NULL,
  bytes BLOB NOT NULL,                -- see edges/creator-entries.ts
  PRIMARY KEY (creator, first)
) WITHOUT ROWID;

CREATE TABLE blocks_by_subject (
  subject INTEGER NOT NULL,           -- actors.uid; of likes posts.id
  at INTEGER NOT NULL,                -- 0 and 0, or sortAt and account of the first entry
  uid INTEGER NOT NULL,
  bytes BLOB NOT NULL,                -- see edges/subject-entries.ts
  PRIMARY KEY (subject, at, uid)
) WITHOUT ROWID;

CREATE TABLE notifications (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid INTEGER NOT NULL,               -- whom it tells
  sort_at INTEGER NOT NULL,           -- the record's
  reason INTEGER NOT NULL,            -- see notification-reasons.ts
  author INTEGER NOT NULL,            -- the record's creator
  collection INTEGER NOT NULL,        -- CollectionCode of the record
  rkey NOT NULL,
  cid BLOB,                           -- NULL, with the record, for posts and profiles
  record BLOB,                        -- JSON
  subject_collection INTEGER,         -- see notification-subjects.ts; NULL where it is about nothing else
  subject_rkey
, arrived_at INTEGER);

CREATE INDEX notifications_by_time ON notifications (uid, sort_at);

CREATE UNIQUE INDEX notifications_by_record
  ON notifications (author, collection, rkey, uid, reason);

CREATE TABLE notification_settings (
  uid INTEGER PRIMARY KEY,
  since INTEGER,                      -- what is older was there before the member was
  has_backlog INTEGER NOT NULL DEFAULT 0,
  seen_at INTEGER,
  priority INTEGER NOT NULL DEFAULT 0,
  preferences TEXT                    -- JSON of what was set, see notification-preferences.ts
);

CREATE TABLE activity_subscriptions (
  uid INTEGER NOT NULL,
  subject INTEGER NOT NULL,
  post INTEGER NOT NULL,
  reply INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (uid, subject)
) WITHOUT ROWID;

CREATE INDEX activity_subscriptions_by_subject ON activity_subscriptions (subject, uid);

CREATE TABLE actors (
  uid INTEGER PRIMARY KEY,            -- dense, from 1; the graph and the timelines use the same
  did TEXT NOT NULL,                  -- each once
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

CREATE TABLE search_queue (
  kind INTEGER NOT NULL,              -- see search/queue.ts
  id INTEGER NOT NULL,
  was INTEGER,                        -- of a post: sort_at as it is indexed
  PRIMARY KEY (kind, id)
) WITHOUT ROWID;

CREATE TABLE search_backlog (kind INTEGER PRIMARY KEY, below INTEGER NOT NULL);

CREATE TABLE search_actors (
  uid INTEGER PRIMARY KEY,
  band INTEGER NOT NULL,              -- see search/actor-index.ts
  handle TEXT NOT NULL,               -- verified and folded, or empty
  name TEXT NOT NULL                  -- folded words of the display name
);

CREATE VIRTUAL TABLE actor_words USING fts5(
  words, content='', columnsize=0, detail=none, prefix='1 2 3 4 5 6', tokenize='ascii'
);

CREATE VIRTUAL TABLE actor_parts USING fts5(
  parts, content='', columnsize=0, detail=none, tokenize='ascii'
);

CREATE TABLE list_mutes (
  uid INTEGER NOT NULL,
  list INTEGER NOT NULL,              -- lists.id
  created_at INTEGER NOT NULL,
  PRIMARY KEY (uid, list)
) WITHOUT ROWID;

CREATE INDEX list_mutes_by_list ON list_mutes (list, uid);

CREATE TABLE bookmarks (
  uid INTEGER NOT NULL,
  post INTEGER NOT NULL,              -- posts.id
  cid TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (uid, post)
) WITHOUT ROWID;

CREATE INDEX bookmarks_by_time ON bookmarks (uid, created_at, post);

CREATE TABLE drafts (
  uid INTEGER NOT NULL,
  id TEXT NOT NULL,                   -- TID
  draft TEXT NOT NULL,                -- JSON: app.bsky.draft.defs#draft
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (uid, id)
) WITHOUT ROWID;

CREATE INDEX drafts_by_time ON drafts (uid, updated_at, id);

CREATE TABLE preferences (
  uid INTEGER PRIMARY KEY,
  preferences TEXT NOT NULL           -- JSON: app.bsky.actor.defs#preferences
);

CREATE INDEX lists_by_time ON lists (uid, sort_at) WHERE cid IS NOT NULL;

CREATE INDEX list_items_by_time ON list_items (list, sort_at, rkey);

CREATE TABLE labels (
  uid INTEGER NOT NULL,               -- the account, or the creator of the record
  collection INTEGER NOT NULL,        -- CollectionCode; 0: the account itself
  rkey NOT NULL,                      -- '' for the account itself
  src INTEGER NOT NULL,               -- actors.uid of the labeler
  val TEXT NOT NULL,
  neg INTEGER NOT NULL,               -- 1: withdrawn
  cid TEXT,                           -- the version that it is about, where it says so
  cts_ms INTEGER NOT NULL,            -- when it was made
  cts TEXT,                           -- as it came, where it is not written as we would
  exp_ms INTEGER,
  exp TEXT, streamed INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (uid, collection, rkey, src, val)
) WITHOUT ROWID;

CREATE INDEX labels_expiring ON labels (exp_ms) WHERE exp_ms IS NOT NULL;

CREATE TABLE labelers (
  uid INTEGER PRIMARY KEY,
  named_at INTEGER NOT NULL,          -- milliseconds: when a member's request last named it
  cursor INTEGER                      -- seq of the last frame applied; NULL: never streamed
, named_by INTEGER, kept INTEGER NOT NULL DEFAULT 0, open_since INTEGER, strikes INTEGER NOT NULL DEFAULT 0, quarantined_until INTEGER, quarantine_reason TEXT, begun_at INTEGER);

CREATE TABLE records (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid INTEGER NOT NULL,
  collection INTEGER NOT NULL,        -- CollectionCode, see collections.ts
  rkey NOT NULL,
  cid BLOB,                           -- NULL while only pointed at
  rev TEXT,
  record BLOB,                        -- JSON, as it came
  created_at INTEGER,
  sort_at INTEGER,                    -- min(created_at, indexed_at)
  subject INTEGER,                    -- actors.uid of whom a verification is about
  likes INTEGER NOT NULL DEFAULT 0
);

CREATE UNIQUE INDEX records_by_key ON records (uid, collection, rkey);

CREATE INDEX records_by_time ON records (uid, collection, sort_at) WHERE cid IS NOT NULL;

CREATE INDEX records_of_profiles ON records (uid) WHERE rkey = 'self' AND cid IS NOT NULL;

CREATE INDEX records_by_subject ON records (subject, uid) WHERE subject IS NOT NULL;

CREATE INDEX records_by_likes ON records (collection, likes) WHERE cid IS NOT NULL;

CREATE TABLE record_likes (
  uid INTEGER NOT NULL,
  rkey NOT NULL,
  subject INTEGER NOT NULL,           -- records.id
  created_at INTEGER NOT NULL,
  PRIMARY KEY (uid, rkey)
) WITHOUT ROWID;

CREATE INDEX record_likes_by_subject ON record_likes (subject, uid);

CREATE INDEX profiles_by_starter_pack ON profiles (CASE WHEN instr(record, 'joinedViaStarterPack') > 0
  AND json_valid(CAST(record AS TEXT))
  THEN json_extract(CAST(record AS TEXT), '$.joinedViaStarterPack.uri') END, created_at)
  WHERE CASE WHEN instr(record, 'joinedViaStarterPack') > 0
  AND json_valid(CAST(record AS TEXT))
  THEN json_extract(CAST(record AS TEXT), '$.joinedViaStarterPack.uri') END IS NOT NULL;

CREATE TABLE op_replies (
  root INTEGER NOT NULL,              -- posts.id
  post INTEGER NOT NULL,              -- posts.id of a reply by the root's creator
  parent INTEGER NOT NULL,
  deleted_at INTEGER,                 -- our clock; NULL while it is there
  PRIMARY KEY (root, post)
) WITHOUT ROWID;

CREATE TABLE thread_mutes (
  uid INTEGER NOT NULL,
  root INTEGER NOT NULL,              -- posts.id
  created_at INTEGER NOT NULL,
  PRIMARY KEY (uid, root)
) WITHOUT ROWID;

CREATE INDEX posts_by_quote ON posts (quote, sort_at) WHERE quote IS NOT NULL;

CREATE INDEX reposts_by_subject_time ON reposts (subject, sort_at);

CREATE TABLE replays (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  from_us INTEGER NOT NULL,           -- the stream's time from which on it is asked for
  started_at INTEGER NOT NULL,        -- our clock
  window_us INTEGER,                  -- where the host's window began, if that is later
  host TEXT,                          -- how far it is; NULL: not begun
  wire TEXT,
  seq INTEGER,
  time_us INTEGER
);

CREATE TABLE replay_accounts (
  uid INTEGER PRIMARY KEY,
  replay INTEGER,                     -- replays.id; NULL: waits for one
  wanted_at INTEGER NOT NULL          -- our clock
);

CREATE INDEX replay_accounts_by_replay ON replay_accounts (replay, uid);

CREATE TABLE feed_depths (
  uid INTEGER NOT NULL,
  collection INTEGER NOT NULL,        -- CollectionCode: posts or reposts
  cursor TEXT,                        -- where its server's listing goes on; NULL: there is no more
  oldest_at INTEGER NOT NULL,         -- when the oldest record listed says it was made
  pages INTEGER NOT NULL,             -- read beyond the first
  PRIMARY KEY (uid, collection)
) WITHOUT ROWID;

CREATE UNIQUE INDEX gaps_of_account ON gaps (uid) WHERE uid IS NOT NULL AND state <> 'closed';

CREATE INDEX gaps_not_closed ON gaps (retry_at) WHERE state <> 'closed';

CREATE INDEX gaps_closed ON gaps (closed_at) WHERE state = 'closed';

CREATE TABLE removals (
  uid INTEGER PRIMARY KEY,            -- deleted account whose rows go slice by slice
  begun_at INTEGER NOT NULL           -- our clock
, is_done INTEGER NOT NULL DEFAULT 0);

CREATE TABLE doubts (
  kind INTEGER NOT NULL,              -- see data/store/removal/gc-candidates.ts
  id INTEGER NOT NULL,                -- actors.uid or posts.id
  step INTEGER NOT NULL DEFAULT 0,
  reached,                            -- where the step goes on; NULL: at its beginning
  PRIMARY KEY (kind, id)
) WITHOUT ROWID;

CREATE INDEX posts_by_far_root ON posts (root) WHERE root IS NOT NULL AND root <> parent;

CREATE INDEX thread_mutes_by_root ON thread_mutes (root);

CREATE INDEX mutes_by_subject ON mutes (subject);

CREATE TABLE history (
  step_s INTEGER NOT NULL,            -- which ring: seconds from slot to slot
  slot INTEGER NOT NULL,              -- (at / step) modulo the ring's length
  at INTEGER NOT NULL,                -- our clock, where the slot begins
  events_s REAL,                      -- events received a second
  lag_ms REAL,                        -- behind the network
  visible_ms REAL,                    -- from a frame's arrival to its visibility, 99th percentile
  requests_s REAL,
  failures_s REAL,                    -- answers that say it is our fault
  answer_p50_ms REAL,
  answer_p99_ms REAL,
  memory_bytes REAL,
  database_bytes REAL,
  disk_free_bytes REAL,
  members REAL,
  timelines REAL,
  actors REAL,
  follows REAL,
  jobs REAL,
  open_gaps REAL,
  PRIMARY KEY (step_s, slot)
) WITHOUT ROWID;

CREATE TABLE invites (
  code TEXT PRIMARY KEY,
  note TEXT NOT NULL,                 -- the operator's, for themselves
  max_uses INTEGER NOT NULL,
  uses INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,        -- our clock, milliseconds, as are all
  expires_at INTEGER,                 -- NULL: never
  disabled_at INTEGER
) WITHOUT ROWID;

CREATE TABLE admissions (
  did TEXT PRIMARY KEY,
  code TEXT,                          -- the invite; NULL: the operator's word
  admitted_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE keyless_follows (
  creator INTEGER PRIMARY KEY         -- actors.uid: some of their follows have made-up keys
);

CREATE TABLE unfollows (
  creator INTEGER NOT NULL,           -- actors.uid
  subject INTEGER NOT NULL,           -- actors.uid
  at INTEGER NOT NULL,                -- our clock when it was applied
  PRIMARY KEY (creator, subject)
) WITHOUT ROWID;

CREATE INDEX unfollows_by_age ON unfollows (at);

CREATE TABLE earlier_post_counts (
  post INTEGER PRIMARY KEY,           -- posts.id
  likes INTEGER NOT NULL,
  reposts INTEGER NOT NULL,
  replies INTEGER NOT NULL,
  quotes INTEGER NOT NULL,
  asked_at INTEGER NOT NULL           -- our clock when it was asked, milliseconds
);

CREATE TABLE earlier_actor_counts (
  uid INTEGER PRIMARY KEY,            -- actors.uid
  follows INTEGER NOT NULL,           -- 0 where the whole list is here
  followers INTEGER NOT NULL,
  posts INTEGER NOT NULL,
  asked_at INTEGER NOT NULL
);

CREATE INDEX record_likes_by_time ON record_likes (subject, created_at, uid);

CREATE TABLE reaction_records (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid INTEGER NOT NULL,               -- actors.uid
  collection INTEGER NOT NULL,
  rkey NOT NULL,
  cid BLOB NOT NULL,
  record BLOB NOT NULL,               -- JSON
  via_uid INTEGER,                    -- whose repost led to it
  via_rkey
);

CREATE UNIQUE INDEX reaction_records_by_key ON reaction_records (uid, collection, rkey);

CREATE INDEX reaction_records_by_via ON reaction_records (via_uid, id) WHERE via_uid IS NOT NULL;

CREATE TABLE mentions (
  did INTEGER NOT NULL,               -- 48 bits of the SHA-256 of the DID
  post INTEGER NOT NULL,              -- posts.id
  PRIMARY KEY (did, post)
) WITHOUT ROWID;

CREATE INDEX mentions_by_post ON mentions (post);

CREATE INDEX backfills_left_out ON backfills (uid, left_out) WHERE left_out > 0;

CREATE TABLE brought (
  uid INTEGER PRIMARY KEY,            -- actors.uid of the author
  member INTEGER NOT NULL,            -- actors.uid of whom it was fetched for; 0: nobody in particular
  kb INTEGER NOT NULL,                -- of records, in kilobytes of 1,000
  ends_at INTEGER NOT NULL            -- milliseconds: then the author's hour is over
);

CREATE TABLE takedowns (
  subject TEXT PRIMARY KEY,           -- a DID, an at-URI, or of a blob the DID, a space and its CID
  uid INTEGER NOT NULL,               -- whose it is
  collection INTEGER NOT NULL,        -- CollectionCode; 0: the account itself; -1: a blob, or nothing we index
  rkey NOT NULL,                      -- '' where it is no record
  ref TEXT NOT NULL,                  -- what the moderators call it
  because TEXT,                       -- a blob's: the subject that it was hidden with
  status INTEGER NOT NULL DEFAULT 0,  -- an account's: what its own server says meanwhile
  at INTEGER NOT NULL                 -- our clock, milliseconds, as are all
) WITHOUT ROWID;

CREATE INDEX takedowns_by_key ON takedowns (uid, collection, rkey);

CREATE INDEX takedowns_because ON takedowns (because) WHERE because IS NOT NULL;

CREATE INDEX takedowns_of_records ON takedowns (collection) WHERE collection > 0;

CREATE TABLE bans (
  did TEXT PRIMARY KEY,
  at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE moderation_log (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  act TEXT NOT NULL,                  -- hide, show, ban or allow
  subject TEXT NOT NULL,
  by TEXT NOT NULL,
  reason TEXT NOT NULL
, tag TEXT NOT NULL DEFAULT '');

CREATE TABLE arrivals (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  uid INTEGER NOT NULL,               -- who wrote or reposted it
  item INTEGER NOT NULL,              -- item-ids.ts
  at INTEGER NOT NULL                 -- milliseconds, our clock
);

CREATE INDEX arrivals_by_author ON arrivals (uid);

CREATE UNIQUE INDEX arrivals_by_item ON arrivals (item);

CREATE TRIGGER post_is_dropped AFTER DELETE ON posts WHEN OLD.state = 1 BEGIN
  DELETE FROM arrivals WHERE item = OLD.id * 2;
END;

CREATE TRIGGER repost_leaves AFTER DELETE ON reposts BEGIN
  DELETE FROM arrivals WHERE item = OLD.id * 2 + 1;
END;

CREATE INDEX notifications_by_arrival ON notifications (uid);

CREATE TABLE moderation_tags (
  subject TEXT NOT NULL,              -- a DID, or the at-URI of a profile or post
  tag TEXT NOT NULL,
  uid INTEGER NOT NULL,               -- whose it is
  collection INTEGER NOT NULL,        -- CollectionCode; 0: the account itself
  rkey NOT NULL,                      -- '' of an account
  at INTEGER NOT NULL,                -- our clock, milliseconds
  PRIMARY KEY (subject, tag)
) WITHOUT ROWID;

CREATE INDEX moderation_tags_by_key ON moderation_tags (uid, collection, rkey, tag);

CREATE TABLE relation_records (
  uid INTEGER NOT NULL,               -- actors.uid
  collection INTEGER NOT NULL,
  rkey NOT NULL,
  cid BLOB NOT NULL,
  record BLOB NOT NULL,               -- JSON
  PRIMARY KEY (uid, collection, rkey)
) WITHOUT ROWID;

CREATE TABLE kept_identities (
  uid INTEGER PRIMARY KEY,            -- actors.uid; members alone
  as_of INTEGER NOT NULL,             -- when it was asked for; our clock, milliseconds
  identity TEXT                       -- JSON; NULL: nothing that was asked for before as_of counts
);

CREATE TABLE snapshots (
  name TEXT PRIMARY KEY,
  header TEXT NOT NULL                -- JSON
) WITHOUT ROWID;

CREATE VIRTUAL TABLE post_words USING fts5(
  words, content='', contentless_delete=1, tokenize="ascii tokenchars ':'"
);

CREATE TABLE post_stretches (
  first INTEGER PRIMARY KEY,          -- its first period; it ends where the next one begins
  id INTEGER NOT NULL,                -- in front of its words
  posts INTEGER NOT NULL,             -- at least as many as it has
  moved_from INTEGER,                 -- while it is filled: the id of the stretch that it was cut from,
  unmoved INTEGER                     -- and the row from which posts are still indexed there
);

CREATE INDEX post_stretches_filled ON post_stretches (first) WHERE moved_from IS NOT NULL;

CREATE INDEX removals_done ON removals (begun_at) WHERE is_done = 1;

CREATE INDEX removals_under_way ON removals (begun_at, uid) WHERE is_done = 0;

CREATE TABLE act_arrivals (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  uid INTEGER NOT NULL,               -- who likes or follows
  collection INTEGER NOT NULL,        -- of the like or follow; collections.ts
  rkey NOT NULL,
  cid BLOB NOT NULL,
  subject_uid INTEGER NOT NULL,       -- the account, or the owner of the record
  subject_collection INTEGER,         -- of the record; NULL: the account itself
  subject_rkey,
  created_at INTEGER NOT NULL,        -- milliseconds, as the record says
  at INTEGER NOT NULL                 -- milliseconds, our clock
);

CREATE UNIQUE INDEX act_arrivals_by_record ON act_arrivals (uid, collection, rkey);

CREATE INDEX act_arrivals_by_timeline ON act_arrivals (uid, collection);

CREATE TABLE stream_bytes (
  day INTEGER NOT NULL,         -- since 1970, UTC
  host TEXT NOT NULL,
  wire TEXT NOT NULL,
  use TEXT NOT NULL,            -- stream, replay or repair
  kind TEXT NOT NULL,           -- collection or kind of event; '' is what the sockets received
  frames INTEGER NOT NULL,
  received INTEGER NOT NULL,
  plain INTEGER NOT NULL,
  seconds INTEGER NOT NULL,     -- of ''; how long the server ran with this as its live stream
  PRIMARY KEY (day, host, wire, use, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE associated_records (
  id INTEGER PRIMARY KEY,
  uid INTEGER NOT NULL,
  collection INTEGER NOT NULL,
  rkey ANY NOT NULL,
  cid BLOB NOT NULL,
  rev TEXT,
  record BLOB,                -- NULL: this version is not here; as in posts otherwise
  card TEXT,                  -- what cards show of it, as JSON
  missed_at INTEGER,          -- when its server had no such version; milliseconds since 1970
  UNIQUE (uid, collection, rkey, cid)
) STRICT;

CREATE TABLE post_associations (
  post INTEGER NOT NULL,      -- posts.id
  record INTEGER NOT NULL,    -- associated_records.id
  PRIMARY KEY (post, record)
) STRICT, WITHOUT ROWID;

CREATE INDEX post_associations_by_record ON post_associations (record);

CREATE TABLE stream_choices (
  at INTEGER PRIMARY KEY,       -- milliseconds; the latest row is the present choice
  level INTEGER NOT NULL,       -- 0 leaves out nothing (data/store/stream/stream-levels.ts)
  resume TEXT                   -- JSON cursor up to which the authors' own stream has brought everything
) STRICT;

CREATE TABLE stream_paces (
  kind TEXT NOT NULL,           -- collection or kind of event; '' is all that does not depend on the choice
  whose TEXT NOT NULL,          -- all: of the whole network; authors: of members and those they follow
  bytes REAL NOT NULL,          -- both sums fade, so that the last days count
  seconds REAL NOT NULL,
  measured_at INTEGER NOT NULL, -- milliseconds
  PRIMARY KEY (kind, whose)
) STRICT, WITHOUT ROWID;

INSERT INTO post_stretches (first, id, posts, moved_from, unmoved) VALUES (0, 1, 0, NULL, NULL);

PRAGMA user_version = 70;

// The recent past of accounts, replayed from the stream when they become relevant to a member, and how far
// back authors' feeds were read. An account waits in `replay_accounts` without a replay until enough have
// gathered; the replay that takes it is a row of `replays` with its progress, so that it resumes there after
// a restart. Both are deleted when it is done.

export const version = 10

export const sql = /* sql */ `
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
`

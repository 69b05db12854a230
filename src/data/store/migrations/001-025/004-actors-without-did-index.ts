// SQLite never looks up an account by its DID: the in-memory table does that, and keeps DIDs unique. Yet the
// index behind UNIQUE was a fifth of all pages that a batch of new accounts changed, since DIDs are in no
// order, and as large as the accounts themselves.

export const version = 4

const COLUMNS = `uid, did, handle, handle_valid, identity_checked_at, pds, status, status_at, removed_at,
  rev, indexed_at, follows_count, followers_count, posts_count`

export const sql = /* sql */ `
ALTER TABLE actors RENAME TO actors_indexed;
DROP INDEX actors_by_handle;
DROP INDEX actors_not_active;
DROP INDEX actors_removed;
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
INSERT INTO actors (${COLUMNS}) SELECT ${COLUMNS} FROM actors_indexed ORDER BY uid;
DROP TABLE actors_indexed;
CREATE INDEX actors_by_handle ON actors (handle) WHERE handle IS NOT NULL;
CREATE INDEX actors_not_active ON actors (status) WHERE status <> 0;
CREATE INDEX actors_removed ON actors (removed_at) WHERE removed_at IS NOT NULL;
`

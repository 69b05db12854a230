// Private state of members that is in no repository: narrower mutes, muted lists, bookmarks, drafts and
// preferences; also the display order of lists and their members. A bookmark may name a post that is only
// referenced. `cid` is the one that the member saw, as sent; `post_counts` counts bookmarks like likes, so
// that showing them costs nothing. For the same reason a list's row counts the accounts on it.

export const version = 6

export const sql = /* sql */ `
ALTER TABLE mutes ADD COLUMN scope INTEGER NOT NULL DEFAULT 0; -- MuteScope bits, see mutes.ts; 0: all

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
ALTER TABLE post_counts ADD COLUMN bookmarks INTEGER NOT NULL DEFAULT 0;

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

ALTER TABLE lists ADD COLUMN people INTEGER NOT NULL DEFAULT 0; -- on it, each once
UPDATE lists SET people =
  (SELECT count(DISTINCT subject) FROM list_items WHERE list_items.list = lists.id);
CREATE INDEX lists_by_time ON lists (uid, sort_at) WHERE cid IS NOT NULL;
CREATE INDEX list_items_by_time ON list_items (list, sort_at, rkey);
`

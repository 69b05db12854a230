// Words of accounts and posts (FTS5), without the texts. Rows to reindex are queued in the transaction that
// changed them and processed soon after (ingest/indexing/search/search-upkeep.ts); a reader checks its matches
// against the rows. Row numbers put the most wanted rows next to each other, so that a page is read without
// scanning all matches: accounts by number of followers (band, descending), posts by time.

export const version = 5

export const sql = /* sql */ `
CREATE TABLE search_queue (
  kind INTEGER NOT NULL,              -- see search/queue.ts
  id INTEGER NOT NULL,
  was INTEGER,                        -- of a post: sort_at as it is indexed
  PRIMARY KEY (kind, id)
) WITHOUT ROWID;
CREATE TABLE search_backlog (kind INTEGER PRIMARY KEY, below INTEGER NOT NULL);
INSERT INTO search_backlog SELECT 1, max(uid) + 1 FROM actors HAVING max(uid) IS NOT NULL;
INSERT INTO search_backlog SELECT 2, max(id) + 1 FROM posts HAVING max(id) IS NOT NULL;

-- As indexed: what has to be known to take it out again.
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
CREATE VIRTUAL TABLE post_words USING fts5(
  words, content='', contentless_delete=1, tokenize="ascii tokenchars ':'"
);
`

// The index of post words is cut by time into stretches of some ten thousand posts: a word is indexed with
// the number of its stretch in front, so a search reads the lists of one stretch at a time
// (search/stretches.ts). The index is built anew, newest posts first, unless the disk has no room for it.

export const version = 40

export const sql = /* sql */ `
DROP TABLE post_words;
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
INSERT INTO post_stretches (first, id, posts) VALUES (0, 1, 0);
DELETE FROM meta WHERE key = 'search.posts';
INSERT OR REPLACE INTO search_backlog SELECT 2, max(id) + 1 FROM posts
  HAVING max(id) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM meta WHERE key = 'search.given-up');
`

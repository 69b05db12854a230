// Accounts mentioned in posts, so that a new member finds earlier mentions. Most mentioned accounts have no
// row here and so no uid: a digest of the DID is stored, and a reader checks the record
// (ingest/indexing/notifications/notify-backlog.ts). Older posts are read bit by bit, as for search.

export const version = 20

export const sql = /* sql */ `
CREATE TABLE mentions (
  did INTEGER NOT NULL,               -- 48 bits of the SHA-256 of the DID
  post INTEGER NOT NULL,              -- posts.id
  PRIMARY KEY (did, post)
) WITHOUT ROWID;
CREATE INDEX mentions_by_post ON mentions (post);
INSERT INTO search_backlog SELECT 3, max(id) + 1 FROM posts HAVING max(id) IS NOT NULL;
`

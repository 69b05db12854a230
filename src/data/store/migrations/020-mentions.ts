// Whom posts mention, so that somebody who comes to read here finds what mentioned them before. Most of those
// who are mentioned are nobody here, so they have no number: a digest of the DID stands for them, and a reader
// looks into the record (ingest/indexing/notify-backlog.ts). Posts from before are read bit by bit, as for search.

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

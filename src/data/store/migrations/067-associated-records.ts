// Records that the link cards of posts name, each in the version (CID) that a post names: articles and publications of
// standard.site. A row is there as long as a post here names it.

export const version = 67

export const sql = /* sql */ `
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
`

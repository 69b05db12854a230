// Records of blocks, list items and list blocks that contain more than their rows store: an official AppView
// on our data plane shows them as they were written.

export const version = 36

export const sql = /* sql */ `
CREATE TABLE relation_records (
  uid INTEGER NOT NULL,               -- actors.uid
  collection INTEGER NOT NULL,
  rkey NOT NULL,
  cid BLOB NOT NULL,
  record BLOB NOT NULL,               -- JSON
  PRIMARY KEY (uid, collection, rkey)
) WITHOUT ROWID;
`

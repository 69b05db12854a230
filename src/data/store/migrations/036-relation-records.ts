// Blocks, lists' items and blocks of lists whose records say more than their rows keep: an official AppView on our data
// plane shows them as they were written.

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

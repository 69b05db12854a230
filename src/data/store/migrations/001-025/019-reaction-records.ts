// Records of likes, reposts and follows that contain more than their rows store: their exact own time, or the
// repost they came via. New members see them in their notifications as they were written. Only the newest are
// kept (data/store/records/reaction-records.ts).

export const version = 19

export const sql = /* sql */ `
CREATE TABLE reaction_records (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid INTEGER NOT NULL,               -- actors.uid
  collection INTEGER NOT NULL,
  rkey NOT NULL,
  cid BLOB NOT NULL,
  record BLOB NOT NULL,               -- JSON
  via_uid INTEGER,                    -- whose repost led to it
  via_rkey
);
CREATE UNIQUE INDEX reaction_records_by_key ON reaction_records (uid, collection, rkey);
CREATE INDEX reaction_records_by_via ON reaction_records (via_uid, id) WHERE via_uid IS NOT NULL;
`

// The order in which members' likes and follows arrived, for the timelines `likes:` and `follows:`. Those that were
// here before have no number: their packed lists do not know when they arrived.

export const version = 50

export const sql = /* sql */ `
CREATE TABLE act_arrivals (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  uid INTEGER NOT NULL,               -- who likes or follows
  collection INTEGER NOT NULL,        -- of the like or follow; collections.ts
  rkey NOT NULL,
  cid BLOB NOT NULL,
  subject_uid INTEGER NOT NULL,       -- the account, or the owner of the record
  subject_collection INTEGER,         -- of the record; NULL: the account itself
  subject_rkey,
  created_at INTEGER NOT NULL,        -- milliseconds, as the record says
  at INTEGER NOT NULL                 -- milliseconds, our clock
);
CREATE UNIQUE INDEX act_arrivals_by_record ON act_arrivals (uid, collection, rkey);
CREATE INDEX act_arrivals_by_timeline ON act_arrivals (uid, collection);
`

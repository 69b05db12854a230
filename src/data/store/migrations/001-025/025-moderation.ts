// The operator's takedowns and bans, and a log of who did what, when and why.
//
// A takedown is keyed by its subject's text form, since it may arrive before the record, and must hold when
// the record arrives, or arrives again.

export const version = 25

export const sql = /* sql */ `
CREATE TABLE takedowns (
  subject TEXT PRIMARY KEY,           -- a DID, an at-URI, or of a blob the DID, a space and its CID
  uid INTEGER NOT NULL,               -- whose it is
  collection INTEGER NOT NULL,        -- CollectionCode; 0: the account itself; -1: a blob, or nothing we index
  rkey NOT NULL,                      -- '' where it is no record
  ref TEXT NOT NULL,                  -- what the moderators call it
  because TEXT,                       -- a blob's: the subject that it was hidden with
  status INTEGER NOT NULL DEFAULT 0,  -- an account's: what its own server says meanwhile
  at INTEGER NOT NULL                 -- our clock, milliseconds, as are all
) WITHOUT ROWID;
CREATE INDEX takedowns_by_key ON takedowns (uid, collection, rkey);
CREATE INDEX takedowns_because ON takedowns (because) WHERE because IS NOT NULL;
CREATE INDEX takedowns_of_records ON takedowns (collection) WHERE collection > 0;

CREATE TABLE bans (
  did TEXT PRIMARY KEY,
  at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE moderation_log (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  act TEXT NOT NULL,                  -- hide, show, ban or allow
  subject TEXT NOT NULL,
  by TEXT NOT NULL,
  reason TEXT NOT NULL
);
`

// Labels, and the labelers whose streams are followed. A label is on an account or on one of its records,
// which is identified by its key as in all other tables (an account is collection 0 and the empty key).
// Labels on accounts that no row here refers to are not kept; those for shown accounts are queried. A
// negation stays as a row, so that an older label that arrives late does not revive.

export const version = 7

export const sql = /* sql */ `
CREATE TABLE labels (
  uid INTEGER NOT NULL,               -- the account, or the creator of the record
  collection INTEGER NOT NULL,        -- CollectionCode; 0: the account itself
  rkey NOT NULL,                      -- '' for the account itself
  src INTEGER NOT NULL,               -- actors.uid of the labeler
  val TEXT NOT NULL,
  neg INTEGER NOT NULL,               -- 1: withdrawn
  cid TEXT,                           -- the version that it is about, where it says so
  cts_ms INTEGER NOT NULL,            -- when it was made
  cts TEXT,                           -- as it came, where it is not written as we would
  exp_ms INTEGER,
  exp TEXT,
  PRIMARY KEY (uid, collection, rkey, src, val)
) WITHOUT ROWID;
CREATE INDEX labels_expiring ON labels (exp_ms) WHERE exp_ms IS NOT NULL;

CREATE TABLE labelers (
  uid INTEGER PRIMARY KEY,
  named_at INTEGER NOT NULL,          -- milliseconds: when a member's request last named it
  cursor INTEGER                      -- seq of the last frame applied; NULL: never streamed
);
`

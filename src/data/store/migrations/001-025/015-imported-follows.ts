// Data for imports of follows (data/store/records/keyless-follows.ts): accounts with follows whose record keys are
// unknown, and recently unfollowed pairs, so that an older list does not restore them.

export const version = 15

export const sql = /* sql */ `
CREATE TABLE keyless_follows (
  creator INTEGER PRIMARY KEY         -- actors.uid: some of their follows have made-up keys
);
CREATE TABLE unfollows (
  creator INTEGER NOT NULL,           -- actors.uid
  subject INTEGER NOT NULL,           -- actors.uid
  at INTEGER NOT NULL,                -- our clock when it was applied
  PRIMARY KEY (creator, subject)
) WITHOUT ROWID;
CREATE INDEX unfollows_by_age ON unfollows (at);
`

// What an import of follows has to know (data/store/keyless-follows.ts): who has follows whose record keys
// nobody told us, and which pairs came apart lately, so that a list from before does not join them.

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

// What members have seen of For You, and of whom they want less: private state.

export const version = 60

export const sql = /* sql */ `
CREATE TABLE for_you_seen (
  uid INTEGER PRIMARY KEY,
  posts BLOB NOT NULL                 -- hashes of posts, four bytes each, the latest last
);

CREATE TABLE for_you_less (
  uid INTEGER NOT NULL,
  author INTEGER NOT NULL,            -- actors.uid
  times INTEGER NOT NULL,             -- how often; from 2 on, none of this author
  at INTEGER NOT NULL,                -- milliseconds
  PRIMARY KEY (uid, author)
) WITHOUT ROWID;
`

// Counts from before we started counting: by how much a public AppView's counts exceeded ours when it was
// asked. Kept apart from our own counts (post_counts, actors), which continue unchanged; views show the sum.
// A row of zeros means that it was asked and had no more; a negative number, that it had fewer.

export const version = 16

export const sql = /* sql */ `
CREATE TABLE earlier_post_counts (
  post INTEGER PRIMARY KEY,           -- posts.id
  likes INTEGER NOT NULL,
  reposts INTEGER NOT NULL,
  replies INTEGER NOT NULL,
  quotes INTEGER NOT NULL,
  asked_at INTEGER NOT NULL           -- our clock when it was asked, milliseconds
);
CREATE TABLE earlier_actor_counts (
  uid INTEGER PRIMARY KEY,            -- actors.uid
  follows INTEGER NOT NULL,           -- 0 where the whole list is here
  followers INTEGER NOT NULL,
  posts INTEGER NOT NULL,
  asked_at INTEGER NOT NULL
);
`

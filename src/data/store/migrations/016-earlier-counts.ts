// What was counted before we counted: how much more than we ever saw a public AppView had when it was
// asked. It stands apart from our own counts (post_counts, actors), which go on as ever; what is shown is
// the sum. A row of zeros says that it was asked, and knew of no more; less than zero, that it knew of fewer.

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

// Watch time of a post's videos per day: sums only, no data about viewers.

export const version = 30

export const sql = /* sql */ `
CREATE TABLE video_watches (
  uid INTEGER NOT NULL,               -- the post's author
  day INTEGER NOT NULL,               -- UTC, since 1970
  rkey NOT NULL,                      -- the post's, as posts.rkey
  milliseconds INTEGER NOT NULL,
  sessions INTEGER NOT NULL,          -- that began to watch on that day
  PRIMARY KEY (uid, day, rkey)
) WITHOUT ROWID;
CREATE INDEX video_watches_by_post ON video_watches (uid, rkey, day);
CREATE INDEX video_watches_by_day ON video_watches (day);
`

// For how long videos were watched on a day, all together: what the operator sees, without whose they are. It goes on
// standing where an author's rows go with their membership, and is read without summing up hundreds of thousands.

export const version = 33

export const sql = /* sql */ `
CREATE TABLE video_days (
  day INTEGER PRIMARY KEY,            -- UTC, since 1970
  milliseconds INTEGER NOT NULL,
  sessions INTEGER NOT NULL           -- that began to watch on that day
);
INSERT INTO video_days SELECT day, sum(milliseconds), sum(sessions) FROM video_watches GROUP BY day;
`

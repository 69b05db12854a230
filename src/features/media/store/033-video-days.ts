// Total watch time of all videos per day: the operator's figure, without authors. It remains when an author's
// rows are removed with their membership, and needs no sum over hundreds of thousands of rows.

export const version = 33

export const sql = /* sql */ `
CREATE TABLE video_days (
  day INTEGER PRIMARY KEY,            -- UTC, since 1970
  milliseconds INTEGER NOT NULL,
  sessions INTEGER NOT NULL           -- that began to watch on that day
);
INSERT INTO video_days SELECT day, sum(milliseconds), sum(sessions) FROM video_watches GROUP BY day;
`

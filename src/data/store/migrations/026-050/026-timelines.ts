// The order in which posts and reposts arrived. `arrivals` has exactly one row for each post and repost
// stored here (data/store/timelines/arrivals.ts, and the triggers of deletions). A number is never reused, even after its row
// is deleted. Existing items count as arrived in order of their time.

export const version = 26

export const sql = /* sql */ `
CREATE TABLE arrivals (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  uid INTEGER NOT NULL,               -- who wrote or reposted it
  item INTEGER NOT NULL,              -- item-ids.ts
  at INTEGER NOT NULL                 -- milliseconds, our clock
);
INSERT INTO arrivals (uid, item, at) SELECT uid, item, sort_at FROM (
  SELECT uid, id * 2 AS item, sort_at FROM posts INDEXED BY posts_by_author WHERE state = 1
  UNION ALL SELECT uid, id * 2 + 1, sort_at FROM reposts
) ORDER BY sort_at, item;
CREATE INDEX arrivals_by_author ON arrivals (uid);
CREATE UNIQUE INDEX arrivals_by_item ON arrivals (item);

CREATE TRIGGER post_arrives AFTER UPDATE OF state ON posts WHEN NEW.state = 1 AND OLD.state <> 1 BEGIN
  INSERT INTO arrivals (uid, item, at)
    VALUES (NEW.uid, NEW.id * 2, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
CREATE TRIGGER post_leaves AFTER UPDATE OF state ON posts WHEN OLD.state = 1 AND NEW.state <> 1 BEGIN
  DELETE FROM arrivals WHERE item = OLD.id * 2;
END;
CREATE TRIGGER post_is_dropped AFTER DELETE ON posts WHEN OLD.state = 1 BEGIN
  DELETE FROM arrivals WHERE item = OLD.id * 2;
END;
CREATE TRIGGER repost_arrives AFTER INSERT ON reposts BEGIN
  INSERT INTO arrivals (uid, item, at)
    VALUES (NEW.uid, NEW.id * 2 + 1, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
CREATE TRIGGER repost_leaves AFTER DELETE ON reposts BEGIN
  DELETE FROM arrivals WHERE item = OLD.id * 2 + 1;
END;

CREATE INDEX notifications_by_arrival ON notifications (uid);
`

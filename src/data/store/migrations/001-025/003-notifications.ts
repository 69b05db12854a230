// Members' notifications and their settings. The key of a notification is the record that caused it (creator, collection and
// record key), its recipient and its reason. Posts and profiles are read from their own tables; for other records the row
// keeps CID and JSON, since likes and follows are stored without. The subject belongs to the recipient, so collection and
// record key identify it. An older database starts without rows: `has_backlog` tells the ingest thread whose backlog is still
// to be built (ingest/indexing/notifications/notify-backlog.ts).

export const version = 3

export const sql = /* sql */ `
CREATE TABLE notifications (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid INTEGER NOT NULL,               -- whom it tells
  sort_at INTEGER NOT NULL,           -- the record's
  reason INTEGER NOT NULL,            -- see notification-reasons.ts
  author INTEGER NOT NULL,            -- the record's creator
  collection INTEGER NOT NULL,        -- CollectionCode of the record
  rkey NOT NULL,
  cid BLOB,                           -- NULL, with the record, for posts and profiles
  record BLOB,                        -- JSON
  subject_collection INTEGER,         -- see notification-subjects.ts; NULL where it is about nothing else
  subject_rkey
);
CREATE INDEX notifications_by_time ON notifications (uid, sort_at);
CREATE UNIQUE INDEX notifications_by_record
  ON notifications (author, collection, rkey, uid, reason);

-- Private state: it lives in no repository, only here.
CREATE TABLE notification_settings (
  uid INTEGER PRIMARY KEY,
  since INTEGER,                      -- what is older was there before the member was
  has_backlog INTEGER NOT NULL DEFAULT 0,
  seen_at INTEGER,
  priority INTEGER NOT NULL DEFAULT 0,
  preferences TEXT                    -- JSON of what was set, see notification-preferences.ts
);

CREATE TABLE activity_subscriptions (
  uid INTEGER NOT NULL,
  subject INTEGER NOT NULL,
  post INTEGER NOT NULL,
  reply INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (uid, subject)
) WITHOUT ROWID;
CREATE INDEX activity_subscriptions_by_subject ON activity_subscriptions (subject, uid);
`

// Writes of an official AppView by bsync, in order, for other readers of that stream; and the accounts' ages
// as it determined them, which are in no record.

export const version = 34

export const sql = /* sql */ `
CREATE TABLE bsync_operations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  stream INTEGER NOT NULL,            -- which of the three: store/bsync-operations.ts
  did TEXT NOT NULL,
  namespace TEXT NOT NULL,            -- '' for mutes and the settings of notifications
  operation BLOB NOT NULL             -- a message of bsync.proto, without its id
);
CREATE INDEX bsync_operations_in_order ON bsync_operations (stream, id);
CREATE INDEX bsync_operations_by_actor ON bsync_operations (did);

CREATE TABLE age_assurance (
  uid INTEGER PRIMARY KEY,
  status TEXT NOT NULL,
  access TEXT,
  initiated_at INTEGER                -- milliseconds since 1970
);
`

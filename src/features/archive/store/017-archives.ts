// Progress through the archive of each Jetstream host that was ever started.

export const version = 17

export const sql = /* sql */ `
CREATE TABLE archives (
  host TEXT PRIMARY KEY,
  seq INTEGER NOT NULL,               -- all up to it is applied; counts on this host alone
  time_us INTEGER NOT NULL,           -- the latest event's; 0 before the first
  tip_seq INTEGER NOT NULL,           -- where the archive ended when last asked
  events INTEGER NOT NULL,
  bytes INTEGER NOT NULL,             -- received
  lost_blocks INTEGER NOT NULL,
  day INTEGER NOT NULL,               -- since 1970, UTC
  day_bytes INTEGER NOT NULL,         -- received on that day
  started_at INTEGER NOT NULL,        -- our clock
  finished_at INTEGER                 -- NULL: the stream has not taken over yet
) WITHOUT ROWID;
`

// Metrics over time: three rings of samples, each a fixed number of slots that are overwritten, so that the
// table never grows: 10 seconds for an hour, a minute for a day, ten minutes for thirty days. Unknown values
// are NULL.

export const version = 13

export const sql = /* sql */ `
CREATE TABLE history (
  step_s INTEGER NOT NULL,            -- which ring: seconds from slot to slot
  slot INTEGER NOT NULL,              -- (at / step) modulo the ring's length
  at INTEGER NOT NULL,                -- our clock, where the slot begins
  events_s REAL,                      -- events received a second
  lag_ms REAL,                        -- behind the network
  visible_ms REAL,                    -- from a frame's arrival to its visibility, 99th percentile
  requests_s REAL,
  failures_s REAL,                    -- answers that say it is our fault
  answer_p50_ms REAL,
  answer_p99_ms REAL,
  memory_bytes REAL,
  database_bytes REAL,
  disk_free_bytes REAL,
  members REAL,
  timelines REAL,
  actors REAL,
  follows REAL,
  jobs REAL,
  open_gaps REAL,
  PRIMARY KEY (step_s, slot)
) WITHOUT ROWID;
`

// What the streams received, in bytes, by day. Until now nothing said what a month of them costs, or which
// collections and connections it goes to.

export const version = 62

export const sql = /* sql */ `
CREATE TABLE stream_bytes (
  day INTEGER NOT NULL,         -- since 1970, UTC
  host TEXT NOT NULL,
  wire TEXT NOT NULL,
  use TEXT NOT NULL,            -- stream, replay or repair
  kind TEXT NOT NULL,           -- collection or kind of event; '' is what the sockets received
  frames INTEGER NOT NULL,
  received INTEGER NOT NULL,
  plain INTEGER NOT NULL,
  seconds INTEGER NOT NULL,     -- of ''; how long the server ran with this as its live stream
  PRIMARY KEY (day, host, wire, use, kind)
) STRICT, WITHOUT ROWID;
`

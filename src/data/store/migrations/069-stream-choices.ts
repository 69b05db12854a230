// What the stream leaves out to stay within the month's bytes, since when, and the paces by which that is
// chosen. Stored, because a month outlives many processes, and because counts from that time are incomplete.

export const version = 69

export const sql = /* sql */ `
CREATE TABLE stream_choices (
  at INTEGER PRIMARY KEY,       -- milliseconds; the latest row is the present choice
  level INTEGER NOT NULL,       -- 0 leaves out nothing (data/store/stream/stream-levels.ts)
  resume TEXT                   -- JSON cursor up to which the authors' own stream has brought everything
) STRICT;
CREATE TABLE stream_paces (
  kind TEXT NOT NULL,           -- collection or kind of event; '' is all that does not depend on the choice
  whose TEXT NOT NULL,          -- all: of the whole network; authors: of members and those they follow
  bytes REAL NOT NULL,          -- both sums fade, so that the last days count
  seconds REAL NOT NULL,
  measured_at INTEGER NOT NULL, -- milliseconds
  PRIMARY KEY (kind, whose)
) STRICT, WITHOUT ROWID;
`

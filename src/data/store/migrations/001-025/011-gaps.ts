// Adds to gaps what their repair needs: the account, the progress of the repair, and its outcome.
//
// A gap belongs either to the whole stream (`uid` NULL, `host` is where it was noticed) or to one account. An
// account has at most one unclosed gap: later finds widen it. Accounts being removed after their deletion are
// in `removals`, since that happens in slices.

export const version = 11

export const sql = /* sql */ `
ALTER TABLE gaps ADD COLUMN uid INTEGER;
ALTER TABLE gaps ADD COLUMN times INTEGER NOT NULL DEFAULT 1;   -- how often it was found
ALTER TABLE gaps ADD COLUMN step TEXT;                          -- replay or compare; NULL before
ALTER TABLE gaps ADD COLUMN reached INTEGER NOT NULL DEFAULT 0; -- replay: microseconds; compare: uid
ALTER TABLE gaps ADD COLUMN compared INTEGER NOT NULL DEFAULT 0; -- repositories looked at
ALTER TABLE gaps ADD COLUMN unreachable INTEGER NOT NULL DEFAULT 0; -- of those, not to be read
ALTER TABLE gaps ADD COLUMN retry_at INTEGER NOT NULL DEFAULT 0; -- our clock; not before this
ALTER TABLE gaps ADD COLUMN how TEXT;                           -- how it was closed
ALTER TABLE gaps ADD COLUMN note TEXT;                          -- what could not be repaired
CREATE UNIQUE INDEX gaps_of_account ON gaps (uid) WHERE uid IS NOT NULL AND state <> 'closed';
CREATE INDEX gaps_not_closed ON gaps (retry_at) WHERE state <> 'closed';
CREATE INDEX gaps_closed ON gaps (closed_at) WHERE state = 'closed';

-- 1: the time is our clock's, and nothing was received yet (a new folder).
ALTER TABLE stream_cursors ADD COLUMN by_clock INTEGER NOT NULL DEFAULT 0;

CREATE TABLE removals (
  uid INTEGER PRIMARY KEY,            -- deleted account whose rows go slice by slice
  begun_at INTEGER NOT NULL           -- our clock
);
`

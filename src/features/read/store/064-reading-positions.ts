// Where members stopped reading, by timeline: private state, which is in no repository.

export const version = 64

export const sql = /* sql */ `
CREATE TABLE reading_positions (
  uid INTEGER NOT NULL,
  timeline TEXT NOT NULL,             -- 'following', or the at-URI of a list
  position TEXT NOT NULL,             -- of the topmost post, in the form of a cursor
  updated_at INTEGER NOT NULL,        -- milliseconds
  PRIMARY KEY (uid, timeline)
) WITHOUT ROWID;
`

// How far this node has followed the posts of programs to timelines that nodes share on an engine.

export const version = 31

export const sql = /* sql */ `
CREATE TABLE shared_timelines (
  name TEXT NOT NULL,
  place TEXT NOT NULL,                -- which engine that is
  version INTEGER NOT NULL,           -- the last entry of its log that is here
  PRIMARY KEY (name, place)
) WITHOUT ROWID;
`

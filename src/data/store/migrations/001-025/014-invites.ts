// Accounts admitted to a closed server, besides those that the configuration names: by the operator or by an
// invite.
//
// An admitted account is identified by its DID alone: it has no uid before it is a member.

export const version = 14

export const sql = /* sql */ `
CREATE TABLE invites (
  code TEXT PRIMARY KEY,
  note TEXT NOT NULL,                 -- the operator's, for themselves
  max_uses INTEGER NOT NULL,
  uses INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,        -- our clock, milliseconds, as are all
  expires_at INTEGER,                 -- NULL: never
  disabled_at INTEGER
) WITHOUT ROWID;

CREATE TABLE admissions (
  did TEXT PRIMARY KEY,
  code TEXT,                          -- the invite; NULL: the operator's word
  admitted_at INTEGER NOT NULL
) WITHOUT ROWID;
`

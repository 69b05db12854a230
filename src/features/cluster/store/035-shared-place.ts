// The state that nodes share on an engine, as far as this node has applied it: the number of the latest
// change per key.

export const version = 35

export const sql = /* sql */ `
CREATE TABLE shared_places (
  place TEXT PRIMARY KEY,             -- the engine's identity (engine/schema.ts)
  version INTEGER NOT NULL            -- the last change that is here
) WITHOUT ROWID;
CREATE TABLE shared_keys (
  key TEXT PRIMARY KEY,               -- cluster-state/cluster-doc.ts
  number INTEGER NOT NULL,
  is_gone INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX shared_keys_gone ON shared_keys (number) WHERE is_gone = 1;
`

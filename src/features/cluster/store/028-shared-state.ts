// For each member, the last change of the private state shared on an engine that this node has applied, and
// the engine.

export const version = 28

export const sql = /* sql */ `
CREATE TABLE shared_state (
  uid INTEGER PRIMARY KEY,
  place TEXT NOT NULL,                -- the engine's identity (engine/schema.ts)
  version INTEGER NOT NULL
);
`

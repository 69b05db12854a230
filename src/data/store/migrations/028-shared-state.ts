// Up to which change of a member's private state this node has what the nodes share on an engine, and on which.

export const version = 28

export const sql = /* sql */ `
CREATE TABLE shared_state (
  uid INTEGER PRIMARY KEY,
  place TEXT NOT NULL,                -- the engine's identity (data/engine/schema.ts)
  version INTEGER NOT NULL
);
`

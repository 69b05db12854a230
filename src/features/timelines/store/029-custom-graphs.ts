// Follow graphs that programs write, each in its own namespace.

export const version = 29

export const sql = /* sql */ `
CREATE TABLE custom_graphs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,                   -- NULL: deleted, and cleared away bit by bit
  created_at INTEGER NOT NULL,
  edges INTEGER NOT NULL DEFAULT 0,
  load TEXT,                          -- the load that wrote last, as its client calls it
  load_lines INTEGER NOT NULL DEFAULT 0 -- how many of its lines are applied
);
CREATE INDEX custom_graphs_deleted ON custom_graphs (id) WHERE name IS NULL;

-- Whoever follows or is followed in one of them.
CREATE TABLE custom_graph_accounts (
  id INTEGER PRIMARY KEY,
  graph INTEGER NOT NULL,
  name TEXT NOT NULL,
  follows INTEGER NOT NULL DEFAULT 0,
  followers INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX custom_graph_accounts_by_name ON custom_graph_accounts (graph, name);
CREATE INDEX custom_graph_accounts_in_order ON custom_graph_accounts (graph);

CREATE TABLE custom_graph_edges (
  creator INTEGER NOT NULL,           -- custom_graph_accounts.id, as is subject
  subject INTEGER NOT NULL,
  PRIMARY KEY (creator, subject)
) WITHOUT ROWID;
CREATE INDEX custom_graph_edges_by_subject ON custom_graph_edges (subject, creator);
`

// What may be needed by nobody any more (indexing/retention/): accounts and posts that are to be looked at,
// since somebody left, or what pointed at them went. A doubt is worked off in slices, and says how far it is.
//
// Whether an author points at a post has to be found from the post's side: parents and quotes have an
// index, and so have now the roots of replies further down.

export const version = 12

export const sql = /* sql */ `
CREATE TABLE doubts (
  kind INTEGER NOT NULL,              -- see data/store/gc-candidates.ts
  id INTEGER NOT NULL,                -- actors.uid or posts.id
  step INTEGER NOT NULL DEFAULT 0,
  reached,                            -- where the step goes on; NULL: at its beginning
  PRIMARY KEY (kind, id)
) WITHOUT ROWID;
CREATE INDEX posts_by_far_root ON posts (root) WHERE root IS NOT NULL AND root <> parent;
CREATE INDEX thread_mutes_by_root ON thread_mutes (root);
CREATE INDEX mutes_by_subject ON mutes (subject);
`

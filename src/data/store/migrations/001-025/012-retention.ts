// Rows that may no longer be needed (indexing/retention/): accounts and posts to examine because a member
// left or a row that pointed at them was removed. A doubt is processed in slices and stores its progress.
//
// Whether an author points at a post must be found from the post's side: parents and quotes have an index,
// and now so do the roots of deeper replies.

export const version = 12

export const sql = /* sql */ `
CREATE TABLE doubts (
  kind INTEGER NOT NULL,              -- see data/store/removal/gc-candidates.ts
  id INTEGER NOT NULL,                -- actors.uid or posts.id
  step INTEGER NOT NULL DEFAULT 0,
  reached,                            -- where the step goes on; NULL: at its beginning
  PRIMARY KEY (kind, id)
) WITHOUT ROWID;
CREATE INDEX posts_by_far_root ON posts (root) WHERE root IS NOT NULL AND root <> parent;
CREATE INDEX thread_mutes_by_root ON thread_mutes (root);
CREATE INDEX mutes_by_subject ON mutes (subject);
`

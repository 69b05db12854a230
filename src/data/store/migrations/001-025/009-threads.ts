// Threads: replies by a thread's owner, muted threads, and indexes for the pages of accounts that reposted
// and posts that quoted a post, newest first.
//
// A deleted reply of the owner keeps its place (`deleted_at`): the owner's line of replies may continue below
// it, see answers/skeleton/op-thread.ts.

export const version = 9

export const sql = /* sql */ `
CREATE TABLE op_replies (
  root INTEGER NOT NULL,              -- posts.id
  post INTEGER NOT NULL,              -- posts.id of a reply by the root's creator
  parent INTEGER NOT NULL,
  deleted_at INTEGER,                 -- our clock; NULL while it is there
  PRIMARY KEY (root, post)
) WITHOUT ROWID;
INSERT INTO op_replies
  SELECT p.root, p.id, p.parent, NULL FROM posts p CROSS JOIN posts r ON r.id = p.root
  WHERE p.parent IS NOT NULL AND p.state = 1 AND r.uid = p.uid ORDER BY p.root, p.id;

-- Private state: it lives in no repository, only here.
CREATE TABLE thread_mutes (
  uid INTEGER NOT NULL,
  root INTEGER NOT NULL,              -- posts.id
  created_at INTEGER NOT NULL,
  PRIMARY KEY (uid, root)
) WITHOUT ROWID;

DROP INDEX posts_by_quote;
CREATE INDEX posts_by_quote ON posts (quote, sort_at) WHERE quote IS NOT NULL;
CREATE INDEX reposts_by_subject_time ON reposts (subject, sort_at);
`

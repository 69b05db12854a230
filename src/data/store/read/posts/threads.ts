// Threads from rows: a post's ancestors, replies by parent, and the replies of a thread's owner. All reads
// are limited: a thread may have any number of posts.

import type { PackedRkey } from '../../../../base/atproto/keys.ts'
import { type Db, idList } from '../id-list.ts'

/** The fields of a reply needed to select among many. */
export type ReplyRow = [
  id: number,
  parent: number,
  uid: number,
  sortAt: number,
  likes: number,
  replies: number,
]

export type OpReplyRow = [
  post: number,
  parent: number,
  deletedAt: number | null,
  rkey: PackedRkey,
  /** Set when reading several threads. */
  root?: number,
]

export type ThreadReader = {
  /** posts.id from the parent upwards. */
  above(post: number, height: number): number[]
  /** In arbitrary order. */
  replies(parents: readonly number[], limit: number): ReplyRow[]
  /** The first or the last replies to arrive for one post. */
  someReplies(parent: number, order: 'first' | 'last', limit: number): ReplyRow[]
  /** Replies to this post among the account's latest posts. */
  repliesBy(uid: number, parent: number): ReplyRow[]
  /** Replies to this post by the thread's owner. */
  opRepliesTo(root: number, parent: number): ReplyRow[]
  /** Number of replies that break no rule. */
  replyCount(post: number): number
  opReplies(root: number): OpReplyRow[]
  /** The same for many, by root; roots without any are omitted. */
  opRepliesOfEach(roots: Iterable<number>): Map<number, OpReplyRow[]>
  /** posts.id of the root that a post names; its own id if it is no reply. */
  rootOf(post: number): number
}

/** Number of the account's newest posts that are searched for its replies. */
const OWN_POSTS = 100
const MAX_OP_REPLIES = 2_000

const COLUMNS = 'p.id, p.parent, p.uid, p.sort_at, coalesce(c.likes, 0), coalesce(c.replies, 0)'
const COUNTS = 'LEFT JOIN post_counts c ON c.post = p.id'

const ABOVE = /* sql */ `
WITH RECURSIVE up (id, parent, height) AS (
  SELECT id, parent, 0 FROM posts WHERE id = ?
  UNION ALL
  SELECT p.id, p.parent, height + 1 FROM up CROSS JOIN posts p ON p.id = up.parent
    WHERE up.height < ?
) SELECT id FROM up WHERE height > 0 ORDER BY height`

const REPLIES = /* sql */ `
SELECT ${COLUMNS} FROM json_each(?) ids
CROSS JOIN posts p ON p.parent = ids.value AND p.state = 1 ${COUNTS} LIMIT +?`

const someReplies = (direction: 'ASC' | 'DESC') => /* sql */ `
SELECT ${COLUMNS} FROM posts p ${COUNTS}
WHERE p.parent = +? AND p.state = 1 ORDER BY p.id ${direction} LIMIT +?`

const REPLIES_BY = /* sql */ `
SELECT ${COLUMNS} FROM (SELECT * FROM posts WHERE uid = +? AND state = 1
  ORDER BY sort_at DESC LIMIT ${OWN_POSTS}) p ${COUNTS} WHERE p.parent = +?`

const OP_REPLIES = /* sql */ `
SELECT o.post, o.parent, o.deleted_at, p.rkey FROM op_replies o CROSS JOIN posts p ON p.id = o.post
WHERE o.root = ? ORDER BY o.post LIMIT ${MAX_OP_REPLIES}`

const OP_REPLIES_OF_EACH = /* sql */ `
SELECT o.post, o.parent, o.deleted_at, p.rkey, o.root FROM json_each(?) ids
CROSS JOIN op_replies o ON o.root = ids.value AND o.post IN
  (SELECT post FROM op_replies WHERE root = ids.value ORDER BY post LIMIT ${MAX_OP_REPLIES})
CROSS JOIN posts p ON p.id = o.post ORDER BY o.root, o.post`

const OP_REPLIES_TO = /* sql */ `
SELECT ${COLUMNS} FROM (SELECT post FROM op_replies WHERE root = ? LIMIT ${MAX_OP_REPLIES}) o
CROSS JOIN posts p ON p.id = o.post AND p.state = 1 ${COUNTS} WHERE p.parent = ?`

export function prepareThreads(db: Db): ThreadReader {
  const above = db.prepare<[number, number], number>(ABOVE).pluck()
  const replies = db.prepare<[string, number], ReplyRow>(REPLIES).raw()
  const first = db.prepare<[number, number], ReplyRow>(someReplies('ASC')).raw()
  const last = db.prepare<[number, number], ReplyRow>(someReplies('DESC')).raw()
  const by = db.prepare<[number, number], ReplyRow>(REPLIES_BY).raw()
  const opRepliesTo = db.prepare<[number, number], ReplyRow>(OP_REPLIES_TO).raw()
  const opReplies = db.prepare<[number], OpReplyRow>(OP_REPLIES).raw()
  const opRepliesOfEach = db.prepare<[string], OpReplyRow>(OP_REPLIES_OF_EACH).raw()
  const count = db
    .prepare<[number], number>('SELECT replies FROM post_counts WHERE post = ?')
    .pluck()
  const root = db
    .prepare<[number], number>('SELECT coalesce(root, id) FROM posts WHERE id = ?')
    .pluck()
  const rows = <T>(found: unknown) => found as T[]
  return {
    above: (post, height) => above.all(post, height),
    replies: (parents, limit) => rows(replies.all(idList(parents), limit)),
    someReplies: (parent, order, limit) =>
      rows((order === 'first' ? first : last).all(parent, limit)),
    repliesBy: (uid, parent) => rows(by.all(uid, parent)),
    opRepliesTo: (root, parent) => rows(opRepliesTo.all(root, parent)),
    replyCount: (post) => count.get(post) ?? 0,
    opReplies: (root) => rows(opReplies.all(root)),
    opRepliesOfEach: (roots) =>
      Map.groupBy(rows<OpReplyRow>(opRepliesOfEach.all(idList(roots))), ([, , , , root]) => root!),
    rootOf: (post) => root.get(post) ?? post,
  }
}

// Keeps the search index up to date with the rows, in slices of one transaction each: first changed rows,
// newest first, then rows that are older than the index. An interrupted slice is repeated, and repeating it
// is harmless.

import type { WriteDb } from '../../../data/store/db.ts'
import { actorsBelow } from '../../../data/store/search/actor-index.ts'
import { postsBelow } from '../../../data/store/search/post-index.ts'
import {
  ACTOR,
  MENTIONS,
  nextQueued,
  POST,
  type Queued,
  removeQueued,
  type SearchKind,
  searchBacklog,
  setSearchBacklog,
} from '../../../data/store/search/queue.ts'
import { indexMentions, recordOf } from '../records/associations.ts'
import type { Writer } from '../writer.ts'
import { refreshActorIndex } from './search-actors.ts'
import { movePosts, type PostIndexing, refreshPostIndex } from './search-posts.ts'

/** Rows per transaction: some milliseconds. A larger slice spares the index many small pieces. */
const SLICE = 150

const KINDS: readonly SearchKind[] = [ACTOR, POST]

export type SearchUpkeep = {
  writer: Pick<Writer, 'commit'>
  posts: PostIndexing
}

/**
 * Works until no rows are left or the time is over.
 * @param isTimeOver - asked after each slice
 * @returns whether any rows are left
 */
export function tendSearch(upkeep: SearchUpkeep, isTimeOver: () => boolean): boolean {
  for (;;) {
    let isAny = false
    upkeep.writer.commit(({ db }) => {
      // Neither kind waits for the other, however many rows are queued.
      isAny = KINDS.map((kind) => takeQueued(db, upkeep, kind)).includes(true)
      // Faster than posts are added, so that a stretch is filled before it is full again.
      isAny = movePosts(db, upkeep.posts, 2 * SLICE) || isAny
      isAny ||= takeBacklog(db, upkeep, ACTOR) || takeBacklog(db, upkeep, POST)
      isAny ||= takeMentions(db)
    })
    if (!isAny) return false
    if (isTimeOver()) return true
  }
}

function takeQueued(db: WriteDb, upkeep: SearchUpkeep, kind: SearchKind): boolean {
  const queued = nextQueued(db, kind, SLICE)
  if (queued.length === 0) return false
  refresh(db, upkeep, kind, queued)
  for (const { id } of queued) removeQueued(db, kind, id)
  return true
}

function takeBacklog(db: WriteDb, upkeep: SearchUpkeep, kind: SearchKind): boolean {
  const below = searchBacklog(db, kind)
  if (below === undefined) return false
  const ids = kind === ACTOR ? actorsBelow(db, below, SLICE) : postsBelow(db, below, SLICE)
  const rows = ids.map((id) => ({ id, was: null }))
  refresh(db, upkeep, kind, rows)
  setSearchBacklog(db, kind, ids.at(-1))
  return true
}

/** Indexes mentions in posts that were stored before mentions were indexed. */
function takeMentions(db: WriteDb): boolean {
  const below = searchBacklog(db, MENTIONS)
  if (below === undefined) return false
  const ids = postsBelow(db, below, SLICE)
  for (const id of ids) {
    const record = recordOf(db, id)
    if (record) indexMentions(db, id, record)
  }
  setSearchBacklog(db, MENTIONS, ids.at(-1))
  return true
}

function refresh(
  db: WriteDb,
  { posts }: SearchUpkeep,
  kind: SearchKind,
  rows: readonly Queued[],
): void {
  if (kind === POST) return refreshPostIndex(db, posts, rows)
  refreshActorIndex(
    db,
    rows.map(({ id }) => id),
  )
}

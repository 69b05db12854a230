// Merges the newest feed items of many accounts from their rows: for the part of a timeline below its ring's
// end, or without an open ring. Each account has two lists in time order, posts and reposts, each in its own
// index. One statement finds the head of every list; then lists are read by descending head, and a list whose
// head is older than the page's last item is never opened. So a page costs one index seek per list, and opens
// few more lists than it has items.

import { unpackCid } from '../../../base/atproto/keys.ts'
import { atOnce } from '../../../base/util/turn.ts'
import type { Db } from '../db.ts'
import type { CachedHeads } from './cached-heads.ts'
import { isRepostItem, postItem, repostItem, rowIdOf } from './item-ids.ts'
import { NewestFirst } from './newest-first.ts'

/** One item of an account's feed. `originator`: uid of the author or reposter. */
export type FeedRow = { sortAt: number; item: number; originator: number }

/** A stretch of a feed, newest first, complete down to `floor`. */
export type FeedBatch = {
  /** Descending by `sortAt`; items of the same millisecond are in no particular order. */
  rows: FeedRow[]
  /** Every requested item at or after this time is in `rows`; -Infinity: there is nothing older. */
  floor: number
}

/** uids, without duplicates. */
type Originators = readonly number[] | Uint32Array

/** The newest items of accounts at or before a time, with which every merge of their feeds begins. */
export type FeedHeads = { readonly until: number; readonly heads: readonly Head[] }

type NewestOptions = {
  /** Accounts, or their heads, if those were read for this time or a later one. */
  originators: Originators | FeedHeads
  /** Only items at or before this time. */
  until: number
  /** Only items at or after this time. */
  since?: number
  /**
   * Minimum number of items, if there are that many: includes all items of the last one's
   * millisecond.
   */
  limit: number
  /** Skips items for which it returns false. */
  isWanted?: (item: number) => boolean
  /** Excludes reposts. */
  postsOnly?: boolean
}

export type MergedFeed = {
  /** Reads heads some at a time: for a request that reads many accounts, and reads them again. */
  heads(originators: Originators, until: number): Generator<void, FeedHeads>
  newest(options: NewestOptions): FeedBatch
  /** The same, one list at a time. */
  newestInSteps(options: NewestOptions): Generator<void, FeedBatch>
  /** CIDs of the items that still exist. */
  cidsOf(items: readonly number[]): Map<number, string>
}

/**
 * Per list and millisecond, only this many of the newest rows are ever shown: bots that write a
 * constant `createdAt` must not make a page cost their whole history.
 */
const MAX_TIES = 1_000
/** The same for all lists of a page together. */
const MAX_TIES_IN_ALL = 2_000
const CHUNKS = [16, 64, 256]
const ACCOUNTS_A_STATEMENT = 500
const FEW = 2
/** A full page is sorted again once it has grown by more than its 64th part. */
const FEWER_SORTS = 6

type Kind = 'posts' | 'reposts'
type List = { kind: Kind; uid: number }
/** Times of the newest item of each kind. */
type Head = [uid: number, post: number | null, repost: number | null]
type ListRow = [sortAt: number, id: number]
type Statements = ReturnType<typeof prepare>

/** @param kept - if the caller caches heads between requests and handles their invalidation */
export function createMergedFeed(db: Db, cachedHeads?: CachedHeads): MergedFeed {
  const statements = prepare(db)
  return {
    *heads(originators, until) {
      const heads: Head[] = []
      for (let i = 0; i < originators.length; i += ACCOUNTS_A_STATEMENT) {
        const some = originators.slice(i, i + ACCOUNTS_A_STATEMENT)
        for (const head of readHeads(statements, some, { until, heads: cachedHeads }))
          heads.push(head)
        yield
      }
      return { until, heads }
    },
    newest: (options) => atOnce(newestOf(statements, cachedHeads, options)),
    newestInSteps: (options) => newestOf(statements, cachedHeads, options),
    cidsOf(items) {
      const posts = items.filter((item) => !isRepostItem(item)).map(rowIdOf)
      const reposts = items.filter(isRepostItem).map(rowIdOf)
      return new Map([
        ...readCids(statements, 'posts', posts).map(([id, cid]) => [postItem(id), cid] as const),
        ...readCids(statements, 'reposts', reposts).map(
          ([id, cid]) => [repostItem(id), cid] as const,
        ),
      ])
    },
  }
}

/** Yields after each list that it opened. */
function* newestOf(
  statements: Statements,
  cachedHeads: CachedHeads | undefined,
  { originators, until, since = -Infinity, limit, isWanted, postsOnly = false }: NewestOptions,
): Generator<void, FeedBatch> {
  const page = newPage(limit, since)
  const heads =
    'heads' in originators
      ? originators.heads
      : readHeads(statements, originators, { until, heads: cachedHeads })
  for (const { list, head } of newestFirst(heads, since, postsOnly).take()) {
    if (head < page.oldest()) break
    const { kind, uid } = listOf(list)
    const toItem = kind === 'posts' ? postItem : repostItem
    for (const [sortAt, id] of walk(statements, { kind, uid }, until, page)) {
      if (sortAt < page.oldest()) break
      const item = toItem(id)
      if (!isWanted || isWanted(item)) page.add({ sortAt, item, originator: uid })
    }
    page.tighten()
    yield
  }
  return page.finish()
}

function prepare(db: Db) {
  const older =
    'AND sort_at >= +? AND (sort_at, id) < (+?, +?) ORDER BY sort_at DESC, id DESC LIMIT +?'
  const among = 'id IN (SELECT value FROM json_each(?))'
  type Older = [uid: number, oldest: number, sortAt: number, id: number, limit: number]
  return {
    heads: db
      .prepare<[{ 1: string; 2: number }], Head>(
        `SELECT a.value,
          (SELECT max(sort_at) FROM posts WHERE uid = a.value AND state = 1 AND sort_at <= ?2),
          (SELECT max(sort_at) FROM reposts WHERE uid = a.value AND sort_at <= ?2)
        FROM json_each(?1) a`,
      )
      .raw(),
    older: {
      posts: db
        .prepare<Older, ListRow>(
          `SELECT sort_at, id FROM posts WHERE uid = +? AND state = 1 ${older}`,
        )
        .raw(),
      reposts: db
        .prepare<Older, ListRow>(`SELECT sort_at, id FROM reposts WHERE uid = +? ${older}`)
        .raw(),
    },
    cid: {
      posts: db
        .prepare<[number], Buffer>('SELECT cid FROM posts WHERE state = 1 AND id = ?')
        .pluck(),
      reposts: db.prepare<[number], Buffer>('SELECT cid FROM reposts WHERE id = ?').pluck(),
    },
    cids: {
      posts: db
        .prepare<[string], [number, Buffer]>(
          `SELECT id, cid FROM posts WHERE state = 1 AND ${among}`,
        )
        .raw(),
      reposts: db
        .prepare<[string], [number, Buffer]>(`SELECT id, cid FROM reposts WHERE ${among}`)
        .raw(),
    },
  }
}

/** The newest items of each account at or before `until`. */
function readHeads(
  { heads }: Statements,
  originators: Originators,
  { until, heads: cachedHeads }: { until: number; heads: CachedHeads | undefined },
): Head[] {
  const found: Head[] = []
  const unknown: number[] = []
  for (const uid of originators) {
    const head = cachedHeads?.find(uid, until)
    if (head) found.push([uid, head.post, head.repost])
    else unknown.push(uid)
  }
  for (let i = 0; i < unknown.length; i += ACCOUNTS_A_STATEMENT) {
    const some = JSON.stringify(unknown.slice(i, i + ACCOUNTS_A_STATEMENT))
    for (const head of heads.all({ 1: some, 2: until })) {
      const [uid, post, repost] = head
      found.push(head)
      cachedHeads?.add(uid, { until, post, repost })
    }
  }
  return found
}

/** The lists that reach back to `since` or beyond. */
function newestFirst(heads: readonly Head[], since: number, postsOnly: boolean): NewestFirst {
  const lists = new NewestFirst()
  for (const [uid, post, repost] of heads) {
    if (post !== null && post >= since) lists.add(uid * 2, post)
    if (!postsOnly && repost !== null && repost >= since) lists.add(uid * 2 + 1, repost)
  }
  return lists
}

function listOf(list: number): List {
  return { kind: list % 2 === 0 ? 'posts' : 'reposts', uid: Math.floor(list / 2) }
}

/** Yields one list's items from `until` down to the page's end, in growing chunks. */
function* walk(
  { older }: Statements,
  { kind, uid }: List,
  until: number,
  page: Pick<Page, 'oldest' | 'hasRoomAt'>,
): Generator<ListRow> {
  let [sortAt, id]: ListRow = [until, Number.MAX_SAFE_INTEGER]
  let ties = 0
  for (let turn = 0; ; turn++) {
    const size = CHUNKS[Math.min(turn, CHUNKS.length - 1)]!
    const rows = older[kind].all(uid, page.oldest(), sortAt, id, size)
    for (const row of rows) {
      ties = row[0] === sortAt ? ties + 1 : 1
      if (ties <= MAX_TIES && page.hasRoomAt(row[0])) yield row
      else ties = MAX_TIES + 1
      ;[sortAt, id] = row
    }
    if (rows.length < size) return
    // Skips the rest of an endless tie in one step.
    if (ties > MAX_TIES) id = -1
  }
}

/** The two ends of a page are read faster one by one: a list costs as much as three of them. */
function readCids(statements: Statements, kind: Kind, ids: number[]): [id: number, cid: string][] {
  const { cid, cids } = statements
  if (ids.length <= FEW) {
    return ids.flatMap((id): [number, string][] => {
      const digest = cid[kind].get(id)
      return digest ? [[id, unpackCid(digest)]] : []
    })
  }
  return cids[kind].all(JSON.stringify(ids)).map(([id, cid]) => [id, unpackCid(cid)])
}

type Page = ReturnType<typeof newPage>

/** Collects rows and, once there are enough, knows the oldest time that can still matter. */
function newPage(limit: number, since: number) {
  let rows: FeedRow[] = []
  const ties = new Map<number, number>()
  let enough = limit * 4 + 256
  let oldest = since
  let isFull = false
  let sorted = 0

  /**
   * Sorting after every item would be expensive; once per list is cheap, unless the page is so large
   * that most lists add little to it.
   */
  function tighten(): void {
    const added = rows.length - sorted
    if (rows.length < limit || (isFull && added <= limit >> FEWER_SORTS)) return
    rows.sort((a, b) => b.sortAt - a.sortAt)
    oldest = rows[limit - 1]!.sortAt
    isFull = true
    let end = rows.length
    while (rows[end - 1]!.sortAt < oldest) end--
    rows = rows.slice(0, end)
    sorted = end
    enough = rows.length * 2 + 256
  }

  return {
    oldest: () => oldest,
    tighten,
    hasRoomAt: (sortAt: number) => (ties.get(sortAt) ?? 0) < MAX_TIES_IN_ALL,
    add(row: FeedRow): void {
      rows.push(row)
      ties.set(row.sortAt, (ties.get(row.sortAt) ?? 0) + 1)
      if (rows.length >= enough) tighten()
    },
    finish(): FeedBatch {
      rows.sort((a, b) => b.sortAt - a.sortAt)
      return { rows, floor: isFull ? oldest : -Infinity }
    },
  }
}

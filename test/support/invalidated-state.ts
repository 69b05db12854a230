// Everything that the readers can see of a small world, through their own statements, in pieces. Each piece
// names the invalidations that announce a possible change of it.

import { prepareReaders } from '../../src/answers/hydrate/page.ts'
import type { PackedRkey } from '../../src/base/atproto/keys.ts'
import { INVALIDATION } from '../../src/data/shared-memory/invalidation-kinds.ts'
import type { Db } from '../../src/data/store/db.ts'
import { PRESENT } from '../../src/data/store/posts/posts.ts'
import { atOneMoment } from '../../src/data/store/transact.ts'
import type { InvalidationSet } from './invalidation-set.ts'

/** Values by the piece's name and its subjects. */
export type InvalidatedState = Map<string, string>

type Piece = {
  /** Whether these invalidations announce a possible change of the piece about `a` (and `b`). */
  isInvalidated: (invalidations: InvalidationSet, a: number, b: number) => boolean
  /** Whether a single invalidation could concern the piece. */
  names: (note: [kind: number, a: number, b: number], a: number, b: number) => boolean
}

function named(kinds: number[]): Piece {
  return {
    isInvalidated: (invalidations, a) => kinds.some((kind) => invalidations.has(kind, a)),
    names: ([kind, x], a) => kinds.includes(kind) && x === a,
  }
}

const pairInvalidations: number[] = [INVALIDATION.relation, INVALIDATION.block]
const between: Piece = {
  isInvalidated: (invalidations, a, b) =>
    pairInvalidations.some((kind) => invalidations.hasPair(kind, a, b)) ||
    invalidations.has(INVALIDATION.relations, a) ||
    invalidations.has(INVALIDATION.relations, b),
  names: ([kind, x, y], a, b) =>
    (kind === INVALIDATION.relations && (x === a || x === b)) ||
    (pairInvalidations.includes(kind) && ((x === a && y === b) || (x === b && y === a))),
}

const pieces: Record<string, Piece> = {
  post: named([INVALIDATION.post]),
  counts: named([INVALIDATION.counts]),
  actor: named([INVALIDATION.actor]),
  actorCounts: named([INVALIDATION.actorCounts, INVALIDATION.actor]),
  repost: named([INVALIDATION.repost]),
  list: named([INVALIDATION.list]),
  feed: named([INVALIDATION.feed]),
  relation: between,
  blockPair: between,
  onList: {
    isInvalidated: (invalidations, uid, list) =>
      invalidations.has(INVALIDATION.relations, uid) && invalidations.has(INVALIDATION.list, list),
    names: ([kind, x], uid, list) =>
      (kind === INVALIDATION.relations && x === uid) || (kind === INVALIDATION.list && x === list),
  },
  listBlock: named([INVALIDATION.relations]),
  label: {
    isInvalidated: (invalidations, uid, post) => invalidations.has(INVALIDATION.label, uid, post),
    names: ([kind, x, y], uid, post) => kind === INVALIDATION.label && x === uid && y === post,
  },
  reaction: {
    isInvalidated: (invalidations, uid, post) =>
      invalidations.has(INVALIDATION.reaction, uid, post) ||
      invalidations.has(INVALIDATION.reactions, uid),
    names: ([kind, x, y], uid, post) =>
      (kind === INVALIDATION.reaction && x === uid && y === post) ||
      (kind === INVALIDATION.reactions && x === uid),
  },
}

type Reading = {
  readers: ReturnType<typeof prepareReaders>
  posts: number[]
  uids: number[]
  lists: number[]
  reposts: number[]
  put: (name: string, a: number, b: number, value: unknown) => void
}

/** Returns a function that reads the whole state from one snapshot. */
export function invalidatedStateReader(db: Db): () => InvalidatedState {
  const readers = prepareReaders(db)
  const ids = (table: string, column = 'id') =>
    db.prepare<[], number>(`SELECT ${column} FROM ${table}`).pluck()
  const idsOf = {
    posts: ids('posts'),
    actors: ids('actors', 'uid'),
    reposts: ids('reposts'),
    lists: ids('lists'),
  }
  return atOneMoment(db, () => {
    const state: InvalidatedState = new Map()
    const reading: Reading = {
      readers,
      posts: idsOf.posts.all(),
      uids: idsOf.actors.all(),
      lists: idsOf.lists.all(),
      reposts: idsOf.reposts.all(),
      put: (name, a, b, value) => {
        const key = `${name} ${a} ${b}`
        state.set(key, `${state.get(key) ?? ''}${JSON.stringify(value)}`)
      },
    }
    putPosts(reading)
    putActors(reading)
    putLabels(reading)
    putReposts(reading)
    putLists(reading)
    for (const viewer of reading.uids) putViewer(reading, viewer)
    putBlockPairs(reading)
    return state
  })
}

function putPosts({ readers, posts, put }: Reading): void {
  for (const row of readers.posts.rows(posts)) {
    const [id, uid, state, , sortAt] = row
    put('post', id, 0, row.slice(0, 9))
    if (state === PRESENT) put('feed', uid, 0, [id, sortAt])
  }
  for (const row of readers.posts.texts(posts)) put('post', row[0], 0, row)
  for (const row of readers.posts.keys(posts)) put('post', row.id, 0, row)
  for (const row of readers.gates.threadgates(posts)) put('post', row.post, 1, row)
  for (const row of readers.gates.postgates(posts)) put('post', row.post, 2, row)
  for (const [id, ...counts] of readers.posts.counts(posts)) {
    if (counts.some(Boolean)) put('counts', id, 0, counts)
  }
}

function putActors({ readers, uids, put }: Reading): void {
  for (const row of readers.actors.rows(uids)) {
    const [uid, handle, isValid, status, follows, followers, count, ...profile] = row
    put('actor', uid, 0, [handle, isValid, status, profile])
    put('actorCounts', uid, 0, [follows, followers, count])
  }
  for (const row of readers.actors.profiles(uids)) put('actor', row[0], 1, row)
  for (const row of readers.lists.countsOf(uids)) put('actorCounts', row.uid, 1, row)
  for (const row of readers.records.countsOf(uids)) put('actorCounts', row.uid, 2, row)
  // Own likes are not part of an account's view.
  for (const { likes: _, ...row } of readers.records.ownOf(uids)) put('actor', row.uid, 2, row)
  for (const row of readers.records.verificationsOf(uids, uids)) put('actor', row.subject, 3, row)
}

function putLabels({ readers, posts, uids, put }: Reading): void {
  const { labels } = readers
  const by = { labelers: uids, now: 0 }
  const keyOf = ({ uid, rkey }: { uid: number; rkey: PackedRkey }) =>
    `${uid} ${typeof rkey === 'string' ? rkey : rkey.toString('hex')}`
  const ids = new Map(readers.posts.keys(posts).map((row) => [keyOf(row), row.id]))
  for (const row of labels.ofPosts(posts, by)) put('label', row.uid, ids.get(keyOf(row))!, row)
  for (const row of labels.ofAccounts(uids, by)) put('label', row.uid, 0, row)
}

function putReposts({ readers, reposts, put }: Reading): void {
  for (const row of readers.reposts.rows(reposts)) {
    const [id, uid, , sortAt] = row
    put('repost', id, 0, row)
    put('feed', uid, 1, [id, sortAt])
  }
  for (const row of readers.reposts.texts(reposts)) put('repost', row[0], 0, row)
}

function putLists({ readers, lists, put }: Reading): void {
  for (const { blockRkey: _, isMuted: __, ...row } of readers.lists.byId(lists, 0))
    put('list', row.id, 0, row)
}

/** Puts the relations and reactions of one viewer. */
function putViewer({ readers, posts, uids, lists, put }: Reading, viewer: number): void {
  for (const [uid, ...values] of readers.relations(viewer, uids)) {
    // 0 and null both mean no.
    const reported = values.map((value) => value || null)
    if (reported.some(Boolean)) put('relation', viewer, uid, reported)
  }
  for (const list of readers.lists.having(lists, viewer)) put('onList', viewer, list, true)
  const { likes, reposts, bookmarks } = readers.postViewers
  for (const row of likes(viewer, posts)) put('reaction', viewer, row.post, row)
  for (const row of reposts(viewer, posts)) put('reaction', viewer, row.post, row)
  for (const id of bookmarks(viewer, posts)) put('reaction', viewer, id, true)
  for (const { id, blockRkey, isMuted } of readers.lists.byId(lists, viewer)) {
    if (blockRkey !== null || isMuted) put('listBlock', viewer, id, [blockRkey, isMuted])
  }
}

function putBlockPairs({ readers, uids, put }: Reading): void {
  const pairs = uids.flatMap((a) => uids.map((b) => [a, b] as const))
  const { direct, byList } = readers.blockPairs.blocked(pairs)
  for (const [a, b] of [...direct, ...byList]) put('blockPair', a, b, true)
}

/** Returns the keys whose values differ. */
export function changedBetween(before: InvalidatedState, after: InvalidatedState): string[] {
  const keys = new Set([...before.keys(), ...after.keys()])
  return [...keys].filter((key) => before.get(key) !== after.get(key))
}

export function isChangeInvalidated(key: string, invalidations: InvalidationSet): boolean {
  const [name, a, b] = parse(key)
  return pieces[name]!.isInvalidated(invalidations, a, b)
}

/** Returns invalidations that name no changed piece. */
export function idleInvalidations(
  invalidations: InvalidationSet,
  changed: string[],
): InvalidationSet['invalidations'] {
  const parsed = changed.map(parse)
  return invalidations.invalidations.filter(
    (note) => !parsed.some(([name, a, b]) => pieces[name]!.names(note, a, b)),
  )
}

function parse(key: string): [name: string, a: number, b: number] {
  const [name, a, b] = key.split(' ')
  return [name!, Number(a), Number(b)]
}

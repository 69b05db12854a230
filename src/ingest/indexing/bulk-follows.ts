// A list of follows into the database at once, while no server runs. What is taken is what
// import-follows.ts would take line by line; only how it is stored differs: lines are collected as
// integers, two million at a time, brought into the order of the creators, checked, and merged with each
// creator's list; then the same for the subjects. So every list is written once in a pass, in full
// chunks. Accounts with anything out of the ordinary (members, keys that are no TIDs, follows without
// keys) go line by line.
//
// A pass is a transaction, and takes the graph's snapshot away: whatever happens, the next start finds
// rows and memory in agreement. At the end the snapshot is written anew.

import { packRkey, tidOf } from '../../base/atproto/keys.ts'
import { createFollowGraph } from '../../data/graph/follow-graph.ts'
import type { ActorWriter } from '../../data/graph/types.ts'
import { insertActor } from '../../data/store/actors.ts'
import type { Db } from '../../data/store/db.ts'
import { followEdges } from '../../data/store/edges/all-edges.ts'
import type { Edge } from '../../data/store/edges/edge.ts'
import type { FollowLine } from '../../data/store/follows.ts'
import { isUnfollowed, KEYLESS_SORT_AT, keylessRkey } from '../../data/store/keyless-follows.ts'
import type { SnapshotChunk } from '../../data/store/snapshots.ts'
import { dropGraphSnapshot, saveGraph } from './graph-snapshot.ts'
import {
  COLLECTION,
  importedSortAt,
  importFollow,
  isComplete,
  settleKeyless,
} from './import-follows.ts'
import { emptyTally, type ImportTally } from './import-tally.ts'
import {
  actorCounts,
  type IndexContext,
  isInCircle,
  isMember,
  isOfDeletedAccount,
} from './index-context.ts'
import type { Indexer } from './indexer.ts'
import { isBuried } from './lateness.ts'
import type { TombstoneFilter } from './tombstone-filter.ts'

export type BulkImport = {
  add(lines: readonly FollowLine[]): void
  /** Stores what is left, and the graph's snapshot. */
  finish(): ImportTally
}

type Actors = ActorWriter & { dump(): Iterable<SnapshotChunk> }
type Options = {
  db: Db
  actors: Actors
  indexer: Indexer
  scope: IndexContext['scope']
  isInScopeOnly: boolean
  /** Lines a pass. */
  passLines?: number
}

/** A line's number and an account together are a whole number that a double holds exactly. */
const MAX_PASS = 2 ** 21
const TID = 0
const KEYLESS = 1
const OTHER = 2

export function createBulkImport(options: Options): BulkImport {
  const { db, actors, indexer, passLines = MAX_PASS } = options
  const tally = emptyTally()
  const pass = createPass(passLines)
  let stored = actors.count

  function flush(): void {
    if (pass.count === 0) return
    indexer.run((ctx, filter) => {
      ctx.happenedAt = 0 // nobody says when, but before now
      for (; stored < actors.count; stored++) {
        insertActor(db, stored + 1, actors.didOf(stored + 1), ctx.now)
      }
      storePass(ctx, filter, pass, tally)
      dropGraphSnapshot(db)
    })
    pass.clear()
  }

  return {
    add(lines) {
      for (const line of lines) {
        if (isOutOfScope(options, line)) {
          tally.outOfScope++
          continue
        }
        pass.add(actors.intern(line.did), actors.intern(line.subject), line.rkey)
        if (pass.count === passLines) flush()
      }
    },
    finish() {
      flush()
      if (tally.added > 0) saveNewGraph(db, actors)
      return tally
    },
  }
}

/** As import-follows.ts has it, before anybody gets a uid. */
function isOutOfScope(
  { actors, scope, isInScopeOnly }: Options,
  { did, subject }: FollowLine,
): boolean {
  if (!isInScopeOnly || scope === 'network') return false
  const isAuthor = (one: string) => {
    const uid = actors.uidOf(one)
    return uid !== 0 && isInCircle(actors, uid)
  }
  return !isAuthor(did) && !(scope === 'community' && isAuthor(subject))
}

type Pass = ReturnType<typeof createPass>

function createPass(capacity: number) {
  const creators = new Uint32Array(capacity)
  const subjects = new Uint32Array(capacity)
  const tops = new Uint32Array(capacity)
  const bottoms = new Uint32Array(capacity)
  const kinds = new Uint8Array(capacity)
  const isAdded = new Uint8Array(capacity)
  const others = new Map<number, string>()
  let count = 0
  return {
    ...{ creators, subjects, tops, bottoms, kinds, isAdded, others },
    get count() {
      return count
    },
    add(creator: number, subject: number, rkey: string | undefined): void {
      const i = count++
      creators[i] = creator
      subjects[i] = subject
      isAdded[i] = 0
      kinds[i] = KEYLESS
      if (rkey === undefined) return
      const packed = packRkey(rkey)
      kinds[i] = typeof packed === 'string' ? OTHER : TID
      if (typeof packed === 'string') others.set(i, packed)
      else {
        tops[i] = packed.readUInt32BE(0)
        bottoms[i] = packed.readUInt32BE(4)
      }
    },
    clear(): void {
      count = 0
      others.clear()
    },
  }
}

function storePass(
  ctx: IndexContext,
  filter: TombstoneFilter,
  pass: Pass,
  tally: ImportTally,
): void {
  for (const [creator, lines] of groupsBy(pass.creators, pass.count, () => true)) {
    storeOfCreator(ctx, filter, { pass, creator, lines, tally })
  }
  for (const [subject, lines] of groupsBy(
    pass.subjects,
    pass.count,
    (i) => pass.isAdded[i] === 1,
  )) {
    const edges = lines.map((i) => edgeOf(ctx, pass, i))
    edges.sort((a, b) => a.sortAt - b.sortAt || a.uid - b.uid)
    followEdges.addToSubject(ctx.db, subject, edges)
  }
}

/** Lines by account, ascending. */
function* groupsBy(
  column: Uint32Array,
  count: number,
  isWanted: (i: number) => boolean,
): Generator<[account: number, lines: number[]]> {
  const order = new Float64Array(count)
  let length = 0
  for (let i = 0; i < count; i++) if (isWanted(i)) order[length++] = column[i]! * MAX_PASS + i
  const sorted = order.subarray(0, length).sort()
  for (let at = 0; at < length; ) {
    const account = Math.floor(sorted[at]! / MAX_PASS)
    const end = (account + 1) * MAX_PASS
    const lines: number[] = []
    for (; at < length && sorted[at]! < end; at++) lines.push(sorted[at]! - account * MAX_PASS)
    yield [account, lines]
  }
}

type Held = ReturnType<typeof followEdges.heldBy>
type Group = { pass: Pass; creator: number; lines: number[]; tally: ImportTally }

function storeOfCreator(ctx: IndexContext, filter: TombstoneFilter, group: Group): void {
  const { creator, lines, pass, tally } = group
  if (isOfDeletedAccount(ctx, { uid: creator, seenAtUs: 0 })) tally.gone += lines.length
  else if (isComplete(ctx, creator)) tally.complete += lines.length
  else {
    const held = followEdges.heldBy(ctx.db, creator)
    if (isUnusual(ctx, group, held)) {
      for (const i of lines) tally[importFollow(ctx, filter, lineOf(ctx, pass, i))]++
    } else storeUsual(ctx, filter, group, held)
  }
}

/** A key for a pair that is joined without one has to take its place, which changes what is held. */
function isUnusual(ctx: IndexContext, { creator, lines, pass }: Group, held: Held): boolean {
  if (isMember(ctx, creator)) return true
  const joined = new Set(held.subjects)
  return lines.some((i) => {
    const subject = pass.subjects[i]!
    if (pass.kinds[i] === OTHER) return true
    return pass.kinds[i] === TID && joined.has(subject) && held.hasKey(keylessRkey(subject))
  })
}

function storeUsual(ctx: IndexContext, filter: TombstoneFilter, group: Group, held: Held): void {
  const { creator, lines, pass, tally } = group
  const joined = new Set(held.subjects)
  const edges: Edge[] = []
  for (const i of byKey(pass, lines)) {
    const edge = edgeOf(ctx, pass, i)
    const outcome = judge(ctx, filter, { pass, i, edge, joined, held, last: edges.at(-1) })
    tally[outcome]++
    if (outcome !== 'added') continue
    pass.isAdded[i] = 1
    edges.push(edge)
    if (joined.has(edge.subject)) continue
    joined.add(edge.subject)
    actorCounts(ctx, creator).follows++
    actorCounts(ctx, edge.subject).followers++
  }
  followEdges.addToCreator(ctx.db, creator, held, edges)
  if (edges.some(({ rkey }) => typeof rkey === 'string')) settleKeyless(ctx, creator)
}

/** Those without keys last, so that a key decides where the list has both. */
function byKey({ kinds, tops, bottoms }: Pass, lines: number[]): number[] {
  return lines.sort(
    (a, b) => kinds[a]! - kinds[b]! || tops[a]! - tops[b]! || bottoms[a]! - bottoms[b]! || a - b,
  )
}

type Candidate = {
  pass: Pass
  i: number
  edge: Edge
  joined: ReadonlySet<number>
  held: Held
  /** The one taken before it. */
  last: Edge | undefined
}

function judge(
  ctx: IndexContext,
  filter: TombstoneFilter,
  candidate: Candidate,
): 'added' | 'known' | 'undone' {
  const { pass, i, edge, joined, held, last } = candidate
  const { uid, subject, rkey } = edge
  if (pass.kinds[i] === KEYLESS) {
    if (joined.has(subject)) return 'known'
    return isUnfollowed(ctx.db, uid, subject) ? 'undone' : 'added'
  }
  const isRepeated =
    last !== undefined && typeof last.rkey !== 'string' && last.rkey.equals(rkey as Buffer)
  if (isRepeated || held.hasKey(rkey)) return 'known'
  const key = { uid, collection: COLLECTION, rkey, rev: undefined, fetchedAt: 0 } as const
  return isBuried(ctx, filter, key) ? 'undone' : 'added'
}

function edgeOf(ctx: IndexContext, pass: Pass, i: number): Edge {
  const [uid, subject] = [pass.creators[i]!, pass.subjects[i]!]
  if (pass.kinds[i] === KEYLESS) {
    const sortAt = KEYLESS_SORT_AT
    return { uid, subject, rkey: keylessRkey(subject), sortAt, createdAt: sortAt }
  }
  const rkey = Buffer.allocUnsafe(8)
  rkey.writeUInt32BE(pass.tops[i]!, 0)
  rkey.writeUInt32BE(pass.bottoms[i]!, 4)
  const sortAt = importedSortAt(rkey, ctx.now)
  return { uid, subject, rkey, sortAt, createdAt: sortAt }
}

function lineOf({ actors }: IndexContext, pass: Pass, i: number): FollowLine {
  const did = actors.didOf(pass.creators[i]!)
  const subject = actors.didOf(pass.subjects[i]!)
  const { tops, bottoms, kinds, others } = pass
  if (kinds[i] === KEYLESS) return { did, subject, rkey: undefined }
  return { did, subject, rkey: others.get(i) ?? tidOf(tops[i]!, bottoms[i]!) }
}

function saveNewGraph(db: Db, actors: Actors): void {
  const graph = createFollowGraph()
  graph.build(followEdges.lists(db), actors.count)
  saveGraph(db, graph, actors)
}

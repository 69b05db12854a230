// Lines of an imported list as integers, stored in order of creator and then of subject, so that each packed
// list is read and written once however many lines concern it. Each line has the same outcome as in
// import-follows.ts. Unusual creators (members, keys that are no TIDs, keyless follows beside keyed ones,
// long lists with little new) are stored line by line.

import { packRkey, tidOf } from '../../../base/atproto/keys.ts'
import { followEdges } from '../../../data/store/edges/all-edges.ts'
import type { Edge } from '../../../data/store/edges/edge.ts'
import { addFollowsOf, type FollowLine } from '../../../data/store/records/follows.ts'
import {
  isUnfollowed,
  KEYLESS_SORT_AT,
  keylessRkey,
} from '../../../data/store/records/keyless-follows.ts'
import { actorCounts, type IndexContext, isMember, isOfDeletedAccount } from '../index-context.ts'
import { isTombstoned } from '../lateness.ts'
import {
  COLLECTION,
  importedSortAt,
  importFollow,
  isComplete,
  settleKeyless,
} from './import-follows.ts'
import type { ImportTally } from './import-tally.ts'

/** A line number and an account combined still fit into a double exactly. */
export const MAX_PASS = 2 ** 21
const TID = 0
const KEYLESS = 1
const OTHER = 2
/** Values of `outcomes`: whether the line was taken, and is the first record of its pair. */
const LEFT = 0
const ADDED = 1
const JOINED = 2

type OnJoined = (ctx: IndexContext, creator: number, subjects: readonly number[]) => void

type FollowPass = ReturnType<typeof createFollowPass>
type Pass = FollowPass

export function createFollowPass(capacity: number) {
  const creators = new Uint32Array(capacity)
  const subjects = new Uint32Array(capacity)
  const tops = new Uint32Array(capacity)
  const bottoms = new Uint32Array(capacity)
  const kinds = new Uint8Array(capacity)
  const outcomes = new Uint8Array(capacity)
  const others = new Map<number, string>()
  let count = 0
  return {
    creators,
    subjects,
    tops,
    bottoms,
    kinds,
    outcomes,
    others,
    get count() {
      return count
    },
    add(creator: number, subject: number, rkey: string | undefined): void {
      const i = count++
      creators[i] = creator
      subjects[i] = subject
      outcomes[i] = LEFT
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

/** @param onJoined - called with pairs that had no record before */
export function storeFollowPass(
  ctx: IndexContext,
  { pass, tally, onJoined }: { pass: Pass; tally: ImportTally; onJoined: OnJoined },
): void {
  for (const [creator, lines] of groupsBy(pass.creators, pass.count, () => true)) {
    storeOfCreator(ctx, { pass, creator, lines, tally, onJoined })
  }
  const isTaken = (i: number) => pass.outcomes[i] !== LEFT
  for (const [subject, lines] of groupsBy(pass.subjects, pass.count, isTaken)) {
    const edges = lines.map((i) => edgeOf(ctx, pass, i))
    edges.sort((a, b) => a.sortAt - b.sortAt || a.uid - b.uid)
    followEdges.addToSubject(ctx.db, subject, edges)
    const joined = lines.filter((i) => pass.outcomes[i] === JOINED).length
    if (joined > 0) actorCounts(ctx, subject).followers += joined
  }
}

/** Groups lines by account, ascending. */
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
type Group = {
  pass: Pass
  creator: number
  lines: number[]
  tally: ImportTally
  onJoined: OnJoined
}

function storeOfCreator(ctx: IndexContext, group: Group): void {
  const { creator, lines, tally } = group
  if (isOfDeletedAccount(ctx, { uid: creator, seenAtUs: 0 })) tally.gone += lines.length
  else if (isComplete(ctx, creator)) tally.complete += lines.length
  else if (isMember(ctx, creator) || isOutOfProportion(ctx, group)) oneByOne(ctx, group)
  else {
    const held = followEdges.heldBy(ctx.db, creator)
    const joined = new Set(held.subjects)
    if (isUnusual(group, held, joined)) oneByOne(ctx, group)
    else storeUsual(ctx, group, { held, joined })
  }
}

/**
 * Whether little of a long list is new: a list is read and written whole, line by line only in the
 * chunks concerned.
 */
function isOutOfProportion({ db }: IndexContext, { creator, lines }: Group): boolean {
  return followEdges.isLongerOf(db, creator, 1 + lines.length)
}

function oneByOne(ctx: IndexContext, { lines, pass, tally }: Group): void {
  for (const i of lines) tally[importFollow(ctx, lineOf(ctx, pass, i))]++
}

/**
 * A keyed line replaces the pair's follow without a key, which changes the held ones; and if the
 * lines have both, the first counts.
 */
function isUnusual({ lines, pass }: Group, held: Held, joined: ReadonlySet<number>): boolean {
  const { kinds, subjects } = pass
  if (lines.some((i) => kinds[i] === OTHER)) return true
  const keyless = new Set<number>()
  for (const i of lines) if (kinds[i] === KEYLESS) keyless.add(subjects[i]!)
  return lines.some((i) => {
    const subject = subjects[i]!
    if (kinds[i] !== TID) return false
    return keyless.has(subject) || (joined.has(subject) && held.hasKey(keylessRkey(subject)))
  })
}

function storeUsual(
  ctx: IndexContext,
  { creator, lines, pass, tally, onJoined }: Group,
  { held, joined }: { held: Held; joined: Set<number> },
): void {
  const edges: Edge[] = []
  const news: number[] = []
  for (const i of byKey(pass, lines)) {
    const edge = edgeOf(ctx, pass, i)
    const outcome = judge(ctx, { pass, i, edge, joined, held, last: edges.at(-1) })
    tally[outcome]++
    if (outcome !== 'added') continue
    edges.push(edge)
    pass.outcomes[i] = joined.has(edge.subject) ? ADDED : JOINED
    if (joined.has(edge.subject)) continue
    joined.add(edge.subject)
    news.push(edge.subject)
  }
  addFollowsOf(ctx.db, creator, held, edges)
  if (news.length > 0) {
    actorCounts(ctx, creator).follows += news.length
    onJoined(ctx, creator, news)
  }
  if (edges.some(({ rkey }) => typeof rkey === 'string')) settleKeyless(ctx, creator)
}

/** Sorts lines without keys last, so that a key wins if the list has both. */
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
  /** The line taken before it. */
  last: Edge | undefined
}

function judge(ctx: IndexContext, candidate: Candidate): 'added' | 'known' | 'undone' {
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
  return isTombstoned(ctx, key) ? 'undone' : 'added'
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

// Writes the posts of programs to their timelines, many posts in one transaction.
//
// Every event gets the next number of its timeline. If a producer numbers its events and one is missing, its
// place is reserved (features/timelines/store/programs/custom-numbers.ts): readers stop before it until it arrives, or for five
// seconds. After that a late event goes to the end, and the place is no longer a gap.

import { DAY_MS } from '../../../base/util/durations.ts'
import type { Db, WriteDb } from '../../../data/store/db.ts'
import {
  countOpenHoles,
  countPostedKeys,
  countProducers,
  digHole,
  dropOldHoles,
  fillHole,
  findHole,
  findPostedKey,
  lastNumberOf,
  putPostedKey,
  setLastNumber,
} from '../store/programs/custom-numbers.ts'
import { eventBytes, holeBytes, KEY_BYTES, producerBytes } from '../store/programs/custom-sizes.ts'
import {
  type CustomTimelineRow,
  countCustomTimelines,
  createCustomTimeline,
  customBytes,
  findCustomTimeline,
  insertCustomEvent,
  type PostedKey,
  saveCustomTimeline,
  trimCustomEvents,
} from '../store/programs/custom-timelines.ts'
import type { GivenPost, PostOutcome, TimelinePost } from '../store/programs/timeline-posts.ts'

export type TimelineLimits = {
  timelines: number
  events: number
  /** All that is stored of one timeline (features/timelines/store/programs/custom-sizes.ts); keys take at most half. */
  bytes: number
  allBytes: number
  keys: number
  producers: number
  /** Reserved places in one timeline at once. */
  holes: number
}

export const LIMITS: TimelineLimits = {
  timelines: 10_000,
  events: 100_000,
  bytes: 64 << 20,
  allBytes: 4 * 2 ** 30,
  keys: 5_000_000,
  producers: 1_000,
  holes: 1_000,
}

/** How long idempotency keys are remembered. */
export const KEYS_LAST_MS = DAY_MS

type Append = (
  db: WriteDb,
  posts: readonly TimelinePost[],
  now: number,
  /** Called for each post that was not there already. */
  onInserted?: (post: TimelinePost, seq: number) => void,
  /** By the clock of arrivals; `now` unless given. */
  receivedAt?: number,
) => PostOutcome[]

/** Batches after which the remaining room is counted again. */
const COUNTED_EVERY = 256

/** @returns a function that appends within a transaction. */
export function createAppend(limits: TimelineLimits = LIMITS): Append {
  let capacity: Capacity | undefined
  let batches = 0
  return (db, posts, now, onInserted, receivedAt = now) => {
    if (!capacity || ++batches % COUNTED_EVERY === 0) capacity = countCapacity(db, limits)
    const batch: Batch = { db, limits, now, receivedAt, rows: new Map(), capacity, onInserted }
    // An error rolls the batch back and makes the counted room wrong.
    capacity = undefined
    const outcomes = posts.map((post) => appendOne(batch, post))
    for (const row of batch.rows.values()) finish(batch, row)
    capacity = batch.capacity
    return outcomes
  }
}

/** Takes over posts that another node numbered. */
export function followPosts(
  db: WriteDb,
  { name, posts, now }: { name: string; posts: readonly GivenPost[]; now: number },
): void {
  const row = findCustomTimeline(db, name) ?? createCustomTimeline(db, name, now)
  const capacity = { bytes: 0, timelines: 0, keys: undefined }
  const batch: Batch = {
    db,
    limits: LIMITS,
    now,
    receivedAt: now,
    rows: new Map(),
    capacity,
  }
  // Events that this node had under these numbers before sharing stay.
  for (const post of posts) if (post.seq > row.last_seq) insert(batch, row, post)
  finish(batch, row)
}

type Capacity = { bytes: number; timelines: number; keys: number | undefined }

type Batch = {
  db: WriteDb
  limits: TimelineLimits
  now: number
  receivedAt: number
  rows: Map<string, CustomTimelineRow>
  capacity: Capacity
  onInserted?: ((post: TimelinePost, seq: number) => void) | undefined
}

function countCapacity(db: Db, limits: TimelineLimits): Capacity {
  return {
    bytes: limits.allBytes - customBytes(db),
    timelines: limits.timelines - countCustomTimelines(db),
    keys: undefined,
  }
}

function appendOne(batch: Batch, post: TimelinePost): PostOutcome {
  const { db, now } = batch
  const found = batch.rows.get(post.name) ?? findCustomTimeline(db, post.name)
  const known = found && post.key && findPostedKey(db, found.id, post.key)
  if (known && now - known.receivedAt < KEYS_LAST_MS) return again(post, known)
  const full = whyFull(batch, post, found)
  if (full) return full
  const row = found ?? createCustomTimeline(db, post.name, now)
  if (!found) batch.capacity.timelines--
  batch.rows.set(post.name, row)
  const position = post.numbered ? numberedPosition(batch, row, post.numbered) : row.last_seq + 1
  if (typeof position !== 'number') return position
  insert(batch, row, { post, seq: position })
  batch.onInserted?.(post, position)
  return { ok: true, seq: position, receivedAt: batch.receivedAt }
}

function insert(
  { db, receivedAt: ofBatch, capacity }: Batch,
  row: CustomTimelineRow,
  { post, seq, at: receivedAt = ofBatch }: GivenPost,
): void {
  const bytes = eventBytes(post)
  const { entityId, entityType, payload, producerTs, key, body } = post
  const event = { entityId, entityType, payload, producerTs, receivedAt }
  insertCustomEvent(db, { timeline: row.id, seq, ...event })
  row.last_seq = Math.max(row.last_seq, seq)
  row.events++
  row.bytes += bytes
  capacity.bytes -= bytes
  if (!key) return
  row.other_bytes += KEY_BYTES
  capacity.bytes -= KEY_BYTES
  putPostedKey(db, row.id, key, { body, seq, receivedAt })
}

function again(post: TimelinePost, known: PostedKey): PostOutcome {
  const stored = { seq: known.seq, receivedAt: known.receivedAt }
  if (Buffer.from(known.body).equals(post.body)) return { ok: true, ...stored }
  const message = 'Another event was posted with this idempotency key within the last 24 hours'
  return { ...refused(409, 'IdempotencyConflict', message), stored }
}

function whyFull(
  { capacity, limits, db }: Batch,
  post: TimelinePost,
  row: CustomTimelineRow | undefined,
): PostOutcome | undefined {
  const { key } = post
  if (!row && capacity.timelines <= 0) {
    return refused(503, 'TimelinesFull', `There are ${limits.timelines} timelines already`)
  }
  if (eventBytes(post) + (key ? KEY_BYTES : 0) > capacity.bytes) {
    return refused(503, 'TimelinesFull', 'Timelines have reached their size limit')
  }
  if (!key) return undefined
  capacity.keys ??= limits.keys - countPostedKeys(db)
  const hasCapacity = (row?.other_bytes ?? 0) + KEY_BYTES <= limits.bytes / 2
  if (hasCapacity && capacity.keys-- > 0) return undefined
  return refused(
    429,
    'TooManyIdempotencyKeys',
    'Too many idempotency keys within 24 hours: post without one, or later',
  )
}

/** The place already reserved for this number, or a new one. */
function numberedPosition(
  batch: Batch,
  row: CustomTimelineRow,
  { producer, number }: NonNullable<TimelinePost['numbered']>,
): number | PostOutcome {
  const { db, limits, now } = batch
  const timeline = row.id
  const last = lastNumberOf(db, timeline, producer)
  if (number <= last) return latePosition(batch, row, { timeline, producer, number })
  if (last === 0 && countProducers(db, timeline) >= limits.producers) {
    return refused(
      429,
      'TooManyProducers',
      `At most ${limits.producers} producers may number events`,
    )
  }
  // A new producer may start at any number.
  const skipped = last === 0 ? 0 : number - last - 1
  if (skipped > 0 && skipped + countOpenHoles(db, timeline) > limits.holes) {
    return refused(
      409,
      'NumberTooFarAhead',
      `The last number was ${last}: at most ${limits.holes} may be missing at once`,
    )
  }
  if (last === 0) batch.capacity.bytes -= producerBytes(producer)
  if (skipped > 0) {
    batch.capacity.bytes -= holeBytes(producer)
    const hole = { timeline, producer, number: last + 1, since: now, is_given_up: 0 }
    digHole(db, { ...hole, seq: row.last_seq + 1, count: skipped })
  }
  setLastNumber(db, { timeline, producer, number })
  return row.last_seq + skipped + 1
}

/** A post still awaited takes its place; one already given up goes to the end. */
function latePosition(
  { db }: Batch,
  row: CustomTimelineRow,
  item: { timeline: number; producer: string; number: number },
): number | PostOutcome {
  const hole = findHole(db, item)
  if (!hole) {
    const message = `Number ${item.number} was posted already, or was missing for too long`
    return refused(409, 'NumberPosted', message)
  }
  fillHole(db, hole, item.number)
  if (!hole.is_given_up) return hole.seq + item.number - hole.number
  dropOldHoles(db, item.timeline)
  return row.last_seq + 1
}

/** Drops the oldest events to make room for the newest. */
function finish({ db, limits }: Batch, row: CustomTimelineRow): void {
  const bytes = saveCustomTimeline(db, row)
  const timeline = row.id
  const before = Number.MAX_SAFE_INTEGER
  if (row.events > limits.events) {
    trimCustomEvents(db, { timeline, before, limit: row.events - limits.events })
  }
  // Drops an average tenth more than necessary, so that not every post has to trim.
  if (bytes > limits.bytes) {
    const share = (bytes - limits.bytes) / Math.max(row.bytes, 1)
    trimCustomEvents(db, { timeline, before, limit: Math.ceil((share + 0.1) * row.events) })
  }
}

function refused(status: number, error: string, message: string) {
  return { ok: false, status, error, message } as const
}

// One replay: a second stream of some accounts, from some hours ago until it reaches the main one. Its events
// go through the same indexer, which skips known, outdated and deleted records by rev and tombstone; the main
// stream's cursor is untouched. The replay's cursor is saved with the applied events, so a restart resumes
// there. Between slices the thread is yielded for as long as the slice took. Meanwhile the socket waits, and
// also while the disk is full, like the main stream's.

import {
  type Consumer,
  type ConsumerOptions,
  createConsumer,
  type StreamBatch,
  type StreamEvent,
} from '@slipstream/jetstream'
import { collections } from '../../base/atproto/collections.ts'
import type { Logger } from '../../base/obs/log.ts'
import { MINUTE_MS } from '../../base/util/durations.ts'
import { pause } from '../../base/util/waits.ts'
import type { Db } from '../../data/store/db.ts'
import { findActor } from '../../data/store/records/actors.ts'
import { type Replay, setReplayCursor, setReplayWindow } from '../../data/store/stream/replays.ts'
import type { WriteRetry } from '../../data/store/write-retry.ts'
import { commitBatch } from '../indexing/apply-batch.ts'
import { applyPastDeletion } from '../indexing/removal/past-deletion.ts'
import type { Writer } from '../indexing/writer.ts'
import { createCatchUp } from './catch-up.ts'
import { clockCursor } from './clock-cursor.ts'
import type { ReplayLimits } from './limits.ts'
import { createStallWatch, type Verdict } from './stall-watch.ts'
import type { StreamHead } from './stream-head.ts'

/** The hosts and how to connect to them; same as for the main stream. */
export type StreamSettings = Pick<
  ConsumerOptions,
  'hosts' | 'wire' | 'compress' | 'v1Dictionary' | 'cacheDir' | 'meter'
>

export type ReplayContext = {
  db: Db
  writer: Writer
  /** Called after each slice and awaited. */
  onApplied: () => Promise<void> | undefined
  writeRetry: WriteRetry
  stream: StreamSettings
  log: Logger
  now: () => number
  limits: ReplayLimits
}

export type ReplayEnd = {
  /** `stopped`: resumes after the restart. */
  how: Verdict | 'stopped'
  events: number
  /** Start of the host's window, in microseconds, if later than requested. */
  windowUs: number | undefined
}

export type ReplayRun = {
  readonly ended: Promise<ReplayEnd>
  /** Microseconds; undefined before the first event. */
  reachedUs(): number | undefined
  stop(): void
}

const LOOK_EVERY_MS = 50
/** An account looked up this long after its identity event need not be looked up again. */
const CLOCKS_MS = 10 * MINUTE_MS

/**
 * `accounts`: uids of the replayed accounts, by DID. `head` undefined: the main stream has never
 * received anything.
 */
export function startReplayRun(
  context: ReplayContext,
  replay: Replay,
  { accounts, head }: { accounts: ReadonlyMap<string, number>; head: StreamHead | undefined },
): ReplayRun {
  const { db, limits, now, writeRetry, writer } = context
  const catchUp = head && createCatchUp(head, limits)
  const stallWatch = createStallWatch({
    limits,
    quietMs: catchUp ? undefined : limits.quietMs,
    startedAtMs: now(),
    lookEveryMs: LOOK_EVERY_MS,
  })
  const abort = new AbortController()
  const { promise: ended, resolve } = Promise.withResolvers<ReplayEnd>()
  let { windowUs } = replay
  let reachedUs = replay.cursor?.timeUs
  let events = 0
  let isApplying = false

  async function apply(batch: StreamBatch): Promise<void> {
    isApplying = true
    try {
      await applyBatch(batch)
    } finally {
      isApplying = false
    }
  }

  async function applyBatch(batch: StreamBatch): Promise<void> {
    if (abort.signal.aborted) return
    const all = batch.events as StreamEvent[]
    const ours = all.filter((event) => {
      const uid = accounts.get(event.did)
      return uid !== undefined && !isKnownIdentity(db, uid, event)
    })
    const began = performance.now()
    const beginsAtUs = windowIn(batch)
    const isApplied = await writeRetry.retry(() => {
      applyDeletions(context, accounts, ours)
      commitBatch(writer, { events: ours }, ({ db }) => {
        setReplayCursor(db, replay.id, batch.cursor)
        if (beginsAtUs !== undefined) setReplayWindow(db, replay.id, beginsAtUs)
      })
      return true
    })
    if (!isApplied) return
    if (beginsAtUs !== undefined) windowUs = Math.max(windowUs ?? 0, beginsAtUs)
    catchUp?.note({ events: all, cursor: batch.cursor })
    reachedUs = batch.cursor.timeUs
    stallWatch.heard(now())
    events += ours.length
    await context.onApplied()
    await pause(Math.max(1, performance.now() - began), abort.signal)
  }

  function look(): void {
    stallWatch.looked(now(), isApplying)
    if (writeRetry.isFull()) stallWatch.heldUp(now(), LOOK_EVERY_MS)
    const how = stallWatch.verdict(now(), consumer.status(), catchUp)
    if (how) void end(how)
  }

  async function end(how: ReplayEnd['how']): Promise<void> {
    clearInterval(timer)
    abort.abort()
    await consumer.stop()
    resolve({ how, events, windowUs })
  }

  const consumer = openStream(context, replay, { accounts, head, apply })
  const timer = setInterval(look, LOOK_EVERY_MS)
  consumer.start()
  return {
    ended,
    reachedUs: () => reachedUs,
    stop: () => void end('stopped'),
  }
}

/**
 * Start of the host's window, as reported by the host. Broken events of single accounts are left to
 * the main stream.
 */
function windowIn({ gaps }: StreamBatch): number | undefined {
  const reported = gaps.filter(({ did }) => did === undefined).map(({ toUs }) => toUs)
  return reported.length > 0 ? Math.max(...reported) : undefined
}

/**
 * Applies deletions before the other events: older records are then left out, wherever they are in
 * the batch.
 */
function applyDeletions(
  { writer }: ReplayContext,
  accounts: ReadonlyMap<string, number>,
  events: readonly StreamEvent[],
): void {
  const deletions = events.filter((event) => event.kind === 'account' && event.status === 'deleted')
  if (deletions.length === 0) return
  writer.commit((ctx) => {
    for (const { did, timeUs } of deletions) applyPastDeletion(ctx, accounts.get(did)!, timeUs)
  })
}

function openStream(
  { stream, log, limits }: ReplayContext,
  replay: Replay,
  of: {
    accounts: ReadonlyMap<string, number>
    head: StreamHead | undefined
    apply: ConsumerOptions['apply']
  },
): Consumer {
  const beacons = of.head?.beacons.map(({ did }) => did) ?? []
  return createConsumer({
    ...stream,
    hosts: hostsFrom(stream.hosts, of.head?.cursor.host),
    // Where a proxy on the way rejects the long URL, the other wire takes any number of accounts.
    wire: stream.wire === 'v2' ? 'auto' : stream.wire,
    alwaysFiltered: true,
    filters: { collections, dids: [...new Set([...of.accounts.keys(), ...beacons])] },
    cursors: [replay.cursor ?? clockCursor(stream.hosts, stream.wire, replay.fromUs)],
    apply: of.apply,
    log: log.child({ replay: replay.id }),
    limits: { maxBatchEvents: limits.slice, maxBatchBytes: 2 * 1024 * 1024 },
  })
}

/** The main stream's host first: its seqs are valid only there. */
function hostsFrom(hosts: readonly string[], first: string | undefined): string[] {
  if (first === undefined || !hosts.includes(first)) return [...hosts]
  return [first, ...hosts.filter((host) => host !== first)]
}

/** The lookup that this event would cause was made meanwhile. */
function isKnownIdentity(db: Db, uid: number, event: StreamEvent): boolean {
  if (event.kind !== 'identity') return false
  const checkedAt = findActor(db, uid)?.identity_checked_at ?? 0
  return checkedAt > event.timeUs / 1000 + CLOCKS_MS
}

// Replays a gap of the main stream from one host: everything from the gap's start on, by the same filters, through
// the same indexer, which sorts out by rev and tombstone what is known already. How far it is, is written down after
// each slice, and a restart goes on there. Between two slices the thread is left to others for as long as the slice
// took, or longer while a member waits; and while the disk is full the socket waits.

import type { StreamCursor, StreamEvent, StreamGap, StreamItem } from '../../base/event.ts'
import { pause } from '../../base/util/waits.ts'
import { actorStatus } from '../../data/store/actors.ts'
import { setGapReached, splitGap } from '../../data/store/gap-repair.ts'
import type { Gap } from '../../data/store/gaps.ts'
import {
  type Consumer,
  createConsumer,
  type StreamBatch,
} from '../../sources/jetstream/consumer.ts'
import { commitBatch } from '../indexing/apply-batch.ts'
import type { IndexContext } from '../indexing/index-context.ts'
import { applyPastDeletion } from '../indexing/past-deletion.ts'
import { type CatchUp, createCatchUp } from './catch-up.ts'
import type { GapRepairParts } from './gap-parts.ts'
import { createStallWatch, type StallWatch, type Verdict } from './stall-watch.ts'

export type GapRunEnd = {
  /** `clamped`: the host's window begins there, and nothing was replayed. `stopped`: it goes on after the restart. */
  how: Verdict | 'clamped' | 'stopped'
  host: string
  events: number
  /** Frames that could not be read again. */
  unreadable: number
  /** Where the host's window begins, if within the gap: from there on nothing is missing. */
  windowUs: number | undefined
}

export type GapRun = { readonly ended: Promise<GapRunEnd>; stop(): void }

const LOOK_EVERY_MS = 50
const PATIENT = 4
const KEPT_ITEMS = 128

/**
 * It does not stop at the gap's end. What the gap brought may have been deleted since, and of a stranger such a
 * deletion left no trace, because nothing was there to delete. So it goes on to where the main stream was when the
 * replay came to the gap's end; later deletions find what was replayed.
 *
 * `takesWindow`: goes on although the host's window begins within the gap, which is split there.
 */
export function startGapRun(
  parts: GapRepairParts,
  gap: Gap,
  from: { host: string; takesWindow: boolean },
): GapRun {
  return new Run(parts, gap, from)
}

class Run implements GapRun {
  readonly ended: Promise<GapRunEnd>
  readonly #parts: GapRepairParts
  readonly #gap: Gap
  readonly #host: string
  readonly #takesWindow: boolean
  readonly #stallWatch: StallWatch
  readonly #abort = new AbortController()
  readonly #consumer: Consumer
  readonly #timer: NodeJS.Timeout
  readonly #end: (end: GapRunEnd) => void
  #catchUp: CatchUp | undefined
  #meetsFromUs = Number.POSITIVE_INFINITY
  #reachedUs: number
  #cursor: StreamCursor | undefined
  #latest: StreamItem[] = []
  #events = 0
  #unreadable = 0
  #windowUs: number | undefined

  constructor(
    parts: GapRepairParts,
    gap: Gap,
    { host, takesWindow }: { host: string; takesWindow: boolean },
  ) {
    this.#parts = parts
    this.#gap = gap
    this.#host = host
    this.#takesWindow = takesWindow
    this.#stallWatch = createStallWatch({
      limits: parts.limits,
      quietMs: undefined,
      startedAtMs: parts.now(),
    })
    this.#reachedUs = Math.max(gap.fromUs, gap.reached)
    const { promise, resolve } = Promise.withResolvers<GapRunEnd>()
    this.ended = promise
    this.#end = resolve
    const apply = (batch: StreamBatch) => this.#apply(batch)
    this.#consumer = openStream(parts, gap, { host, reachedUs: this.#reachedUs, apply })
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS)
    this.#consumer.start()
  }

  stop(): void {
    void this.#finish('stopped')
  }

  async #apply(batch: StreamBatch): Promise<void> {
    const { signal } = this.#abort
    if (signal.aborted) return
    const clamp = batch.gaps.find(isClamp)
    if (clamp && !(await this.#takeWindow(clamp.toUs))) return
    const { now, onApplied, isBusy, writeRetry } = this.#parts
    const began = performance.now()
    if (!(await writeRetry.retry(() => this.#write(batch)))) return
    this.#reachedUs = batch.cursor.timeUs
    this.#unreadable += batch.gaps.filter(({ cause }) => cause === 'dropped-frame').length
    this.#events += batch.events.length
    this.#stallWatch.heard(now())
    this.#cursor = batch.cursor
    this.#latest = [...this.#latest, ...batch.events.slice(-KEPT_ITEMS)].slice(-KEPT_ITEMS)
    if (!this.#catchUp) this.#aim()
    else if (batch.cursor.timeUs >= this.#meetsFromUs) this.#note(batch.events)
    await onApplied()
    const rest = (performance.now() - began) * (isBusy() ? PATIENT : 1)
    await pause(Math.max(1, rest), signal)
  }

  #write({ events, gaps, cursor }: StreamBatch): true {
    const { writer } = this.#parts
    const broken = gaps.filter(({ did }) => did !== undefined)
    writer.commit((ctx) => applyLateDeletions(ctx, events))
    commitBatch(writer, { events, gaps: broken }, ({ db }) =>
      setGapReached(db, this.#gap.id, cursor.timeUs),
    )
    return true
  }

  /** @returns whether to go on. */
  async #takeWindow(windowUs: number): Promise<boolean> {
    const { writer, writeRetry } = this.#parts
    this.#windowUs = windowUs
    if (!this.#takesWindow) {
      void this.#finish('clamped')
      return false
    }
    const isSplit = await writeRetry.retry(() => {
      writer.commit(({ db }) => splitGap(db, this.#gap.id, windowUs))
      return true
    })
    return isSplit === true
  }

  /** At the gap's end: where the main stream is now is where this one may end. */
  #aim(): void {
    const { head, limits, now } = this.#parts
    const { toUs } = this.#gap
    const at = this.#catchUp || this.#reachedUs < toUs ? undefined : head()
    if (!at || at === 'wait') return
    const overlapUs = limits.overlapMs * 1000
    // Another host's clock may call later what was in the gap.
    const isSure = this.#reachedUs >= toUs + overlapUs || at.cursor.host === this.#host
    if (!isSure && now() - this.#stallWatch.heardAtMs() < limits.overlapMs) return
    this.#catchUp = createCatchUp(at, limits)
    this.#meetsFromUs = at.cursor.timeUs - overlapUs
    // What tells that the main stream is met may have come already.
    this.#note(this.#latest)
  }

  #note(items: readonly StreamItem[]): void {
    if (!this.#cursor) return
    const events = items.flatMap((item) => readItem(item) ?? [])
    this.#catchUp?.note({ events, cursor: this.#cursor }, this.#stallWatch.heardAtMs())
  }

  #look(): void {
    const { now, writeRetry } = this.#parts
    if (writeRetry.isFull()) this.#stallWatch.heldUp(now(), LOOK_EVERY_MS)
    this.#aim()
    const how = this.#stallWatch.verdict(now(), this.#consumer.status(), this.#catchUp)
    if (how) void this.#finish(how)
  }

  async #finish(how: GapRunEnd['how']): Promise<void> {
    if (this.#abort.signal.aborted) return
    clearInterval(this.#timer)
    this.#abort.abort()
    await this.#consumer.stop()
    const [events, unreadable] = [this.#events, this.#unreadable]
    this.#end({ how, host: this.#host, events, unreadable, windowUs: this.#windowUs })
  }
}

function isClamp({ cause }: StreamGap): boolean {
  return cause === 'outdated-cursor' || cause === 'cursor-too-old'
}

/**
 * Accounts that were deleted in the gap, and of which later news was heard: what is older must go, and what is
 * younger comes again with this replay.
 */
function applyLateDeletions(ctx: IndexContext, items: readonly StreamItem[]): void {
  for (const item of items) {
    if (item.kind !== 'account' || item.status !== 'deleted') continue
    const uid = ctx.actors.uidOf(item.did)
    const isLate = uid !== 0 && (actorStatus(ctx.db, uid)?.status_at ?? 0) > item.timeUs
    if (isLate) applyPastDeletion(ctx, uid, item.timeUs)
  }
}

function readItem(item: StreamItem): StreamEvent | undefined {
  return item.kind === 'unread' ? item.read() : item
}

function openStream(
  { stream, filters, unread, log, limits }: GapRepairParts,
  gap: Gap,
  of: { host: string; reachedUs: number; apply: (batch: StreamBatch) => Promise<void> },
): Consumer {
  // Of no host: so it is resumed by time, less an overlap that must bring again what was had before.
  const cursor: StreamCursor = { host: '', wire: 'v1', seq: undefined, timeUs: of.reachedUs }
  return createConsumer({
    ...stream,
    hosts: [of.host],
    wire: stream.wire === 'v2' ? 'auto' : stream.wire,
    // What could not be read may have been the compression's fault.
    compress: stream.compress && gap.cause !== 'dropped-frame',
    filters: filters(),
    unread,
    cursors: [cursor],
    apply: of.apply,
    log: log.child({ gap: gap.id }),
    limits: { maxBatchEvents: limits.slice, maxBatchBytes: 2 * 1024 * 1024 },
  })
}

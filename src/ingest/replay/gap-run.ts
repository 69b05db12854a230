// Replays a gap of the main stream from one host: everything from the gap's start on, with the same filters,
// through the same indexer, which skips known events by rev and tombstone. Progress is saved after each
// slice, and a restart resumes there. Between slices the thread is yielded for as long as the slice took, or
// longer while a member waits. While the disk is full the socket waits.

import {
  type Consumer,
  createConsumer,
  type StreamBatch,
  type StreamCursor,
  type StreamEvent,
  type StreamGap,
  type StreamItem,
} from '@slipstream/jetstream'
import { pause } from '../../base/util/waits.ts'
import { actorStatus } from '../../data/store/records/actors.ts'
import { setGapReached, splitGap } from '../../data/store/stream/gap-repair.ts'
import type { Gap } from '../../data/store/stream/gaps.ts'
import { commitBatch } from '../indexing/apply-batch.ts'
import type { IndexContext } from '../indexing/index-context.ts'
import { applyPastDeletion } from '../indexing/removal/past-deletion.ts'
import { type CatchUp, createCatchUp } from './catch-up.ts'
import type { GapRepairContext } from './gap-context.ts'
import { createStallWatch, type StallWatch, type Verdict } from './stall-watch.ts'

export type GapRunEnd = {
  /**
   * `clamped`: the host's window begins within the gap, and nothing was replayed. `stopped`:
   * resumes after the restart.
   */
  how: Verdict | 'clamped' | 'stopped'
  host: string
  events: number
  /** Frames that were unreadable again. */
  unreadable: number
  /** Start of the host's window, if within the gap: from there on nothing is missing. */
  windowUs: number | undefined
}

export type GapRun = { readonly ended: Promise<GapRunEnd>; stop(): void }

const LOOK_EVERY_MS = 50
const PATIENT = 4
const RETAINED_ITEMS = 128

/**
 * Does not stop at the gap's end. A record created in the gap may have been deleted since, and a
 * stranger's deletion left no trace, because there was no row to delete. So the replay continues to
 * where the main stream was when the replay reached the gap's end; later deletions find the
 * replayed rows.
 *
 * `takesWindow`: continues although the host's window begins within the gap, which is split there.
 */
export function startGapRun(
  context: GapRepairContext,
  gap: Gap,
  from: { host: string; takesWindow: boolean },
): GapRun {
  return new Run(context, gap, from)
}

class Run implements GapRun {
  readonly ended: Promise<GapRunEnd>
  readonly #context: GapRepairContext
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
  #isApplying = false
  #unreadable = 0
  #windowUs: number | undefined

  constructor(
    context: GapRepairContext,
    gap: Gap,
    { host, takesWindow }: { host: string; takesWindow: boolean },
  ) {
    this.#context = context
    this.#gap = gap
    this.#host = host
    this.#takesWindow = takesWindow
    this.#stallWatch = createStallWatch({
      limits: context.limits,
      quietMs: undefined,
      startedAtMs: context.now(),
      lookEveryMs: LOOK_EVERY_MS,
    })
    this.#reachedUs = Math.max(gap.fromUs, gap.reached)
    const { promise, resolve } = Promise.withResolvers<GapRunEnd>()
    this.ended = promise
    this.#end = resolve
    const apply = (batch: StreamBatch) => this.#apply(batch)
    this.#consumer = openStream(context, gap, { host, reachedUs: this.#reachedUs, apply })
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS)
    this.#consumer.start()
  }

  stop(): void {
    void this.#finish('stopped')
  }

  async #apply(batch: StreamBatch): Promise<void> {
    this.#isApplying = true
    try {
      await this.#applyBatch(batch)
    } finally {
      this.#isApplying = false
    }
  }

  async #applyBatch(batch: StreamBatch): Promise<void> {
    const { signal } = this.#abort
    if (signal.aborted) return
    const clamp = batch.gaps.find(isClamp)
    if (clamp && !(await this.#takeWindow(clamp.toUs))) return
    const { now, onApplied, isBusy, writeRetry } = this.#context
    const began = performance.now()
    if (!(await writeRetry.retry(() => this.#write(batch)))) return
    this.#reachedUs = batch.cursor.timeUs
    this.#unreadable += batch.gaps.filter(({ cause }) => cause === 'dropped-frame').length
    this.#events += batch.events.length
    this.#stallWatch.heard(now())
    this.#cursor = batch.cursor
    this.#latest = [...this.#latest, ...batch.events.slice(-RETAINED_ITEMS)].slice(-RETAINED_ITEMS)
    if (!this.#catchUp) this.#aim()
    else if (batch.cursor.timeUs >= this.#meetsFromUs) this.#note(batch.events)
    await onApplied()
    const rest = (performance.now() - began) * (isBusy() ? PATIENT : 1)
    await pause(Math.max(1, rest), signal)
  }

  #write({ events, gaps, cursor }: StreamBatch): true {
    const { writer } = this.#context
    const broken = gaps.filter(({ did }) => did !== undefined)
    writer.commit((ctx) => applyLateDeletions(ctx, events))
    commitBatch(writer, { events, gaps: broken }, ({ db }) =>
      setGapReached(db, this.#gap.id, cursor.timeUs),
    )
    return true
  }

  /** @returns whether to continue. */
  async #takeWindow(windowUs: number): Promise<boolean> {
    const { writer, writeRetry } = this.#context
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

  /** At the gap's end: makes the main stream's current position the end of this run. */
  #aim(): void {
    const { head, limits, now } = this.#context
    const { toUs } = this.#gap
    const at = this.#catchUp || this.#reachedUs < toUs ? undefined : head()
    if (!at || at === 'wait') return
    const overlapUs = limits.overlapMs * 1000
    // By another host's clock, events of the gap may be stamped later.
    const isSure = this.#reachedUs >= toUs + overlapUs || at.cursor.host === this.#host
    if (!isSure && now() - this.#stallWatch.heardAtMs() < limits.overlapMs) return
    this.#catchUp = createCatchUp(at, limits)
    this.#meetsFromUs = at.cursor.timeUs - overlapUs
    // The event that shows the main stream is reached may be among the latest ones.
    this.#note(this.#latest)
  }

  #note(items: readonly StreamItem[]): void {
    if (!this.#cursor) return
    const events = items.flatMap((item) => readItem(item) ?? [])
    this.#catchUp?.note({ events, cursor: this.#cursor })
  }

  #look(): void {
    const { now, writeRetry } = this.#context
    this.#stallWatch.looked(now(), this.#isApplying)
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
 * Accounts that were deleted in the gap, with a newer status known already: older records must go,
 * and this replay brings newer ones again.
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
  { stream, filters, unread, log, limits }: GapRepairContext,
  gap: Gap,
  of: { host: string; reachedUs: number; apply: (batch: StreamBatch) => Promise<void> },
): Consumer {
  // No host: the stream resumes by time, with an overlap that repeats earlier events.
  const cursor: StreamCursor = { host: '', wire: 'v1', seq: undefined, timeUs: of.reachedUs }
  return createConsumer({
    ...stream,
    hosts: [of.host],
    wire: stream.wire === 'v2' ? 'auto' : stream.wire,
    // The compression may be why the frame was unreadable.
    compress: stream.compress && gap.cause !== 'dropped-frame',
    filters: filters(),
    unread,
    cursors: [cursor],
    apply: of.apply,
    log: log.child({ gap: gap.id }),
    limits: { maxBatchEvents: limits.slice, maxBatchBytes: 2 * 1024 * 1024 },
  })
}

// Reads com.atproto.sync.subscribeRepos of one host after another: a relay, or a PDS. Frames are judged in
// order (judge.ts), and are handed over in batches like Jetstream's. Several hosts at once are a consumer each.
// The cursor is the host's sequence number (numbering.ts); on another host, the stream begins with the present.

import {
  type Batcher,
  type Connection,
  type ConsumerLimits,
  createBatcher,
  createHosts,
  createSilenceWatch,
  defaultLimits,
  type Ending,
  type Hosts,
  type Meter,
  type Notice,
  openConnection,
  type SilenceWatch,
  type StreamCursor,
} from '@slipstream/jetstream'
import { pause } from '../../../base/util/waits.ts'
import type { FirehoseOptions, FirehoseStatus } from './consumer-options.ts'
import { decodeFrame, type RepoFrame } from './frame.ts'
import type { Verdict } from './judge.ts'
import { createNumbering, markOf, type Numbering } from './numbering.ts'
import { createTail, type Tail } from './tail.ts'

export type Firehose = {
  start(): void
  /** Resolves when the current batch is applied and the socket is closed. */
  stop(): Promise<void>
  status(): FirehoseStatus
}

type Waiting = { host: string; frame: RepoFrame; bytes: number }

const PATH = '/xrpc/com.atproto.sync.subscribeRepos'
/** By the specification of the lexicon, a frame has up to 5 MB. */
const MAX_FRAME_BYTES = 5_000_000
/** The host no longer has, or never had, the event with this number. */
const LOST_CURSOR: ReadonlySet<string> = new Set(['OutdatedCursor', 'FutureCursor'])
const NOTHING: Verdict = { events: [] }
/** Frames that wait for their turn before the socket does. */
const MOST_WAITING = 1_000

export function createFirehose(options: FirehoseOptions): Firehose {
  const consumer = new FirehoseConsumer(options)
  return {
    start: () => consumer.start(),
    stop: () => consumer.stop(),
    status: () => consumer.status(),
  }
}

class FirehoseConsumer {
  readonly #options: FirehoseOptions
  readonly #limits: ConsumerLimits
  readonly #hosts: Hosts
  readonly #cursors: Map<string, StreamCursor>
  readonly #batcher: Batcher
  readonly #abort = new AbortController()
  readonly #waiting: Waiting[] = []
  readonly #silence: SilenceWatch
  readonly #tail: Tail
  readonly #status: FirehoseStatus
  readonly #now: () => number

  #current: StreamCursor | undefined
  #receivedUntilUs: number | undefined
  /** Microseconds: since then events may be missing; the next frame, or a stream from the present, ends it. */
  #lostSinceUs: number | undefined
  #numbering: Numbering | undefined
  #opened = 0
  #connection: Connection | undefined
  #running: Promise<void> | undefined
  #judging: Promise<void> | undefined
  #isFull = false

  constructor(options: FirehoseOptions) {
    const { apply, now = Date.now, random = Math.random } = options
    this.#options = options
    this.#now = now
    this.#limits = { ...defaultLimits, ...options.limits, maxFrameBytes: MAX_FRAME_BYTES }
    this.#hosts = createHosts(options.hosts, this.#limits, random)
    this.#receivedUntilUs = options.receivedUntilUs
    this.#tail = createTail({
      isAtHome: options.isAtHome ?? (() => false),
      cursors: options.cursors,
      now,
    })
    this.#cursors = new Map(options.cursors.map((cursor) => [cursor.host, cursor]))
    this.#status = {
      host: this.#hosts.current(),
      connected: false,
      paused: false,
      received: 0,
      lastEventTimeUs: undefined,
      lagMs: undefined,
      reconnects: 0,
      gaps: 0,
      lastError: undefined,
    }
    this.#silence = createSilenceWatch(this.#limits, {
      received: () => this.#status.received,
      // Where nothing was ever numbered, each connection leaves a gap, and there is no other host.
      isExpected: () =>
        !this.#status.paused && (options.hosts.length > 1 || this.#current?.seq !== undefined),
    })
    this.#batcher = createBatcher({
      maxEvents: () => this.#limits.maxBatchEvents,
      maxBytes: this.#limits.maxBatchBytes,
      now,
      cursor: () => this.#current!,
      apply,
      onRest: () => undefined,
      onFull: () => this.#setFull(true),
      onSpace: () => this.#setFull(false),
    })
  }

  start(): void {
    this.#running ??= this.#run()
  }

  async stop(): Promise<void> {
    this.#abort.abort()
    this.#connection?.leave()
    await Promise.all([this.#running, this.#judging])
    await this.#batcher.stop()
  }

  status(): FirehoseStatus {
    return { ...this.#status, reconnects: Math.max(0, this.#opened - 1) }
  }

  #setFull(isFull: boolean): void {
    this.#isFull = isFull
    this.#flow()
  }

  #flow(): void {
    this.#status.paused = this.#isFull || this.#waiting.length >= MOST_WAITING
    if (this.#status.paused) this.#connection?.pause()
    else this.#connection?.resume()
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort
    while (!signal.aborted) {
      const host = this.#hosts.current()
      const receivedBefore = this.#status.received
      const ending = await this.#attempt(host)
      this.#silence.stop()
      this.#status.connected = false
      this.#options.arrivals?.setConnected(host, false)
      if (this.#status.received > receivedBefore) this.#hosts.succeeded()
      if (ending.kind !== 'left') this.#tail.end(host)
      if (!signal.aborted) await pause(this.#settle(host, ending), signal)
    }
  }

  #attempt(host: string): Promise<Ending> {
    const cursor = this.#cursors.get(host)
    const present = { host, wire: 'repos', seq: undefined, timeUs: this.#now() * 1000 } as const
    this.#current = cursor?.seq === undefined ? { ...present, isByClock: true } : cursor
    this.#status.host = host
    this.#numbering = createNumbering(cursor)
    const from = this.#numbering.from
    const query = from === undefined ? '' : `?cursor=${from}`
    const meter = this.#options.meter?.(host)
    this.#connection = openConnection({
      url: `${host}${PATH}${query}`,
      limits: this.#limits,
      maxPayloadBytes: MAX_FRAME_BYTES,
      onSocket: meter?.socket,
      onOpen: () => this.#onOpen(host, cursor?.seq),
      onFrame: (data) => this.#onFrame(host, data, meter),
    })
    return this.#connection.ended
  }

  #onOpen(host: string, cursor: number | undefined): void {
    if (cursor === undefined) this.#beginAtPresent(host)
    this.#compareTail(host)
    this.#opened++
    this.#status.connected = true
    this.#silence.watch((message) => this.#connection?.giveUp(message))
    this.#options.arrivals?.setConnected(host, true)
    this.#status.lastError = undefined
    this.#options.log.info({ host, cursor }, 'firehose connected')
  }

  #beginAtPresent(host: string): void {
    this.#loseSince(this.#receivedUntilUs)
    this.#endLoss(host)
    if (this.#receivedUntilUs !== undefined) this.#receivedUntilUs = this.#now() * 1000
  }

  #compareTail(host: string): void {
    const atUs = this.#now() * 1000
    const range = { host, fromUs: atUs, toUs: atUs, cause: 'broken-event' } as const
    const dids = this.#tail.begin(host)
    for (const did of dids) this.#batcher.addGap({ ...range, did })
    if (dids.length > 0) this.#batcher.passGaps()
  }

  #loseSince(timeUs: number | undefined): void {
    if (timeUs === undefined) return
    this.#lostSinceUs = Math.min(timeUs, this.#lostSinceUs ?? timeUs)
  }

  #endLoss(host: string): void {
    const fromUs = this.#lostSinceUs
    if (fromUs === undefined) return
    this.#lostSinceUs = undefined
    this.#status.gaps++
    this.#batcher.addGap({ host, fromUs, toUs: this.#now() * 1000, cause: 'outdated-cursor' })
    this.#batcher.passGaps()
  }

  #settle(host: string, ending: Ending): number {
    if (ending.kind === 'left') return 0
    this.#status.lastError = `${ending.kind}: ${ending.message}`
    const pauseMs = this.#hosts.failed()
    const line = { host, ...ending, pauseMs: Math.round(pauseMs) }
    this.#options.log.warn(line, 'firehose lost')
    return pauseMs
  }

  #onFrame(host: string, data: Buffer, meter: Meter | undefined): void {
    const frame = decodeFrame(data)
    meter?.frame(kindOf(frame), data.length, data.length)
    const standing = isNumbered(frame) ? this.#numbering?.standing(frame) : undefined
    // No sign of life: it comes with each connection.
    if (standing === 'known') return
    this.#status.received++
    if (typeof frame === 'string') return this.#options.onFailure(host, frame)
    if ('notice' in frame) return this.#onNotice(host, frame)
    if (standing === 'restarted') this.#onRestarted(host, frame)
    this.#options.judge.expect(frame)
    this.#waiting.push({ host, frame, bytes: data.length })
    if (this.#waiting.length === MOST_WAITING) this.#flow()
    this.#judging ??= this.#judgeAll()
  }

  /** Sequence numbers that this host no longer has (an info), or never gave (an error): what is between is a gap. */
  #onNotice(host: string, { notice, name, message }: Notice): void {
    this.#options.log.warn({ host, notice, name, message }, 'notice from the firehose')
    if (notice === 'error') this.#status.lastError = `${name}: ${message}`
    if (!LOST_CURSOR.has(name)) return
    this.#loseSince(this.#cursors.get(host)?.timeUs)
    if (notice === 'error') this.#cursors.delete(host)
  }

  /** The event with our last number is another one, or none: the host numbers anew, or has no past. */
  #onRestarted(host: string, { seq }: RepoFrame): void {
    const before = this.#cursors.get(host)
    this.#options.log.warn({ host, seq, before: before?.seq }, 'the firehose’s numbers are others')
    this.#loseSince(before?.timeUs)
  }

  async #judgeAll(): Promise<void> {
    const { judge, arrivals } = this.#options
    // Frames that arrived together are read before the first is judged.
    await undefined
    for (let i = 0; i < this.#waiting.length && !this.#abort.signal.aborted; i++) {
      const item = this.#waiting[i]!
      const { host, frame } = item
      const commit = frame.kind === 'commit' ? frame.commit : undefined
      if (commit !== undefined && arrivals?.isKnown(host, commit)) {
        this.#take(item, NOTHING)
        continue
      }
      const judged = judge.judge(frame)
      const verdict = judged instanceof Promise ? await judged : judged
      if (commit !== undefined && !verdict.failure) arrivals?.add(host, commit)
      this.#take(item, verdict)
    }
    this.#waiting.length = 0
    this.#judging = undefined
    this.#flow()
  }

  #take({ host, frame, bytes }: Waiting, { events, failure, ...verdict }: Verdict): void {
    const { did, seq, timeUs } = frame
    const isIncomplete = this.#tail.note(host, frame) || verdict.isIncomplete
    if (failure) this.#options.onFailure(host, failure)
    this.#endLoss(host)
    const gap = { host, fromUs: timeUs, toUs: timeUs, cause: 'broken-event', did } as const
    if (isIncomplete) this.#batcher.addGap(gap)
    for (const event of events) {
      if (event.kind === 'commit' && !this.#options.collections.has(event.collection)) continue
      this.#batcher.add(event, bytes / events.length)
    }
    const now = this.#now()
    const at = { host, wire: 'repos', seq, timeUs: Math.min(timeUs, now * 1000) } as const
    this.#current = { ...at, mark: markOf(frame) }
    this.#cursors.set(host, this.#current)
    if (isIncomplete) this.#batcher.passGaps()
    if (this.#receivedUntilUs !== undefined) this.#receivedUntilUs = this.#current.timeUs
    this.#status.lastEventTimeUs = this.#current.timeUs
    this.#status.lagMs = Math.max(0, now - timeUs / 1000)
    this.#options.meter?.(host).lag?.(this.#status.lagMs)
  }
}

function isNumbered(frame: ReturnType<typeof decodeFrame>): frame is RepoFrame {
  return typeof frame === 'object' && 'seq' in frame
}

function kindOf(frame: ReturnType<typeof decodeFrame>): string {
  if (typeof frame === 'string' || 'notice' in frame) return 'unusable'
  if (frame.kind !== 'commit') return frame.kind
  return frame.ops[0]?.collection ?? 'other'
}

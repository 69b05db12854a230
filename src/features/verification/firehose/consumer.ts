// Reads com.atproto.sync.subscribeRepos of one host after another: a relay, or a PDS. Frames are judged in
// order (judge.ts), and are handed over in batches like Jetstream's. Several hosts at once are a consumer each.
// The cursor is the host's sequence number; on another host, the stream begins with the present.

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
  type StreamGap,
} from '@slipstream/jetstream'
import { pause } from '../../../base/util/waits.ts'
import type { FirehoseOptions, FirehoseStatus } from './consumer-options.ts'
import { decodeFrame, type RepoFrame } from './frame.ts'
import type { Verdict } from './judge.ts'

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
  readonly #status: FirehoseStatus
  readonly #now: () => number

  #current: StreamCursor | undefined
  #receivedUntilUs: number | undefined
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
      isExpected: () => !this.#status.paused,
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

  #addGap(gap: StreamGap): void {
    this.#status.gaps++
    this.#batcher.addGap(gap)
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
      if (!signal.aborted) await pause(this.#settle(host, ending), signal)
    }
  }

  #attempt(host: string): Promise<Ending> {
    const cursor = this.#cursors.get(host)
    const present = { host, wire: 'repos', seq: undefined, timeUs: this.#now() * 1000 } as const
    this.#current = cursor ?? { ...present, isByClock: true }
    this.#status.host = host
    const query = cursor?.seq === undefined ? '' : `?cursor=${cursor.seq}`
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
    const timeUs = this.#receivedUntilUs
    if (cursor === undefined && timeUs !== undefined) {
      this.#addGap(gapSince({ host, timeUs }, this.#now()))
      this.#receivedUntilUs = this.#now() * 1000
    }
    this.#opened++
    this.#status.connected = true
    this.#silence.watch((message) => this.#connection?.giveUp(message))
    this.#options.arrivals?.setConnected(host, true)
    this.#status.lastError = undefined
    this.#options.log.info({ host, cursor }, 'firehose connected')
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
    this.#status.received++
    meter?.frame(kindOf(frame), data.length, data.length)
    if (typeof frame === 'string') return this.#options.onFailure(host, frame)
    if ('notice' in frame) return this.#onNotice(host, frame)
    this.#options.judge.expect(frame)
    this.#waiting.push({ host, frame, bytes: data.length })
    if (this.#waiting.length === MOST_WAITING) this.#flow()
    this.#judging ??= this.#judgeAll()
  }

  /** Sequence numbers that this host does not know, or no longer: what is between is a gap. */
  #onNotice(host: string, { notice, name, message }: Notice): void {
    this.#options.log.warn({ host, notice, name, message }, 'notice from the firehose')
    if (notice === 'error') this.#status.lastError = `${name}: ${message}`
    const from = this.#cursors.get(host)
    if (!from || !LOST_CURSOR.has(name)) return
    this.#addGap(gapSince(from, this.#now()))
    this.#cursors.delete(host)
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

  #take({ host, frame, bytes }: Waiting, { events, failure, isIncomplete }: Verdict): void {
    const { did, seq, timeUs } = frame
    if (failure) this.#options.onFailure(host, failure)
    const gap = { host, fromUs: timeUs, toUs: timeUs, cause: 'broken-event', did } as const
    if (isIncomplete) this.#batcher.addGap(gap)
    for (const event of events) {
      if (event.kind === 'commit' && !this.#options.collections.has(event.collection)) continue
      this.#batcher.add(event, bytes / events.length)
    }
    const now = this.#now()
    this.#current = { host, wire: 'repos', seq, timeUs: Math.min(timeUs, now * 1000) }
    this.#cursors.set(host, this.#current)
    if (isIncomplete) this.#batcher.passGaps()
    if (this.#receivedUntilUs !== undefined) this.#receivedUntilUs = this.#current.timeUs
    this.#status.lastEventTimeUs = this.#current.timeUs
    this.#status.lagMs = Math.max(0, now - timeUs / 1000)
    this.#options.meter?.(host).lag?.(this.#status.lagMs)
  }
}

function gapSince({ host, timeUs }: Pick<StreamCursor, 'host' | 'timeUs'>, now: number): StreamGap {
  return { host, fromUs: timeUs, toUs: now * 1000, cause: 'outdated-cursor' }
}

function kindOf(frame: ReturnType<typeof decodeFrame>): string {
  if (typeof frame === 'string' || 'notice' in frame) return 'unusable'
  if (frame.kind !== 'commit') return frame.kind
  return frame.ops[0]?.collection ?? 'other'
}

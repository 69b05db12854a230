// Server-sent events: a timeline's events as they arrive. A stream first catches up from its reader's
// position, page by page, then gets the events of one shared read for all (live-feed.ts), woken by the
// writer’s invalidations. A reader that is too slow is skipped until its socket is empty and then catches up
// again, so nothing is buffered for it. Streams are limited per reader and in total. A comment every 20
// seconds keeps proxies from timing out; access is rechecked then, and a member's each second.

import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { tooManyStreams } from '../../../base/atproto/xrpc-error.ts'
import { inLaterTurn } from '../../../base/util/turn.ts'
import { headMoved, ringHead } from '../../../data/shared-memory/invalidation-ring.ts'
import { BASE_HEADERS } from '../../../http/server/http-answer.ts'
import { countOtherwise } from '../../../http/server/listening/address-connections.ts'
import { eventJson } from '../sources/event-json.ts'
import { type Given, givenIn } from '../sources/given.ts'
import { type Merged, type MergedEvent, merge, moveOn, readMerged } from '../sources/merge.ts'
import type { Cursors, Position } from '../sources/signed-cursor.ts'
import type { TimelineKey } from '../sources/timeline-key.ts'
import { describeOwn, eventsOf } from '../sources/timelines.ts'
import type { TimelineSource } from '../sources/types.ts'
import { type Asker, untilPaid } from './access.ts'
import { drained } from './drained.ts'
import type { Delivery, LiveFeed } from './live-feed.ts'
import type { Topic } from './live-topic.ts'
import { type Chunk, chunksOf, dataOf, noticeOfDeleted, noticesBefore } from './stream-messages.ts'

type StreamRequest = {
  keys: readonly TimelineKey[]
  sources: readonly TimelineSource[]
  /** The reader's position in each timeline; undefined: from now on. */
  from: Omit<Position, 'isForward'> | undefined
  asker: Asker
}

export type Streams = {
  readonly open: number
  /** Writes to the response from now on. @throws XRPCError 429 */
  listen(request: StreamRequest, response: ServerResponse): void
  close(): void
}

type Stream = {
  request: StreamRequest
  response: ServerResponse
  at: number[]
  topics: Topic[]
  isLive: boolean
  given: Given
}

type StreamLimits = { all: number; ofToken: number; ofMember: number }

export const STREAM_LIMITS: StreamLimits = { all: 12_000, ofToken: 10_000, ofMember: 8 }
const CAUGHT_UP_AT_ONCE = 100
const MAX_UNSENT_BYTES = 256 << 10
/** Each event has its own: a page's marks would be three times its size. */
const MARKS_OF_AN_EVENT = 32
/** Poll interval for timelines that are fetched from elsewhere and send no notice of new events. */
const LOOKED_FOR_EVERY_MS = 1_000
/** Events that arrive within this time are sent together. */
const TOGETHER_MS = 10
/** How long readers are served in one turn of the event loop. */
const REPORTED_MS = 4
const LIVE = 'live'
const HEARTBEAT_SECONDS = 20
const HEARTBEAT = ': still here\n\n'
const RETRY = 'retry: 2000\n'

export const STREAM_TYPE = { 'content-type': 'text/event-stream; charset=utf-8' }
const HEADERS = {
  ...BASE_HEADERS,
  ...STREAM_TYPE,
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

type StreamContext = {
  feed: LiveFeed
  cursors: Cursors
  /** Must be called before sources are read. */
  begin: () => void
  invalidations: SharedArrayBuffer
  onError: (error: unknown) => void
  limits?: StreamLimits
}

export function createStreams(context: StreamContext): Streams {
  return new StreamHub(context)
}

class StreamHub implements Streams {
  readonly #context: StreamContext
  readonly #limits: StreamLimits
  readonly #streams = new Set<Stream>()
  readonly #listening = new Map<Topic, Set<Stream>>()
  readonly #counts = new Map<string, number>()
  readonly #timer: NodeJS.Timeout
  #isClosed = false
  #isWatching = false
  #beat = 0

  constructor(context: StreamContext) {
    this.#context = context
    this.#limits = context.limits ?? STREAM_LIMITS
    this.#timer = setInterval(() => this.#heartbeat(), 1_000).unref()
  }

  get open(): number {
    return this.#streams.size
  }

  listen(request: StreamRequest, response: ServerResponse): void {
    const { asker } = request
    this.#refuseTooMany(asker)
    const { at: from, given: marks } = request.from ?? {
      at: request.sources.map((source) => source.tip()),
    }
    const given = givenIn(request.sources, marks)
    const at = [...from]
    const stream: Stream = { request, response, at, topics: [], isLive: false, given }
    this.#streams.add(stream)
    this.#count(asker, 1)
    if (!asker.isMember) countOtherwise(response)
    response.once('close', () => {
      this.#goQuiet(stream)
      this.#streams.delete(stream)
      this.#count(asker, -1)
    })
    response.writeHead(200, HEADERS)
    // Sends a position before the first event, so that a reader that disconnects until then misses
    // nothing.
    response.write(`${RETRY}id: ${this.#placeOf(stream, at[0]!)}\n\n`)
    void this.#catchUp(stream)
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
    for (const stream of [...this.#streams]) this.#end(stream)
  }

  #refuseTooMany({ name, isMember }: Asker): void {
    const { all, ofMember, ofToken } = this.#limits
    const ofAsker = isMember ? ofMember : ofToken
    const hasTooMany = (this.#counts.get(name) ?? 0) >= ofAsker
    if (!hasTooMany && this.#streams.size < all) return
    const most = hasTooMany ? ofAsker : all
    throw tooManyStreams(`At most ${most} streams are open at once`)
  }

  #count({ name }: Asker, change: number): void {
    const count = (this.#counts.get(name) ?? 0) + change
    if (count > 0) this.#counts.set(name, count)
    else this.#counts.delete(name)
  }

  /** Runs each second, for one share of the streams. */
  #heartbeat(): void {
    this.#beat = (this.#beat + 1) % HEARTBEAT_SECONDS
    let i = 0
    for (const stream of [...this.#streams]) {
      const { asker } = stream.request
      const isDue = i++ % HEARTBEAT_SECONDS === this.#beat
      if ((isDue || asker.isMember) && !asker.isStillWelcome()) this.#end(stream)
      else if (isDue && stream.response.writableLength === 0) this.#write(stream, HEARTBEAT)
    }
  }

  /** The client may not have read everything yet, so its connection may stay for a while. */
  #end(stream: Stream): void {
    this.#goQuiet(stream)
    stream.response.end()
  }

  async #watch(): Promise<void> {
    const { feed, invalidations } = this.#context
    this.#isWatching = true
    while (!this.#isClosed && this.#streams.size > 0) {
      const head = ringHead(invalidations)
      const { deliveries, isEnd } = feed.look()
      await this.#deliver(deliveries)
      if (!isEnd) {
        await nextTurn()
        continue
      }
      await headMoved(invalidations, head)
      await pause(TOGETHER_MS)
    }
    this.#isWatching = false
  }

  /**
   * Serves a few readers per turn: thousands take a third of a second, in which other requests need
   * the thread.
   */
  async #deliver(deliveries: readonly Delivery[]): Promise<void> {
    const found = new Map<Topic, News>()
    const listeners = new Set<Stream>()
    for (const { topic, events, gaps, deleted } of deliveries) {
      const notices = deleted.map(
        (deletedEvent) => [deletedEvent.id, noticeOfDeleted(topic, deletedEvent)] as const,
      )
      found.set(topic, { chunks: chunksOf(topic, events, gaps), notices })
      topic.latest = events.at(-1)?.seq ?? topic.latest
      for (const stream of this.#listening.get(topic) ?? []) listeners.add(stream)
    }
    let until = performance.now() + REPORTED_MS
    for (const stream of listeners) {
      this.#report(stream, found)
      if (performance.now() < until) continue
      await nextTurn()
      until = performance.now() + REPORTED_MS
    }
  }

  /**
   * Merging, and a cursor for each event, are time of the reader's, as are all of a member's streams. Who has no
   * points left catches up once there are some.
   */
  #report(stream: Stream, found: ReadonlyMap<Topic, News>): void {
    const { asker, keys } = stream.request
    if (!asker.isMember && keys.length === 1) return this.#tell(stream, found)
    if (!stream.isLive) return
    if (!asker.caller.isSpent()) return asker.caller.time.run(() => this.#tell(stream, found))
    this.#goQuiet(stream)
    void this.#catchUp(stream)
  }

  /** Skips streams that have left meanwhile, and events that were already caught up from rows. */
  #tell(stream: Stream, found: ReadonlyMap<Topic, News>): void {
    if (!stream.isLive) return
    for (const notice of noticesOf(stream, found)) this.#write(stream, notice)
    for (const mergedEvent of inOrder(stream, found)) {
      const { from, event } = mergedEvent
      if (from.some((i) => event.seq <= stream.at[i]!)) continue
      moveOn(stream.request.sources, stream.at, { ...mergedEvent, isForward: true })
      this.#send(stream, event)
    }
    if (stream.response.writableLength > MAX_UNSENT_BYTES) this.#fallBehind(stream)
  }

  #send(stream: Stream, { seq, notice, data }: Omit<Chunk, 'at'>): void {
    this.#write(stream, `${notice}id: ${this.#placeOf(stream, seq)}\n${data}`)
  }

  /** Node ends the process if an ended response is written to. */
  #write({ response }: Stream, text: string): void {
    if (!response.writableEnded) response.write(text, 'latin1')
  }

  /** A single timeline uses the sequence number, several use a cursor. */
  #placeOf({ request, at, given }: Stream, seq: number): string {
    if (request.keys.length === 1) return String(seq)
    const key = request.keys.map(({ text }) => text).join('+')
    const marks = given.marks().slice(-MARKS_OF_AN_EVENT)
    return this.#context.cursors.write(key, { isForward: true, at, given: marks })
  }

  #fallBehind(stream: Stream): void {
    this.#goQuiet(stream)
    stream.response.once('drain', () => void this.#catchUp(stream))
  }

  #goLive(stream: Stream): void {
    const { keys, sources } = stream.request
    stream.isLive = true
    stream.topics = keys.map((key, i) => this.#context.feed.join(key, sources[i]!))
    for (const topic of stream.topics) {
      const others = this.#listening.get(topic) ?? new Set()
      this.#listening.set(topic, others.add(stream))
    }
    if (!this.#isWatching) void this.#watch().catch((error) => this.#fail(error))
  }

  #goQuiet(stream: Stream): void {
    if (!stream.isLive) return
    stream.isLive = false
    for (const topic of stream.topics) {
      const others = this.#listening.get(topic)
      others?.delete(stream)
      if (others?.size === 0) this.#listening.delete(topic)
      this.#context.feed.leave(topic)
    }
    stream.topics = []
  }

  async #catchUp(stream: Stream): Promise<void> {
    const { request, response } = stream
    try {
      while (!response.destroyed && !response.writableEnded && !this.#isClosed) {
        await untilPaid(request.asker)
        const page = await request.asker.caller.time.goOn(() => this.#readOn(stream))
        if (page === LIVE) return
        if (response.writableNeedDrain) await drained(response)
        else if (page.isEnd) await pause(LOOKED_FOR_EVERY_MS)
        else await nextTurn()
      }
    } catch (error) {
      this.#fail(error)
      response.destroy()
    }
  }

  /** Reads and writes one page; at the end, the stream is live from then on. */
  #readOn(stream: Stream): typeof LIVE | Merged | Promise<Merged> {
    const { response } = stream
    if (response.destroyed || response.writableEnded || this.#isClosed) return LIVE
    this.#context.begin()
    const range = { at: stream.at, isForward: true, limit: CAUGHT_UP_AT_ONCE }
    const reading = readMerged(stream.request.sources, range)
    if (reading instanceof Promise) {
      return reading.then(
        inLaterTurn((page) => {
          this.#writeOn(stream, page)
          return page
        }),
      )
    }
    // In the same turn as the read, so that no event falls in between.
    if (!this.#writeOn(stream, reading) || !reading.isEnd) return reading
    this.#goLive(stream)
    return LIVE
  }

  /** @returns whether that was all */
  #writeOn(stream: Stream, { events, reached }: Merged): boolean {
    const isWritten = this.#writePage(stream, events)
    if (isWritten) stream.at = reached
    return isWritten
  }

  /**
   * Writes as much as the socket’s queue may hold.
   * @returns whether that was all
   */
  #writePage(stream: Stream, events: Merged['events']): boolean {
    const own = stream.request.sources.map((source, i) => {
      const arrived = eventsOf({ events }, i)
      const notices = arrived.length > 0 ? source.gaps(arrived, false) : []
      return { described: describeOwn(source, arrived), notices }
    })
    stream.at = [...stream.at]
    for (const { from, event } of events) {
      moveOn(stream.request.sources, stream.at, { from, event, isForward: true })
      const { described, notices } = own[from[0]!]!
      const found = described.get(event.seq)
      if (!found || stream.given.repeats(found.id)) continue
      const notice = noticesBefore(notices, found)
      this.#send(stream, { seq: event.seq, notice, data: dataOf(eventJson(found)) })
      if (stream.response.writableLength > MAX_UNSENT_BYTES) return false
    }
    return true
  }

  #fail(error: unknown): void {
    if (!this.#isClosed) this.#context.onError(error)
  }
}

/** Strings are byte text. */
type News = {
  chunks: Chunk[]
  /** Of deleted events, by id. */
  notices: (readonly [id: string, text: string])[]
}

/** One of each event, by the first named timeline that held it. */
function noticesOf({ topics }: Stream, found: ReadonlyMap<Topic, News>): Iterable<string> {
  const notices = topics.toReversed().flatMap((topic) => found.get(topic)?.notices ?? [])
  return new Map(notices).values()
}

/** New events of all timelines of a stream, as a page has them. */
function inOrder(
  { request, topics, at }: Stream,
  found: ReadonlyMap<Topic, News>,
): readonly MergedEvent<Chunk>[] {
  const slices = topics.map((topic, i) => {
    return { events: found.get(topic)?.chunks ?? [], reached: at[i]!, isEnd: true }
  })
  if (slices.length === 1) return slices[0]!.events.map((event) => ({ from: [0], event }))
  return merge(request.sources, slices, { at, isForward: true, limit: Number.POSITIVE_INFINITY })
    .events
}

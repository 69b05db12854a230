// Owns the stream: connects, resumes, fails over, and hands over batches. `run` is a loop of attempts, each of one
// connection: host and wire, dictionary, where to resume (resume.ts), open (connection.ts), frames into events
// (session.ts), into batches (batcher.ts), then a remedy (refusal.ts), a pause or another host (hosts.ts).

import type { Decompressor } from '@slipstream/zstd-dictionary'
import { assert } from './assert.ts'
import { type Batcher, createBatcher } from './batcher.ts'
import { type Connection, type Ending, openConnection } from './connection/connection.ts'
import { createHosts, type Hosts, turnToV1, wireFor } from './connection/hosts.ts'
import { type Refusal, type Remedy, remedyFor } from './connection/refusal.ts'
import { createSession, type Session } from './connection/session.ts'
import {
  assertFilters,
  optionsUpdate,
  type StreamFilters,
  sameFilters,
  subscribeUrl,
} from './connection/subscribe-url.ts'
import type { ConsumerOptions, StreamStatus } from './consumer-options.ts'
import { createDictionaryStore } from './dictionaries/dictionary-store.ts'
import type { DictionaryDoubt } from './dictionaries/dictionary-trust.ts'
import type { StreamItem } from './event.ts'
import { type Compression, createCompression } from './frames/compression.ts'
import type { Notice } from './frames/decoded.ts'
import { createFrameDecoder } from './frames/frame-decoder.ts'
import { type ConsumerLimits, defaultLimits } from './limits.ts'
import type { Logger } from './logger.ts'
import { pause } from './pause.ts'
import { createPosition, type Position } from './position.ts'
import {
  dueBy,
  floorIn,
  isFirstCursor,
  newest,
  type Resume,
  resumeAt,
  type Wire,
} from './resume.ts'
import { createSilenceWatch, type SilenceWatch } from './silence.ts'

/** Remedies in a row that are tried without a pause. */
const MAX_QUICK_REMEDIES = 3

export class StreamConsumer {
  readonly #options: ConsumerOptions
  readonly #limits: ConsumerLimits
  readonly #log: Logger
  readonly #now: () => number
  readonly #hosts: Hosts
  readonly #compression: Compression
  readonly #position: Position
  readonly #batcher: Batcher
  readonly #silence: SilenceWatch
  readonly #abort = new AbortController()
  readonly #dropped: Record<string, number> = {}

  #filters: StreamFilters
  #sentFilters: StreamFilters
  #filtersSentAtMs = 0
  /** Start of the host's window, if the host named it; the next attempt resumes there. */
  #floorSeq: number | undefined
  #quickRemedies = 0

  #running: Promise<void> | undefined
  #connection: Connection | undefined
  #wire: Wire = 'v2'
  #isConnected = false
  #isPaused = false
  #filterTimer: ReturnType<typeof setTimeout> | undefined
  #improveTimer: ReturnType<typeof setTimeout> | undefined

  #received = 0
  #opened = 0
  #gaps = 0
  #lastError: string | undefined
  #lastErrorHost: string | undefined

  constructor(options: ConsumerOptions) {
    assert(options.hosts.length > 0, 'no Jetstream host')
    assertFilters(options.filters)
    const { log, apply, cacheDir, v1Dictionary, now = Date.now, random = Math.random } = options
    const limits = { ...defaultLimits, ...options.limits }
    this.#options = options
    this.#limits = limits
    this.#log = log
    this.#now = now
    this.#filters = options.filters
    this.#sentFilters = options.filters
    this.#hosts = createHosts(options.hosts, limits, random)
    const { dictionaryTimeoutMs: timeoutMs, maxFrameBytes } = limits
    const dictionaries = createDictionaryStore({ cacheDir, v1Dictionary, timeoutMs, log })
    this.#compression = createCompression(dictionaries, {
      isWanted: options.compress,
      maxFrameBytes,
    })
    this.#position = createPosition(newest(options.cursors), now)
    const isExpected = () => this.#filters.dids === undefined && !this.#isPaused
    const [received, dropped] = [() => this.#received, () => this.#dropped]
    this.#silence = createSilenceWatch(limits, { received, dropped, isExpected })
    this.#batcher = createBatcher({
      maxEvents: () => options.mostEvents?.() ?? limits.maxBatchEvents,
      maxBytes: limits.maxBatchBytes,
      now,
      cursor: () => this.#position.current()!,
      apply,
      onRest: (ms) => this.#connection?.rest(ms),
      onFull: () => this.#setPaused(true),
      onSpace: () => this.#setPaused(false),
    })
  }

  start(): void {
    this.#running ??= this.#run()
    this.#improveTimer ??= setInterval(() => void this.#improve(), this.#limits.improveIntervalMs)
  }

  async stop(): Promise<void> {
    this.#abort.abort()
    clearTimeout(this.#filterTimer)
    clearInterval(this.#improveTimer)
    this.#connection?.leave()
    await Promise.all([this.#running, this.#batcher.stop()])
  }

  setFilters(filters: StreamFilters): void {
    assertFilters(filters)
    this.#filters = filters
    const dueAtMs = this.#wire === 'v2' ? this.#filtersSentAtMs + this.#limits.filterSettleMs : 0
    const waitMs = Math.max(0, dueAtMs - this.#now())
    this.#filterTimer ??= setTimeout(() => this.#sendFilters(), waitMs)
  }

  status(): StreamStatus {
    const timeUs = this.#received > 0 ? this.#position.current()?.timeUs : undefined
    return {
      host: this.#hosts.current(),
      wire: this.#wire,
      compressed: this.#compression.dictionaryId() !== undefined,
      connected: this.#isConnected,
      filtersSent: sameFilters(this.#filters, this.#sentFilters),
      paused: this.#isPaused,
      lastEventTimeUs: timeUs,
      lagMs: timeUs === undefined ? undefined : Math.max(0, this.#now() - timeUs / 1000),
      received: this.#received,
      dropped: { ...this.#dropped },
      reconnects: Math.max(0, this.#opened - 1),
      gaps: this.#gaps,
      lastError: this.#lastError,
      lastErrorHost: this.#lastErrorHost,
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort
    while (!signal.aborted) {
      const host = this.#hosts.current()
      this.#wire = wireFor(this.#options.wire, this.#hosts.traits(host))
      const ending = await this.#attempt(host, this.#wire)
      if (!signal.aborted) await pause(await this.#settle(host, ending), signal)
    }
  }

  /** One connection from handshake to end. */
  async #attempt(host: string, wire: Wire): Promise<Ending> {
    const decompressor = await this.#compression.prepare(host, wire, this.#abort.signal)
    if (this.#abort.signal.aborted) return { kind: 'left' }
    const resume = this.#nextResume(host, wire)
    const session = this.#openSession(host, wire, resume, decompressor)
    const { url, hello } = this.#address(host, wire, resume)
    const openedAtMs = this.#now()
    const receivedBefore = this.#received
    this.#connection = openConnection({
      url,
      limits: this.#limits,
      onFrame: session.onFrame,
      onSocket: this.#options.meter?.(host, wire).socket,
      onOpen: () => {
        if (hello) this.#connection?.send(hello)
        this.#onConnected(host, wire, resume)
      },
    })
    if (this.#isPaused) this.#connection.pause()
    const ending = await this.#connection.ended
    this.#silence.stop()
    this.#connection = undefined
    this.#isConnected = false
    this.#position.dropGap()
    decompressor?.dispose()
    const livedLong = this.#now() - openedAtMs >= this.#limits.healthyAfterMs
    if (this.#received > receivedBefore) this.#hosts.traits(host).distrustsSeq = false
    if (this.#received > receivedBefore || (ending.kind === 'closed' && livedLong)) {
      this.#hosts.succeeded()
      this.#quickRemedies = 0
    }
    return ending
  }

  #nextResume(host: string, wire: Wire): Resume {
    if (this.#floorSeq !== undefined) {
      this.#position.openGap(host, 'cursor-too-old')
      return { cursor: this.#floorSeq, seq: undefined }
    }
    const { distrustsSeq } = this.#hosts.traits(host)
    return resumeAt(this.#position.current(), { host, wire, distrustsSeq }, this.#limits)
  }

  #address(
    host: string,
    wire: Wire,
    { cursor }: Resume,
  ): { url: string; hello: string | undefined } {
    this.#sentFilters = this.#filters
    const { refusesDids } = this.#hosts.traits(host)
    const filters = refusesDids ? { ...this.#filters, dids: undefined } : this.#filters
    const { maxFrameBytes } = this.#limits
    const dictionaryId = this.#compression.dictionaryId()
    return subscribeUrl({ host, wire, filters, cursor, dictionaryId, maxFrameBytes })
  }

  #openSession(
    host: string,
    wire: Wire,
    resume: Resume,
    decompressor: Decompressor | undefined,
  ): Session {
    const { maxFrameBytes } = this.#limits
    const filtersHere = this.#filters.dids && this.#hosts.traits(host).refusesDids
    const dids = filtersHere ? new Set(this.#filters.dids) : undefined
    const unread = dids ? [] : (this.#options.unread ?? [])
    return createSession({
      host,
      wire,
      resume,
      dueBy: dueBy(this.#position.current(), { wire, resume, nowMs: this.#now() }, this.#limits),
      decoder: createFrameDecoder({ wire, decompressor, maxFrameBytes, unread }),
      dictionaryId: decompressor?.dictionaryId,
      dids,
      meter: this.#options.meter?.(host, wire),
      position: this.#position,
      onEvent: (event, bytes) => this.#onEvent(host, wire, event, bytes),
      onDrop: (reason) => {
        this.#dropped[reason] = (this.#dropped[reason] ?? 0) + 1
      },
      onBroken: (did) => this.#onBroken(host, did),
      onNotice: (notice) => this.#onNotice(host, notice),
      onUnusableHost: (why) => this.#connection?.giveUp(why),
      onDoubt: (doubt) => this.#onDoubt(host, wire, doubt),
      log: this.#log,
    })
  }

  #onConnected(host: string, wire: Wire, { cursor }: Resume): void {
    this.#isConnected = true
    this.#silence.watch((message) => this.#connection?.giveUp(message))
    this.#floorSeq = undefined
    this.#lastError = undefined
    this.#opened++
    const dictionaryId = this.#compression.dictionaryId()
    this.#log.info({ host, wire, cursor, dictionaryId }, 'stream connected')
    const reason = this.#compression.whyPlain()
    if (reason !== undefined) {
      this.#log.warn(
        { host, wire, reason },
        'no zstd dictionary available: reading the stream uncompressed',
      )
    }
    // The filters may have changed since the URL was made.
    this.#filterTimer ??= setTimeout(() => this.#sendFilters(), 0)
    if (cursor !== undefined) return
    // Live from here: so a connection that breaks before its first event leaves no gap either.
    this.#position.startAt({ host, wire, seq: undefined, timeUs: this.#now() * 1000 })
  }

  #onEvent(host: string, wire: Wire, event: StreamItem, bytes: number): void {
    this.#received++
    const gap = this.#position.closeGap(event)
    this.#position.advance(host, wire, event)
    if (gap) {
      this.#gaps++
      this.#log.warn(gap, 'a gap in the stream')
      this.#batcher.addGap(gap)
    }
    this.#batcher.add(event, bytes)
  }

  /** The rest of the stream is whole, so only this account must be checked. */
  #onBroken(host: string, did: string): void {
    const timeUs = this.#position.current()?.timeUs ?? this.#now() * 1000
    this.#batcher.addGap({ host, fromUs: timeUs, toUs: timeUs, cause: 'broken-event', did })
  }

  /** The last unreadable frames were not saved, so the next connection begins before them. */
  #onDoubt(host: string, wire: Wire, doubt: DictionaryDoubt): void {
    const what = doubt.carried === undefined ? 'can’t be read with the' : 'carry another'
    const ours = this.#compression.dictionaryId()
    this.#log.warn(
      { host, wire, ours, ...doubt },
      `frames ${what} zstd dictionary: setting it aside`,
    )
    this.#compression.distrust()
    this.#connection?.leave()
  }

  #onNotice(host: string, { notice, name, message }: Notice): void {
    if (notice === 'error') {
      this.#lastError = `${name}: ${message}`
      this.#lastErrorHost = host
      this.#log.warn({ host, name, message }, 'the stream host ends the connection')
      return
    }
    this.#log.warn({ host, name, message }, 'notice from the stream host')
    const isBeginning = this.#received === 0 && isFirstCursor(this.#position.current(), this.#now())
    if (name === 'OutdatedCursor' && !isBeginning) this.#position.openGap(host, 'outdated-cursor')
  }

  #setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused
    if (isPaused) this.#connection?.pause()
    else this.#connection?.resume()
  }

  /** Handles an ending. @returns the pause before the next attempt, in milliseconds. */
  async #settle(host: string, ending: Ending): Promise<number> {
    if (ending.kind === 'left') return 0
    if (ending.kind === 'refused') return this.#settleRefusal(host, ending)
    this.#lastError = `${ending.kind}: ${ending.message}`
    this.#lastErrorHost = host
    const pauseMs = this.#hosts.failed()
    const line = { host, wire: this.#wire, ...ending, pauseMs: Math.round(pauseMs) }
    const isAway = ending.kind === 'unreachable'
    this.#log.warn(line, isAway ? 'waiting for a Jetstream host: this one is down' : 'stream lost')
    return pauseMs
  }

  async #settleRefusal(host: string, refusal: Refusal): Promise<number> {
    const { status, name, message } = refusal
    this.#lastError = `${status} ${name} ${message}`.trim()
    this.#lastErrorHost = host
    const remedy = remedyFor(refusal)
    const helps = await this.#apply(remedy, host, message)
    const isQuick = helps && this.#quickRemedies++ < MAX_QUICK_REMEDIES
    const pauseMs = isQuick ? 0 : this.#hosts.failed()
    const wire = this.#wire
    const hint =
      remedy === 'use-v1' && !helps ? `this host has no ${wire}: try wire auto` : undefined
    const line = { host, wire, status, name, message, remedy, pauseMs, hint }
    if (remedy === 'give-up-host' || !(helps || remedy === 'wait')) {
      this.#log.error(line, 'stream refused')
    } else this.#log.warn(line, 'stream refused')
    return pauseMs
  }

  /** @returns whether another attempt at the same host may now succeed. */
  async #apply(remedy: Remedy, host: string, message: string): Promise<boolean> {
    const traits = this.#hosts.traits(host)
    switch (remedy) {
      case 'resume-from-floor':
        this.#floorSeq = floorIn(message)
        traits.distrustsSeq = this.#floorSeq === undefined
        return true
      case 'resume-by-time':
        traits.distrustsSeq = true
        return true
      case 'fetch-dictionary':
        // A dictionary that is served and then refused, again and again, is useless.
        if (this.#quickRemedies < MAX_QUICK_REMEDIES) await this.#compression.forget()
        else this.#compression.distrust()
        return true
      case 'use-v1':
        if (this.#options.wire !== 'auto') return false
        traits.isV1Only = !traits.isV1Only
        return true
      case 'filter-here':
        if (traits.refusesDids || !this.#filters.dids) return false
        if (this.#options.alwaysFiltered) return turnToV1(traits)
        traits.refusesDids = true
        return true
      default:
        return false
    }
  }

  /** Tries now and then to return to the preferred host, or to compression. */
  async #improve(): Promise<void> {
    if (!this.#isConnected) return
    if (!this.#hosts.isPreferred()) this.#hosts.tryPreferred()
    else if (!(await this.#compression.canBeHad(this.#abort.signal))) return
    this.#connection?.leave()
  }

  #sendFilters(): void {
    this.#filterTimer = undefined
    if (!this.#isConnected || sameFilters(this.#filters, this.#sentFilters)) return
    this.#filtersSentAtMs = this.#now()
    if (this.#wire === 'v2') return void this.#connection?.leave()
    this.#sentFilters = this.#filters
    this.#connection?.send(optionsUpdate(this.#filters, this.#limits.maxFrameBytes))
  }
}

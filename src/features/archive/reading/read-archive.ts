// Reads the archive of a Jetstream host from where it was left to its end: plan by plan, block by block, in
// seq order, exactly like the beginning of the stream. Progress is saved in the transaction that applies the
// events. More is sealed meanwhile, so it plans again until nothing is left; unsealed events come from the
// stream, which continues from the archive's last seq.

import { setTimeout as sleep } from 'node:timers/promises'
import type { StreamEvent, StreamGap } from '@slipstream/jetstream'
import type { Logger } from '../../../base/obs/log.ts'
import { DAY_MS } from '../../../base/util/durations.ts'
import type { ArchiveProgress } from '../store/archives.ts'
import {
  type ArchiveClient,
  ArchiveRefusal,
  createArchiveClient,
  type Waiting,
} from './archive-client.ts'
import { BadBlockError, BlockRows } from './block-rows.ts'
import { createRowCollector, type RowBatch, type RowCollector } from './collect-rows.ts'
import { decompressBlock } from './decompress-block.ts'
import { type FetchedBlock, fetchBlock, fetchBlocks, StalePlanError } from './fetch-blocks.ts'
import { type ArchiveLimits, defaultArchiveLimits } from './limits.ts'
import { BadPlanError, type PlannedSegment, type PlanPage, readPlan } from './plan.ts'

type ArchiveBatch = {
  events: StreamEvent[]
  gaps: StreamGap[]
  /** To be saved in the same transaction. */
  progress: ArchiveProgress
}

type ArchiveOptions = {
  /** http or https origin. */
  origin: string
  key: string | undefined
  /** Bytes received in a day (UTC); 0: no limit. */
  maxDailyBytes: number
  collections: readonly string[]
  /** Where it stopped before. */
  progress: ArchiveProgress
  /** Resolves after the commit. A rejection is not handled here: it stops the process. */
  apply: (batch: ArchiveBatch) => Promise<void>
  signal: AbortSignal
  now: () => number
  log: Logger
  limits?: Partial<ArchiveLimits> | undefined
}

export type ArchiveReader = {
  /** @returns false if aborted before the end. */
  run(): Promise<boolean>
  progress(): ArchiveProgress
  waiting(): Waiting | undefined
  /** Counts by reason. */
  dropped(): Record<string, number>
}

export function createArchiveReader(options: ArchiveOptions): ArchiveReader {
  const reading = new ArchiveReading(options)
  return {
    run: () => reading.run(),
    progress: () => reading.progress(),
    waiting: () => reading.waiting(),
    dropped: () => reading.dropped(),
  }
}

class ArchiveReading {
  readonly #options: ArchiveOptions
  readonly #limits: ArchiveLimits
  readonly #client: ArchiveClient
  readonly #source: { client: ArchiveClient; limits: ArchiveLimits }
  readonly #wanted: ReadonlySet<string>
  readonly #dropped: Record<string, number> = {}
  #progress: ArchiveProgress
  /** Since the progress was saved. */
  #receivedBytes = 0
  #refused: Waiting | undefined
  #stalePlans = 0
  #isAnew = false

  constructor(options: ArchiveOptions) {
    const { origin, key, signal, now, log, maxDailyBytes } = options
    const limits = { ...defaultArchiveLimits, ...options.limits }
    this.#options = options
    this.#limits = limits
    this.#wanted = new Set(options.collections)
    this.#progress = options.progress
    this.#client = createArchiveClient({
      origin,
      key,
      signal,
      limits,
      now,
      log,
      onBytes: (bytes) => {
        this.#receivedBytes += bytes
      },
      ownWaitMs: () => ownWaitMs(this.progress(), maxDailyBytes, now()),
    })
    this.#source = { client: this.#client, limits }
  }

  progress(): ArchiveProgress {
    return spent(this.#progress, this.#receivedBytes, this.#options.now())
  }

  waiting(): Waiting | undefined {
    return this.#refused ?? this.#client.waiting()
  }

  dropped(): Record<string, number> {
    return { ...this.#dropped }
  }

  async run(): Promise<boolean> {
    try {
      while (!(await this.#readOn())) this.#options.signal.throwIfAborted()
      return true
    } catch (error) {
      if (this.#options.signal.aborted) return false
      throw error
    }
  }

  /** Reads one page of the plan. @returns whether it was the last. */
  async #readOn(): Promise<boolean> {
    try {
      const page = await plan(this.#client, {
        afterSeq: this.#progress.seq,
        collections: this.#options.collections,
        limits: this.#limits,
      })
      if (page.sealedTipSeq < this.#progress.seq) return this.#beginAnew(page)
      if (page.sealedTipSeq === this.#progress.seq) return true
      if (page.plannedThroughSeq <= this.#progress.seq)
        throw new BadPlanError('it plans no further')
      await this.#readPage(page)
      this.#refused = undefined
      this.#stalePlans = 0
      return false
    } catch (error) {
      await this.#afterTrouble(error)
      return false
    }
  }

  /** If the host's seqs are below those it gave before, the host has started over. */
  async #beginAnew({ sealedTipSeq }: PlanPage): Promise<boolean> {
    if (this.#progress.tipSeq < this.#progress.seq) return true
    if (this.#isAnew) throw new BadPlanError('its numbers change all the time')
    this.#isAnew = true
    this.#options.log.warn(
      { seq: this.#progress.seq, sealedTipSeq },
      'the archive was renumbered: reading all of it',
    )
    await this.#save({ events: [], gaps: [], seq: 0, timeUs: 0 }, sealedTipSeq)
    return sealedTipSeq === 0
  }

  async #readPage(page: PlanPage): Promise<void> {
    const { seq, timeUs, host } = this.#progress
    const { sealedTipSeq: tipSeq, plannedThroughSeq, segments } = page
    this.#options.log.info({ seq, tipSeq, segments: segments.length }, 'reading the archive')
    const collector = createRowCollector({
      host,
      seq,
      timeUs,
      tipSeq,
      collections: this.#wanted,
      now: this.#options.now,
      maxEvents: this.#limits.maxBatchEvents,
      maxRecordBytes: this.#limits.maxRecordBytes,
      onDrop: (reason) => {
        this.#dropped[reason] = (this.#dropped[reason] ?? 0) + 1
      },
    })
    for await (const blocks of fetchBlocks(this.#source, segments, seq)) {
      await this.#applyPart(blocks, segments, collector, tipSeq)
    }
    await this.#save({ ...collector.takeLast(), seq: plannedThroughSeq }, tipSeq)
  }

  async #applyPart(
    blocks: readonly FetchedBlock[],
    segments: readonly PlannedSegment[],
    collector: RowCollector,
    tipSeq: number,
  ): Promise<void> {
    let lost = 0
    for (const opened of openAhead(blocks, (block) => this.#openBlock(block, segments))) {
      const rows = await opened
      this.#options.signal.throwIfAborted()
      if (!rows) {
        lost++
        collector.lose()
      }
      while (rows && collector.collect(rows)) await this.#save(collector.take(), tipSeq)
    }
    this.#progress = { ...this.#progress, lostBlocks: this.#progress.lostBlocks + lost }
    const batch = collector.take()
    if (batch.events.length + batch.gaps.length > 0) await this.#save(batch, tipSeq)
  }

  /** Fetches a damaged block again. @returns undefined if it can't be obtained. */
  async #openBlock(
    block: FetchedBlock,
    segments: readonly PlannedSegment[],
  ): Promise<BlockRows | undefined> {
    const { segment: name, index } = block
    let { frame } = block
    for (let attempt = 1; ; attempt++) {
      try {
        if (!frame) throw new BadBlockError('not where its index says')
        return new BlockRows(await decompressBlock(frame, this.#limits.maxBlockBytes))
      } catch (error) {
        if (!(error instanceof BadBlockError)) throw error
        const isLast = attempt >= this.#limits.attemptsPerBlock
        const line = { segment: name, index, reason: error.message, attempt }
        this.#options.log.warn(
          line,
          isLast ? 'a block of the archive is lost' : 'a damaged block of the archive',
        )
        if (isLast) return undefined
      }
      const segment = segments.find((segment) => segment.name === name)!
      frame = await fetchBlock(this.#source, segment, index)
    }
  }

  async #save(batch: RowBatch, tipSeq: number): Promise<void> {
    const { events, gaps, seq, timeUs } = batch
    const next = {
      ...spent(this.#progress, this.#receivedBytes, this.#options.now()),
      seq,
      timeUs,
      tipSeq,
      events: this.#progress.events + events.length,
    }
    this.#receivedBytes = 0
    await this.#options.apply({ events, gaps, progress: next })
    this.#progress = next
  }

  async #afterTrouble(error: unknown): Promise<void> {
    this.#options.signal.throwIfAborted()
    if (error instanceof StalePlanError && ++this.#stalePlans <= this.#limits.maxStalePlans) {
      this.#options.log.info({ reason: error.message }, 'planning the archive again')
      await sleep(this.#limits.backoffBaseMs * this.#stalePlans, undefined, {
        signal: this.#options.signal,
      })
      return
    }
    if (!isTheirs(error)) throw error
    const until = this.#options.now() + this.#limits.refusedWaitMs
    this.#refused = { why: 'refused', until, message: error.message }
    this.#options.log.error(
      { reason: error.message, until: new Date(until).toISOString() },
      'archive refused',
    )
    await sleep(this.#limits.refusedWaitMs, undefined, { signal: this.#options.signal })
    this.#refused = undefined
    this.#stalePlans = 0
  }
}

async function plan(
  client: ArchiveClient,
  requested: { afterSeq: number; collections: readonly string[]; limits: ArchiveLimits },
): Promise<PlanPage> {
  const { afterSeq, collections, limits } = requested
  const json = { collections, ...(afterSeq > 0 ? { afterSeq } : {}) }
  const answer = await client.ask({ path: 'planSnapshot', json, maxBytes: limits.maxPlanBytes })
  return readPlan(answer.body)
}

/** A fault of the server that may pass. */
function isTheirs(error: unknown): error is Error {
  return (
    error instanceof ArchiveRefusal ||
    error instanceof BadPlanError ||
    error instanceof BadBlockError ||
    error instanceof StalePlanError
  )
}

/** Opens the next item while this one is processed. */
function* openAhead<T, U>(
  items: readonly T[],
  open: (item: T) => Promise<U>,
): Generator<Promise<U>> {
  const begin = (item: T): Promise<U> => {
    const opened = open(item)
    // The consumer of the item gets the error; until then it must not count as unhandled.
    opened.catch(() => {})
    return opened
  }
  let next = items.length > 0 ? begin(items[0]!) : undefined
  for (let i = 1; next; i++) {
    const current = next
    next = i < items.length ? begin(items[i]!) : undefined
    yield current
  }
}

/** Adds the bytes received since the progress was saved. */
function spent(progress: ArchiveProgress, bytes: number, now: number): ArchiveProgress {
  const day = Math.floor(now / DAY_MS)
  const dayBytes = (day === progress.day ? progress.dayBytes : 0) + bytes
  return { ...progress, bytes: progress.bytes + bytes, day, dayBytes }
}

/** Milliseconds until the next day if this day's allowance is used up. */
function ownWaitMs({ day, dayBytes }: ArchiveProgress, maxDailyBytes: number, now: number): number {
  if (maxDailyBytes === 0 || dayBytes < maxDailyBytes) return 0
  return (day + 1) * DAY_MS - now
}

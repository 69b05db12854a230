// A world for backfill tests: real database, indexer and publisher, the real resolver and guarded fetch, a
// PLC double, and PDS doubles that hold people's repositories. Repositories are the oracle; the test decides
// which of their commits arrive live.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { StreamEvent } from '../../src/base/event.ts'
import { type Counts, createCounts } from '../../src/base/obs/counts.ts'
import { DAY_MS } from '../../src/base/util/durations.ts'
import { type Db, openWriter, type WriteDb } from '../../src/data/store/db.ts'
import { countJobs } from '../../src/data/store/jobs.ts'
import { requestedReplays } from '../../src/data/store/replays.ts'
import type { BackfillLimits } from '../../src/ingest/backfill/limits.ts'
import { type Backfill, createBackfill } from '../../src/ingest/backfill/runner.ts'
import { applyBatch } from '../../src/ingest/indexing/apply-batch.ts'
import type { ColdStartBudget } from '../../src/ingest/indexing/cold-start-budget.ts'
import type { IndexScope } from '../../src/ingest/indexing/index-context.ts'
import { memberSeen } from '../../src/ingest/indexing/members.ts'
import type { Memory } from '../../src/ingest/indexing/memory.ts'
import { openTimeline } from '../../src/ingest/indexing/open-timeline.ts'
import { rebuildMemory } from '../../src/ingest/indexing/rebuild-memory.ts'
import { createWriter, type Writer } from '../../src/ingest/indexing/writer.ts'
import { createReplays, type Replays } from '../../src/ingest/replay/replays.ts'
import { createGuardedFetch } from '../../src/sources/identity/guarded-fetch.ts'
import { createResolver } from '../../src/sources/identity/resolver.ts'
import { openEmpty } from './empty-database.ts'
import { createMemoryParts } from './memory-parts.ts'
import { MAX_WAIT_MS } from './patience.ts'
import { type PdsAccount, type PdsDouble, startPdsDouble } from './pds-double.ts'
import { type PlcDouble, startPlcDouble } from './plc-double.ts'
import type { Commit } from './simulated-network/repository.ts'

export type BackfillWorld = {
  readonly db: WriteDb
  readonly memory: Memory
  readonly writer: Writer
  readonly backfill: Backfill
  /** Counts over all its starts. */
  readonly counts: Counts
  readonly plc: PlcDouble
  readonly hosts: PdsDouble[]
  /** Creates an account with a profile on one of the hosts. */
  person(name: string, host?: number): Promise<PdsAccount>
  follow(creator: PdsAccount, subject: PdsAccount, atMs?: number): Commit
  post(author: PdsAccount, text?: string, more?: { atMs?: number; record?: object }): Commit
  repost(creator: PdsAccount, post: Commit, atMs?: number): Commit
  block(creator: PdsAccount, subject: PdsAccount): Commit
  /** Applies events as the stream delivers them. */
  live(...commits: (Commit | StreamEvent | undefined)[]): void
  member(account: PdsAccount): void
  uid(account: { did: string }): number
  /** Waits until no job is left. */
  settled(): Promise<void>
  /** Stops the runner as a crash would, and starts again from the rows. */
  restart(): Promise<void>
  close(): Promise<void>
}

export type BackfillWorldOptions = {
  hosts?: number
  scope?: IndexScope
  limits?: Partial<BackfillLimits>
  /** The budget of concurrent cold starts; unlimited by default. */
  coldStarts?: (db: WriteDb) => ColdStartBudget
  timelineLength?: number
  /** Requests replays, but from hosts that do not exist. */
  replays?: boolean
  /** Read at each start. */
  trustedVerifiers?: string[]
  /** Keeps the database's log short; left to SQLite by default. */
  tendLog?: (db: WriteDb) => () => Promise<void> | undefined
  /** The clock of indexer and jobs; the real one by default. */
  now?: () => number
  /** The clock of the identity cache; the real one by default. */
  resolverNow?: () => number
}

const LOG_LEVEL = process.env['TEST_LOG_LEVEL'] ?? 'silent'

export async function startBackfillWorld(
  options: BackfillWorldOptions = {},
): Promise<BackfillWorld> {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-backfill-'))
  const plc = await startPlcDouble()
  const hosts = await Promise.all(Array.from({ length: options.hosts ?? 1 }, startPdsDouble))
  const log = pino({ level: LOG_LEVEL })
  const { now = Date.now } = options
  const counts = createCounts()
  let lastMs = Date.now() - 30 * DAY_MS
  let db: WriteDb
  let memory: Memory
  let writer: Writer
  let backfill: Backfill
  let replays: Replays | undefined

  function open(writable: WriteDb): void {
    db = writable
    const rebuilt = createMemoryParts({
      timelineLength: options.timelineLength ?? 1000,
      reasonableLimit: 1_000_000,
      celebrityThreshold: 10_000,
    })
    rebuildMemory(db, rebuilt)
    memory = rebuilt
    const { scope = 'community', trustedVerifiers } = options
    const coldStarts = options.coldStarts?.(db)
    const tendLog = options.tendLog?.(db)
    writer = createWriter({
      ...{ db, memory, coldStarts, scope, trustedVerifiers },
      now,
    })
    const fetch = createGuardedFetch({ allowPrivateHosts: true })
    const resolver = createResolver({
      fetch,
      plcUrl: plc.url,
      allowPrivateHosts: true,
      resolveTxt: async () => [],
      now: options.resolverNow,
    })
    const { limits } = options
    const shared = { db, writer, log, now, coldStarts, tendLog, counts }
    replays = options.replays ? createReplaysNowhere(shared, () => backfill.wake()) : undefined
    const { timelines } = memory
    const fill = limits?.timelineTarget !== undefined && {
      timelineItems: (uid: number, limit: number) =>
        timelines.read(uid, undefined, limit)?.entries.length ?? 0,
    }
    const running = replays && { replays: replays.running }
    backfill = createBackfill({ ...shared, resolver, fetch, limits, ...fill, ...running })
    replays?.start()
  }

  /** Returns a record's time: one second after the previous record, unless given. */
  function nextMs(atMs?: number): number {
    lastMs = atMs ?? lastMs + 1000
    return lastMs
  }

  function write(
    account: PdsAccount,
    collection: string,
    value: Record<string, unknown>,
    atMs?: number,
  ): Commit {
    const at = nextMs(atMs)
    const createdAt = new Date(at).toISOString()
    return account.put({ collection, value: { createdAt, ...value }, atMs: at })
  }

  open(openEmpty(dataDir))
  const world: BackfillWorld = {
    get db() {
      return db
    },
    get memory() {
      return memory
    },
    get writer() {
      return writer
    },
    get backfill() {
      return backfill
    },
    counts,
    plc,
    hosts,
    async person(name, host = 0) {
      const pds = hosts[host]!
      const handle = `${name}.example.com`
      const { did } = await plc.create({ handle, pds: pds.origin })
      const account = pds.create({ did, handle })
      const value = { displayName: name }
      account.put({ collection: 'app.bsky.actor.profile', rkey: 'self', value, atMs: nextMs() })
      return account
    },
    follow: (creator, subject, atMs) =>
      write(creator, 'app.bsky.graph.follow', { subject: subject.did }, atMs),
    block: (creator, subject) => write(creator, 'app.bsky.graph.block', { subject: subject.did }),
    post: (author, text = 'hello', { atMs, record } = {}) =>
      write(author, 'app.bsky.feed.post', { text, ...record }, atMs),
    repost: (creator, post, atMs) =>
      write(creator, 'app.bsky.feed.repost', { subject: refOf(post) }, atMs),
    live(...commits) {
      const events = commits.flatMap((one) => (one ? [toEvent(one)] : []))
      writer.commit((ctx) => applyBatch(ctx, { events }))
    },
    member(account) {
      writer.commit((ctx) => memberSeen(ctx, account.did))
      openTimeline(db, memory, memory.actors.uidOf(account.did), Date.now())
    },
    uid: ({ did }) => memory.actors.uidOf(did),
    async settled() {
      const deadline = Date.now() + MAX_WAIT_MS
      const isReplaying = () => options.replays && requestedReplays(db).count > 0
      while (Object.keys(countJobs(db)).length > 0 || isReplaying()) {
        if (Date.now() > deadline) throw new Error(`not settled: ${leftovers(db)}`)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
    async restart() {
      const owners = openOwners(memory)
      await Promise.all([backfill.stop(), replays?.stop()])
      db.close()
      open(openWriter(dataDir))
      for (const owner of owners) openTimeline(db, memory, owner, Date.now())
      backfill.start()
    },
    async close() {
      await Promise.all([backfill.stop(), replays?.stop()])
      db.close()
      await Promise.all([plc.close(), ...hosts.map((host) => host.close())])
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  return world
}

function createReplaysNowhere(
  shared: Pick<Parameters<typeof createReplays>[0], 'db' | 'writer' | 'log' | 'now'>,
  onJobs: () => void,
): Replays {
  const stream = { hosts: ['ws://127.0.0.1:1'], wire: 'v2', compress: false } as const
  return createReplays({
    ...shared,
    ...{ onJobs, head: () => undefined, limits: { gatherMs: 10 } },
    stream: { ...stream, v1Dictionary: '', cacheDir: tmpdir() },
  })
}

export function refOf(commit: Commit): { uri: string; cid: string } {
  if (commit.operation === 'delete') throw new Error('a deletion has no reference')
  return { uri: `at://${commit.did}/${commit.collection}/${commit.rkey}`, cid: commit.cid }
}

function toEvent(commit: Commit | StreamEvent): StreamEvent {
  if ('timeUs' in commit) return commit
  return { ...commit, timeUs: Date.now() * 1000, seq: undefined } as StreamEvent
}

function openOwners({ actors, timelines }: Memory): number[] {
  const uids = Array.from({ length: actors.count }, (_, i) => i + 1)
  return uids.filter((uid) => timelines.isOpen(uid))
}

function leftovers(db: Db): string {
  return JSON.stringify(db.prepare('SELECT * FROM jobs LIMIT 20').all())
}

// A world for backfill tests: real database, indexer and publisher, the real resolver and guarded fetch, a
// PLC double, and PDS doubles that hold people's repositories. Repositories are the oracle; the test decides
// which of their commits arrive live.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StreamEvent } from '@slipstream/jetstream'
import { pino } from 'pino'
import { type Counts, createCounts } from '../../src/base/obs/counts.ts'
import { DAY_MS } from '../../src/base/util/durations.ts'
import { type Db, openWriter, type WriteDb } from '../../src/data/store/db.ts'
import { countJobs } from '../../src/data/store/fetching/jobs.ts'
import { requestedReplays } from '../../src/data/store/stream/replays.ts'
import type { BackfillLimits } from '../../src/ingest/backfill/limits.ts'
import type { RepoMirrors } from '../../src/ingest/backfill/mirrors.ts'
import { type Backfill, createBackfill } from '../../src/ingest/backfill/runner.ts'
import { applyBatch } from '../../src/ingest/indexing/apply-batch.ts'
import type { IndexScope } from '../../src/ingest/indexing/index-context.ts'
import type { ColdStartBudget } from '../../src/ingest/indexing/members/cold-start-budget.ts'
import { memberSeen } from '../../src/ingest/indexing/members/members.ts'
import type { Memory } from '../../src/ingest/indexing/memory/memory.ts'
import { openTimeline } from '../../src/ingest/indexing/memory/open-timeline.ts'
import { rebuildMemory } from '../../src/ingest/indexing/memory/rebuild-memory.ts'
import { createWriter, type Writer } from '../../src/ingest/indexing/writer.ts'
import { createReplays, type Replays } from '../../src/ingest/replay/replays.ts'
import { createGuardedFetch } from '../../src/sources/identity/guarded-fetch.ts'
import { createResolver, type Resolver } from '../../src/sources/identity/resolver.ts'
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
  isCatchingUp?: () => boolean
  /** Read at each start. */
  trustedVerifiers?: string[]
  /** Read while an account's own server is away. */
  mirrors?: (resolver: Resolver) => RepoMirrors | undefined
  /** Keeps the database's log short; left to SQLite by default. */
  tendLog?: (db: WriteDb) => () => Promise<void> | undefined
  /** The clock of indexer and jobs; the real one by default. */
  now?: () => number
  /** The clock of the identity cache; the real one by default. */
  resolverNow?: () => number
}

/** The parts that a restart replaces. */
type Node = Pick<BackfillWorld, 'db' | 'memory' | 'writer' | 'backfill'> & {
  replays: Replays | undefined
}

type Surroundings = Pick<BackfillWorld, 'plc' | 'counts'> & { options: BackfillWorldOptions }

/** Returns a record's time: one second after the previous record, unless given. */
type NextMs = (atMs?: number) => number

const LOG_LEVEL = process.env['TEST_LOG_LEVEL'] ?? 'silent'

export async function startBackfillWorld(
  options: BackfillWorldOptions = {},
): Promise<BackfillWorld> {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-backfill-'))
  const plc = await startPlcDouble()
  const hosts = await Promise.all(Array.from({ length: options.hosts ?? 1 }, startPdsDouble))
  const counts = createCounts()
  const nextMs = createRecordTimes()
  let node = openNode(openEmpty(dataDir), { options, plc, counts })
  return {
    get db() {
      return node.db
    },
    get memory() {
      return node.memory
    },
    get writer() {
      return node.writer
    },
    get backfill() {
      return node.backfill
    },
    counts,
    plc,
    hosts,
    person: (name, host = 0) => createPerson(name, { pds: hosts[host]!, plc, nextMs }),
    ...recordActs(nextMs),
    ...nodeActs(() => node),
    async restart() {
      const owners = openOwners(node.memory)
      await closeNode(node)
      node = openNode(openWriter(dataDir), { options, plc, counts })
      for (const owner of owners) openTimeline(node.db, node.memory, owner, Date.now())
      node.backfill.start()
    },
    async close() {
      await closeNode(node)
      await Promise.all([plc.close(), ...hosts.map((host) => host.close())])
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function openNode(db: WriteDb, { options, plc, counts }: Surroundings): Node {
  const { now = Date.now, scope = 'community', trustedVerifiers, limits } = options
  const memory = memoryFromRows(db, options)
  const coldStarts = options.coldStarts?.(db)
  const tendLog = options.tendLog?.(db)
  const writer = createWriter({ db, memory, coldStarts, scope, trustedVerifiers, now })
  const log = pino({ level: LOG_LEVEL })
  const shared = { db, writer, log, now, coldStarts, tendLog, counts }
  const network = createNetwork(plc, options.resolverNow)
  const replays = options.replays ? createReplaysNowhere(shared, () => backfill.wake()) : undefined
  const backfill = createBackfill({
    ...shared,
    ...network,
    limits,
    mirrors: options.mirrors?.(network.resolver),
    isCatchingUp: options.isCatchingUp ?? (() => false),
    ...(limits?.timelineTarget !== undefined && { timelineItems: itemsIn(memory) }),
    ...(replays && { replays: replays.running }),
  })
  replays?.start()
  return { db, memory, writer, backfill, replays }
}

async function closeNode({ db, backfill, replays }: Node): Promise<void> {
  await Promise.all([backfill.stop(), replays?.stop()])
  db.close()
}

function memoryFromRows(db: WriteDb, { timelineLength = 1000 }: BackfillWorldOptions): Memory {
  const memory = createMemoryParts({
    timelineLength,
    reasonableLimit: 1_000_000,
    celebrityThreshold: 10_000,
  })
  rebuildMemory(db, memory)
  return memory
}

/** Counts the items in a member's timeline, up to `limit`. */
function itemsIn({ timelines }: Memory): (uid: number, limit: number) => number {
  return (uid, limit) => timelines.read(uid, undefined, limit)?.entries.length ?? 0
}

function createNetwork(plc: PlcDouble, now: BackfillWorldOptions['resolverNow']) {
  const fetch = createGuardedFetch({ allowPrivateHosts: true })
  const resolver = createResolver({
    fetch,
    plcUrl: plc.url,
    allowPrivateHosts: true,
    resolveTxt: async () => [],
    now,
  })
  return { fetch, resolver }
}

function createRecordTimes(): NextMs {
  let lastMs = Date.now() - 30 * DAY_MS
  return (atMs) => {
    lastMs = atMs ?? lastMs + 1000
    return lastMs
  }
}

async function createPerson(
  name: string,
  { pds, plc, nextMs }: { pds: PdsDouble; plc: PlcDouble; nextMs: NextMs },
): Promise<PdsAccount> {
  const handle = `${name}.example.com`
  const { did } = await plc.create({ handle, pds: pds.origin })
  const account = pds.create({ did, handle })
  const value = { displayName: name }
  account.put({ collection: 'app.bsky.actor.profile', rkey: 'self', value, atMs: nextMs() })
  return account
}

function recordActs(nextMs: NextMs): Pick<BackfillWorld, 'follow' | 'block' | 'post' | 'repost'> {
  function write(account: PdsAccount, collection: string, value: object, atMs?: number): Commit {
    const at = nextMs(atMs)
    const createdAt = new Date(at).toISOString()
    return account.put({ collection, value: { createdAt, ...value }, atMs: at })
  }

  return {
    follow: (creator, subject, atMs) =>
      write(creator, 'app.bsky.graph.follow', { subject: subject.did }, atMs),
    block: (creator, subject) => write(creator, 'app.bsky.graph.block', { subject: subject.did }),
    post: (author, text = 'hello', { atMs, record } = {}) =>
      write(author, 'app.bsky.feed.post', { text, ...record }, atMs),
    repost: (creator, post, atMs) =>
      write(creator, 'app.bsky.feed.repost', { subject: refOf(post) }, atMs),
  }
}

function nodeActs(node: () => Node): Pick<BackfillWorld, 'live' | 'member' | 'uid' | 'settled'> {
  return {
    live(...commits) {
      const events = commits.flatMap((commit) => (commit ? [toEvent(commit)] : []))
      node().writer.commit((ctx) => applyBatch(ctx, { events }))
    },
    member({ did }) {
      const { db, memory, writer } = node()
      writer.commit((ctx) => memberSeen(ctx, did))
      openTimeline(db, memory, memory.actors.uidOf(did), Date.now())
    },
    uid: ({ did }) => node().memory.actors.uidOf(did),
    async settled() {
      const deadline = Date.now() + MAX_WAIT_MS
      while (isBusy(node())) {
        if (Date.now() > deadline) throw new Error(`not settled: ${leftovers(node().db)}`)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
  }
}

/** Whether jobs or replays are left. */
function isBusy({ db, replays }: Node): boolean {
  return Object.keys(countJobs(db)).length > 0 || (!!replays && requestedReplays(db).count > 0)
}

function createReplaysNowhere(
  shared: Pick<Parameters<typeof createReplays>[0], 'db' | 'writer' | 'log' | 'now'>,
  onJobs: () => void,
): Replays {
  const stream = { hosts: ['ws://127.0.0.1:1'], wire: 'v2', compress: false } as const
  return createReplays({
    ...shared,
    onJobs,
    head: () => undefined,
    limits: { gatherMs: 10 },
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

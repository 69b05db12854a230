// A small world for tests: a real database in its own folder, the real indexer and publisher, graph and
// timelines, and accounts that act. Every act becomes a realistic stream event, with revs that increase
// within its repository and its own timestamp, and goes through the writer at once, unless the world is told
// to hold events back.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AccountStatus, JsonObject, StreamEvent, WriteEvent } from '../../src/base/event.ts'
import { errorOf } from '../../src/bridge/connection.ts'
import type { WriterRequest } from '../../src/bridge/messages.ts'
import type { ActorWriter, FollowGraphWriter } from '../../src/data/graph/types.ts'
import { INVALIDATION } from '../../src/data/shared-memory/invalidation-kinds.ts'
import { InvalidationWriter } from '../../src/data/shared-memory/invalidation-ring.ts'
import { setActorIdentity } from '../../src/data/store/actors.ts'
import { type Db, openReader, openWriter, type WriteDb } from '../../src/data/store/db.ts'
import type { FollowLine } from '../../src/data/store/follows.ts'
import { publishInvalidationsTo } from '../../src/data/store/invalidations.ts'
import type { TimelineWriter } from '../../src/data/timeline/types.ts'
import { applyBatch, applyFetched } from '../../src/ingest/indexing/apply-batch.ts'
import type { BatchOutcome } from '../../src/ingest/indexing/commit-sparing.ts'
import type { ImportTally } from '../../src/ingest/indexing/import-tally.ts'
import type { IndexContext, IndexScope } from '../../src/ingest/indexing/index-context.ts'
import { importLiveFollows } from '../../src/ingest/indexing/live-follows.ts'
import { memberSeen } from '../../src/ingest/indexing/members.ts'
import type { Memory } from '../../src/ingest/indexing/memory.ts'
import { openTimeline } from '../../src/ingest/indexing/open-timeline.ts'
import { mute, unmute } from '../../src/ingest/indexing/private-state.ts'
import { rebuildMemory } from '../../src/ingest/indexing/rebuild-memory.ts'
import { createWriter, type Writer } from '../../src/ingest/indexing/writer.ts'
import { createWriterRequests } from '../../src/ingest/upkeep/writer-requests.ts'
import { openEmpty } from './empty-database.ts'
import { createMemoryParts } from './memory-parts.ts'
import { cidOf, didOf, tidAt } from './records.ts'

export type WorldOptions = {
  scope?: IndexScope
  /** Names of members that exist from the start, with open timelines. */
  members?: string[]
  /** Milliseconds since 1970 at the start; each act advances the clock by a millisecond. */
  startAt?: number
  timelineLength?: number
  reasonableLimit?: number
  celebrityThreshold?: number
  /** DIDs. */
  trustedVerifiers?: string[]
  /** Days for which notifications of non-members are kept. */
  notificationDays?: number
}

export type RecordId = { uri: string; cid: string }

export type PostInput = {
  text?: string
  reply?: { parent: RecordId; root?: RecordId }
  /** Quoted post; shorthand for an embed of it. */
  quote?: RecordId
  embed?: JsonObject
  facets?: JsonObject[]
  langs?: string[]
  createdAt?: string
  /** Additional fields of the record. */
  more?: JsonObject
}

export type WriteInput = {
  did: string
  collection: string
  record: JsonObject
  rkey?: string
  operation?: 'create' | 'update'
}

export type World = ReturnType<typeof createWorld>

const START_AT = Date.parse('2026-11-01T12:00:00.000Z')

/** A writer's connection that publishes its transactions' invalidations as in the ingest thread. */
function told(db: WriteDb, invalidations: InvalidationWriter): WriteDb {
  publishInvalidationsTo(db, invalidations)
  invalidations.add(INVALIDATION.everything, 0, 0)
  return db
}

export function createWorld(options: WorldOptions = {}) {
  const { scope = 'community', trustedVerifiers, notificationDays } = options
  const settings = {
    timelineLength: options.timelineLength ?? 1000,
    reasonableLimit: options.reasonableLimit ?? 2000,
    celebrityThreshold: options.celebrityThreshold ?? 10_000,
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-world-'))
  let clockUs = (options.startAt ?? START_AT) * 1000
  const invalidations = new InvalidationWriter()
  let db = told(openEmpty(dataDir), invalidations)
  let reader: Db | undefined
  let memory = createMemoryParts(settings)
  let writer = createWriter({ db, memory, scope, now, trustedVerifiers, notificationDays })
  let held: StreamEvent[] | undefined
  const sent: StreamEvent[] = []

  function now(): number {
    return Math.floor(clockUs / 1000)
  }

  /** Advances the clock; returns microseconds. */
  function tick(ms = 1): number {
    clockUs += ms * 1000
    return clockUs
  }

  function commit(batch: Parameters<typeof applyBatch>[1]): BatchOutcome {
    return writer.commit((ctx) => applyBatch(ctx, batch))
  }

  /** Applies the events as one batch. */
  function apply(events: StreamEvent[]): BatchOutcome {
    return commit({ events })
  }

  function emit(event: StreamEvent): void {
    sent.push(event)
    if (held) held.push(event)
    else apply([event])
  }

  /** Returns the events made inside `act` instead of applying them. */
  function hold(act: () => void): StreamEvent[] {
    held = []
    try {
      act()
      return held
    } finally {
      held = undefined
    }
  }

  /** Runs writes that no event causes, e.g. memberSeen. */
  function run<T>(work: (ctx: IndexContext) => T): T {
    return writer.commit(work)
  }

  /** Imports part of an operator's list of follows. */
  function importFollows(
    lines: readonly FollowLine[],
    options?: { isInScopeOnly?: boolean },
  ): ImportTally {
    return run((ctx) => importLiveFollows(ctx, lines, options))
  }

  /** Sends a request of the serving side to the writer, as the ingest thread handles it. */
  function request(one: WriterRequest): void {
    const parts = { writer, openTimeline() {}, wakeBackfill() {} }
    const reply = createWriterRequests(parts)(one)
    if (!reply.ok) throw errorOf(reply)
  }

  function write({ did, collection, record, rkey, operation = 'create' }: WriteInput): RecordId {
    const timeUs = tick()
    const key = rkey ?? tidAt(timeUs)
    const full = { $type: collection, ...record }
    const event: WriteEvent = {
      kind: 'commit',
      did,
      timeUs,
      seq: undefined,
      operation,
      rev: tidAt(timeUs, 1),
      collection,
      rkey: key,
      cid: cidOf([did, key, full]),
      record: full,
    }
    emit(event)
    return { uri: `at://${did}/${collection}/${key}`, cid: event.cid }
  }

  function remove(record: RecordId | string): void {
    const uri = typeof record === 'string' ? record : record.uri
    const [did, collection, rkey] = uri.slice('at://'.length).split('/') as [string, string, string]
    const timeUs = tick()
    const rev = tidAt(timeUs, 1)
    emit({
      kind: 'commit',
      did,
      timeUs,
      seq: undefined,
      operation: 'delete',
      rev,
      collection,
      rkey,
    })
  }

  /** Creates a record; its createdAt is now unless given. */
  function create(did: string, collection: string, record: JsonObject, rkey?: string): RecordId {
    return write({ did, collection, rkey, record: { createdAt: isoNow(), ...record } })
  }

  function isoNow(): string {
    return new Date(now() + 1).toISOString()
  }

  function post(did: string, input: PostInput | string = {}): RecordId {
    const { text, reply, quote, embed, facets, langs, createdAt, more } =
      typeof input === 'string' ? ({ text: input } as PostInput) : input
    const record: JsonObject = { text: text ?? 'hello', createdAt: createdAt ?? isoNow() }
    if (reply) record['reply'] = { root: reply.root ?? reply.parent, parent: reply.parent }
    if (quote) record['embed'] = { $type: 'app.bsky.embed.record', record: quote }
    if (embed) record['embed'] = embed
    if (facets) record['facets'] = facets
    if (langs) record['langs'] = langs
    return write({ did, collection: 'app.bsky.feed.post', record: { ...record, ...more } })
  }

  /** Makes an account a member, as its first request would, and opens its timeline. */
  function member(did: string): void {
    run((ctx) => memberSeen(ctx, did))
    openTimeline(db, memory, memory.actors.uidOf(did), now())
  }

  /**
   * Stops and starts again: reopens connections, rebuilds memory from rows, and rebuilds timelines.
   */
  function restart(): void {
    const owners = openOwners()
    reader?.close()
    reader = undefined
    db.close()
    db = told(openWriter(dataDir), invalidations)
    memory = createMemoryParts(settings)
    rebuildMemory(db, memory)
    writer = createWriter({ db, memory, scope, now, trustedVerifiers, notificationDays })
    for (const owner of owners) openTimeline(db, memory, owner, now())
  }

  function openOwners(): number[] {
    const uids = Array.from({ length: memory.actors.count }, (_, i) => i + 1)
    return uids.filter((uid) => memory.timelines.isOpen(uid))
  }

  function dispose(): void {
    reader?.close()
    db.close()
    rmSync(dataDir, { recursive: true, force: true })
  }

  const world = {
    dataDir,
    sent,
    get db(): WriteDb {
      return db
    },
    invalidations,
    /** A second, read-only connection, as in the serving thread. */
    get reader(): Db {
      reader ??= openReader(dataDir)
      return reader
    },
    get writer(): Writer {
      return writer
    },
    get memory(): Memory {
      return memory
    },
    get actors(): ActorWriter {
      return memory.actors
    },
    get graph(): FollowGraphWriter {
      return memory.graph
    },
    get timelines(): TimelineWriter {
      return memory.timelines
    },
    now,
    tick,
    apply,
    commit,
    hold,
    importFollows,
    run,
    request,
    /** Applies a record as the backfill does; the fetch began now unless given. */
    fetched(input: { uri: string; record: JsonObject; fetchedAt?: number; rev?: string }) {
      const { uri, record, fetchedAt = now(), rev } = input
      const [did, collection, rkey] = uri.slice('at://'.length).split('/') as [
        string,
        string,
        string,
      ]
      const cid = cidOf([did, rkey, record])
      const records = [{ collection, rkey, cid, record }]
      return run((ctx) => applyFetched(ctx, { did, fetchedAt, rev, records }))
    },
    restart,
    dispose,
    member,
    write,
    create,
    post,
    delete: remove,
    isoNow,
    uid: (did: string) => memory.actors.uidOf(did),
    /** The DID of a name. */
    account(name: string): string {
      return didOf(name)
    },
    /** Stores a verified handle for an account that the store already has. */
    handle(did: string, handle: string, pds = 'https://pds.test'): void {
      const uid = memory.actors.uidOf(did)
      const identity = { handle, handleValid: true, pds, checkedAt: now() }
      run(() => setActorIdentity(db, uid, identity))
    },
    profile: (did: string, record: JsonObject = {}) =>
      create(did, 'app.bsky.actor.profile', record, 'self'),
    follow: (did: string, subject: string) => create(did, 'app.bsky.graph.follow', { subject }),
    block: (did: string, subject: string) => create(did, 'app.bsky.graph.block', { subject }),
    like: (did: string, subject: RecordId) => create(did, 'app.bsky.feed.like', { subject }),
    repost: (did: string, subject: RecordId) => create(did, 'app.bsky.feed.repost', { subject }),
    list: (did: string, name: string, purpose = 'app.bsky.graph.defs#modlist') =>
      create(did, 'app.bsky.graph.list', { name, purpose }),
    listItem: (did: string, list: RecordId, subject: string) =>
      create(did, 'app.bsky.graph.listitem', { list: list.uri, subject }),
    listBlock: (did: string, list: RecordId) =>
      create(did, 'app.bsky.graph.listblock', { subject: list.uri }),
    /** `allow` as in the lexicon: undefined lets every account reply, [] none. */
    threadgate: (post: RecordId, allow?: JsonObject[], more: JsonObject = {}) =>
      gate('threadgate', post, allow ? { allow, ...more } : more),
    postgate: (post: RecordId, record: JsonObject = {}) => gate('postgate', post, record),
    mute: (did: string, subject: string) => run((ctx) => mute(ctx, did, subject)),
    unmute: (did: string, subject: string) => run((ctx) => unmute(ctx, did, subject)),
    identity(did: string, handle?: string): void {
      emit({ kind: 'identity', did, timeUs: tick(), seq: undefined, handle })
    },
    status(did: string, status?: AccountStatus): void {
      const active = status === undefined
      emit({ kind: 'account', did, timeUs: tick(), seq: undefined, active, status })
    },
    sync(did: string): void {
      const timeUs = tick()
      emit({ kind: 'sync', did, timeUs, seq: undefined, rev: tidAt(timeUs, 1) })
    },
    /** Feed items of a member's ring, newest first. */
    timelineItems(did: string): number[] {
      const ring = memory.timelines.read(memory.actors.uidOf(did), undefined, 100_000)
      return ring?.entries.map(({ item }) => item) ?? []
    },
  }

  function gate(kind: 'threadgate' | 'postgate', post: RecordId, record: JsonObject): RecordId {
    const [did, , rkey] = post.uri.slice('at://'.length).split('/') as [string, string, string]
    return create(did, `app.bsky.feed.${kind}`, { post: post.uri, ...record }, rkey)
  }

  for (const name of options.members ?? []) member(didOf(name))
  return world
}

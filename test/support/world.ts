// A small world for tests: a real database in its own folder, the real indexer and publisher, graph and
// timelines, and accounts that act. Every act becomes a realistic stream event, with revs that increase
// within its repository and its own timestamp, and goes through the writer at once, unless the world is told
// to hold events back.

import type { FollowGraphWriter, TimelineWriter } from '@slipstream/follow-graph'
import type { AccountStatus, WriteEvent } from '@slipstream/jetstream'
import type { JsonObject } from '../../src/base/util/json-object.ts'
import { errorOf } from '../../src/bridge/connection.ts'
import type { WriterRequest } from '../../src/bridge/messages.ts'
import type { ActorWriter } from '../../src/data/graph/types.ts'
import type { Db, WriteDb } from '../../src/data/store/db.ts'
import { setActorIdentity } from '../../src/data/store/records/actors.ts'
import type { FollowLine } from '../../src/data/store/records/follows.ts'
import { applyFetched } from '../../src/ingest/indexing/apply-batch.ts'
import type { ImportTally } from '../../src/ingest/indexing/imports/import-tally.ts'
import { importLiveFollows } from '../../src/ingest/indexing/imports/live-follows.ts'
import type { IndexContext } from '../../src/ingest/indexing/index-context.ts'
import { memberSeen } from '../../src/ingest/indexing/members/members.ts'
import { mute, unmute } from '../../src/ingest/indexing/members/private-state.ts'
import type { Memory } from '../../src/ingest/indexing/memory/memory.ts'
import type { Writer } from '../../src/ingest/indexing/writer.ts'
import { createWriterRequests } from '../../src/ingest/upkeep/requests/writer-requests.ts'
import { requestHandlers } from './feature-parts.ts'
import { cidOf, didOf, tidAt } from './records.ts'
import { WorldStore, type WorldStoreOptions } from './world-store.ts'
import {
  createWorldClock,
  createWorldStream,
  type WorldClock,
  type WorldStream,
} from './world-stream.ts'

export type WorldOptions = WorldStoreOptions & {
  /** Names of members that exist from the start, with open timelines. */
  members?: string[]
  /** Milliseconds since 1970 at the start; each act advances the clock by a millisecond. */
  startAt?: number
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

type Dependencies = { clock: WorldClock; store: WorldStore; emit: WorldStream['emit'] }

type Records = ReturnType<typeof recordActs>

const START_AT = Date.parse('2026-11-01T12:00:00.000Z')

export function createWorld(options: WorldOptions = {}) {
  const clock = createWorldClock(options.startAt ?? START_AT)
  const store = new WorldStore(options, clock.now)
  const { sent, emit, apply, commit, hold } = createWorldStream(store)
  const parts = { clock, store, emit }
  const records = recordActs(parts)
  const requests = requestActs(parts)
  for (const name of options.members ?? []) requests.member(didOf(name))
  return {
    dataDir: store.dataDir,
    invalidations: store.invalidations,
    get db(): WriteDb {
      return store.db
    },
    /** A second, read-only connection, as in the serving thread. */
    get reader(): Db {
      return store.reader
    },
    get writer(): Writer {
      return store.writer
    },
    get memory(): Memory {
      return store.memory
    },
    get actors(): ActorWriter {
      return store.memory.actors
    },
    get graph(): FollowGraphWriter {
      return store.memory.graph
    },
    get timelines(): TimelineWriter {
      return store.memory.timelines
    },
    ...clock,
    sent,
    apply,
    commit,
    hold,
    /** Runs writes that no event causes, e.g. memberSeen. */
    run: <T>(work: (ctx: IndexContext) => T): T => store.run(work),
    /** Stops and starts again. */
    restart: () => store.restart(),
    dispose: () => store.dispose(),
    /** The DID of a name. */
    account: didOf,
    ...accountEvents(parts),
    ...records,
    ...graphActs(records),
    ...postActs(records, clock),
    ...importActs(parts),
    ...requests,
    ...lookUps(store),
  }
}

/** Writes and deletions of records, as stream events. */
function recordActs({ clock, emit }: Dependencies) {
  /** Returns the fields that the commits of one account share. */
  function begin(did: string) {
    const timeUs = clock.tick()
    return { kind: 'commit', did, timeUs, seq: undefined, rev: tidAt(timeUs, 1) } as const
  }

  function write({ did, collection, record, rkey, operation = 'create' }: WriteInput): RecordId {
    const commit = begin(did)
    const key = rkey ?? tidAt(commit.timeUs)
    const full = { $type: collection, ...record }
    const cid = cidOf([did, key, full])
    const event: WriteEvent = { ...commit, operation, collection, rkey: key, cid, record: full }
    emit(event)
    return { uri: `at://${did}/${collection}/${key}`, cid }
  }

  return {
    write,
    /** Creates a record; its createdAt is now unless given. */
    create(did: string, collection: string, record: JsonObject, rkey?: string): RecordId {
      return write({ did, collection, rkey, record: { createdAt: clock.isoNow(), ...record } })
    },
    delete(record: RecordId | string): void {
      const [did, collection, rkey] = partsOf(typeof record === 'string' ? record : record.uri)
      emit({ ...begin(did), operation: 'delete', collection, rkey })
    },
  }
}

function graphActs({ create }: Records) {
  return {
    profile: (did: string, record: JsonObject = {}) =>
      create(did, 'app.bsky.actor.profile', record, 'self'),
    follow: (did: string, subject: string) => create(did, 'app.bsky.graph.follow', { subject }),
    block: (did: string, subject: string) => create(did, 'app.bsky.graph.block', { subject }),
    list: (did: string, name: string, purpose = 'app.bsky.graph.defs#modlist') =>
      create(did, 'app.bsky.graph.list', { name, purpose }),
    listItem: (did: string, list: RecordId, subject: string) =>
      create(did, 'app.bsky.graph.listitem', { list: list.uri, subject }),
    listBlock: (did: string, list: RecordId) =>
      create(did, 'app.bsky.graph.listblock', { subject: list.uri }),
  }
}

function postActs({ write, create }: Records, { isoNow }: WorldClock) {
  function gate(kind: 'threadgate' | 'postgate', post: RecordId, record: JsonObject): RecordId {
    const [did, , rkey] = partsOf(post.uri)
    return create(did, `app.bsky.feed.${kind}`, { post: post.uri, ...record }, rkey)
  }

  return {
    post(did: string, input: PostInput | string = {}): RecordId {
      const given = typeof input === 'string' ? { text: input } : input
      const record = postRecord(given, isoNow())
      return write({ did, collection: 'app.bsky.feed.post', record })
    },
    like: (did: string, subject: RecordId) => create(did, 'app.bsky.feed.like', { subject }),
    repost: (did: string, subject: RecordId) => create(did, 'app.bsky.feed.repost', { subject }),
    /** `allow` as in the lexicon: undefined lets every account reply, [] none. */
    threadgate: (post: RecordId, allow?: JsonObject[], more: JsonObject = {}) =>
      gate('threadgate', post, allow ? { allow, ...more } : more),
    postgate: (post: RecordId, record: JsonObject = {}) => gate('postgate', post, record),
  }
}

function postRecord(input: PostInput, now: string): JsonObject {
  const { text = 'hello', createdAt = now, reply, quote, embed, facets, langs, more } = input
  const record: JsonObject = { text, createdAt }
  if (reply) record['reply'] = { root: reply.root ?? reply.parent, parent: reply.parent }
  if (quote) record['embed'] = { $type: 'app.bsky.embed.record', record: quote }
  if (embed) record['embed'] = embed
  if (facets) record['facets'] = facets
  if (langs) record['langs'] = langs
  return { ...record, ...more }
}

/** Stream events about accounts and repositories. */
function accountEvents({ clock, emit }: Dependencies) {
  return {
    identity(did: string, handle?: string): void {
      emit({ kind: 'identity', did, timeUs: clock.tick(), seq: undefined, handle })
    },
    status(did: string, status?: AccountStatus): void {
      const active = status === undefined
      emit({ kind: 'account', did, timeUs: clock.tick(), seq: undefined, active, status })
    },
    sync(did: string): void {
      const timeUs = clock.tick()
      emit({ kind: 'sync', did, timeUs, seq: undefined, rev: tidAt(timeUs, 1) })
    },
  }
}

/** Writes that requests of the serving side cause. */
function requestActs({ store }: Dependencies) {
  return {
    /** Makes an account a member, as its first request would, and opens its timeline. */
    member(did: string): void {
      store.run((ctx) => memberSeen(ctx, did))
      store.openTimeline(store.memory.actors.uidOf(did))
    },
    /** Sends a request of the serving side to the writer, as the ingest thread handles it. */
    request(writerRequest: WriterRequest): void {
      const parts = {
        writer: store.writer,
        ofFeatures: requestHandlers,
        openTimeline() {},
        wakeBackfill() {},
      }
      const reply = createWriterRequests(parts)(writerRequest)
      if (!reply.ok) throw errorOf(reply)
    },
    mute: (did: string, subject: string) => store.run((ctx) => mute(ctx, did, subject)),
    unmute: (did: string, subject: string) => store.run((ctx) => unmute(ctx, did, subject)),
  }
}

/** Writes of data that does not arrive on the stream. */
function importActs({ clock, store }: Dependencies) {
  return {
    /** Imports part of an operator's list of follows. */
    importFollows(
      lines: readonly FollowLine[],
      options?: { isInScopeOnly?: boolean },
    ): ImportTally {
      return store.run((ctx) => importLiveFollows(ctx, lines, options))
    },
    /** Applies a record as the backfill does; the fetch began now unless given. */
    fetched(input: { uri: string; record: JsonObject; fetchedAt?: number; rev?: string }) {
      const { uri, record, fetchedAt = clock.now(), rev } = input
      const [did, collection, rkey] = partsOf(uri)
      const cid = cidOf([did, rkey, record])
      const records = [{ collection, rkey, cid, record }]
      return store.run((ctx) => applyFetched(ctx, { did, fetchedAt, rev, records }))
    },
    /** Stores a verified handle for an account that the store already has. */
    handle(did: string, handle: string, pds = 'https://pds.test'): void {
      const uid = store.memory.actors.uidOf(did)
      const identity = { handle, handleValid: true, pds, checkedAt: clock.now() }
      store.run(() => setActorIdentity(store.db, uid, identity))
    },
  }
}

function lookUps(store: WorldStore) {
  const uid = (did: string) => store.memory.actors.uidOf(did)
  return {
    uid,
    /** Feed items of a member's ring, newest first. */
    timelineItems(did: string): number[] {
      const ring = store.memory.timelines.read(uid(did), undefined, 100_000)
      return ring?.entries.map(({ item }) => item) ?? []
    },
  }
}

function partsOf(uri: string): [did: string, collection: string, rkey: string] {
  return uri.slice('at://'.length).split('/') as [string, string, string]
}

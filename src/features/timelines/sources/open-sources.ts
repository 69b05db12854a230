// Opens the source of a timeline key, from rows, the graph and the rules of the timeline.

import type { FollowGraphReader } from '@slipstream/follow-graph'
import { createTimelineGaps } from '../../../answers/skeleton/timeline-gaps.ts'
import { parseRecordUri } from '../../../base/atproto/at-uri.ts'
import { packRkey } from '../../../base/atproto/keys.ts'
import type { IsDrawn } from '../../../data/graph/lossiness.ts'
import { type ActorReader, MEMBER } from '../../../data/graph/types.ts'
import type { InvalidationReader } from '../../../data/shared-memory/invalidation-ring.ts'
import type { Db } from '../../../data/store/db.ts'
import { prepareBlockPairs } from '../../../data/store/read/accounts/block-pairs.ts'
import { prepareListPages } from '../../../data/store/read/lists/list-pages.ts'
import { prepareTakedowns } from '../../../data/store/read/moderation/takedowns.ts'
import { prepareFeedEntities } from '../../../data/store/read/posts/feed-entities.ts'
import { findList } from '../../../data/store/records/lists.ts'
import { isRepostItem } from '../../../data/store/timelines/item-ids.ts'
import { prepareActArrivals } from '../store/read/act-arrivals.ts'
import { prepareArrivalBlocks } from '../store/read/arrival-blocks.ts'
import { type Arrival, prepareArrivals } from '../store/read/arrivals.ts'
import { prepareCustomTimelines } from '../store/read/custom-timelines.ts'
import { prepareLoggedItems } from '../store/read/logged-items.ts'
import { prepareNotificationArrivals } from '../store/read/notification-arrivals.ts'
import { createActSource, isActKind } from './act-source.ts'
import { type ArrivalSourceContext, createArrivalSource, gapsAround } from './arrival-source.ts'
import { CachedBlocks } from './cached-blocks.ts'
import { CachedTimelines, type Members } from './cached-timelines.ts'
import { createCustomSource } from './custom-source.ts'
import { entityIdOf } from './event-json.ts'
import { createFeedEvents } from './feed-events.ts'
import { createLoggedSource, type FollowingLogs } from './logged-source.ts'
import { createNotificationSource } from './notification-source.ts'
import type { TimelineKey } from './timeline-key.ts'
import type { Entity, TimelineSource } from './types.ts'

export type SourceContext = {
  db: Db
  actors: ActorReader
  graph: FollowGraphReader
  isDrawn: IsDrawn
  /** Logs of members' timelines, if several nodes share them. */
  logs?: FollowingLogs | undefined
}

export type Readers = ReturnType<typeof prepareReaders>

const MAX_LIST = 100_000
const MAX_GAPS = 20
const PAGE = 8_192

/**
 * Prepares the statements of this connection.
 * @param invalidations - a reader for this use alone; if omitted, nothing is cached across pages
 */
export function prepareReaders(
  { db, actors, graph }: Omit<SourceContext, 'isDrawn'>,
  invalidations?: InvalidationReader,
) {
  const cached = invalidations && new CachedTimelines(invalidations)
  const takedowns = prepareTakedowns(db)
  const entities = prepareFeedEntities(db)
  return {
    /** Must be called before anything is read. */
    begin: () => cached?.takeInvalidations(),
    kept: cached,
    logged: prepareLoggedItems(db, actors),
    arrivals: prepareArrivals(db),
    arrivalBlocks: prepareArrivalBlocks(db, cached?.arrivals),
    notifications: prepareNotificationArrivals(db),
    acts: prepareActArrivals(db),
    custom: prepareCustomTimelines(db),
    events: createFeedEvents({ actors, entities, takedowns, cached }),
    lists: prepareListPages(db),
    blocks: prepareBlockPairs(db),
    takedowns,
    gaps: createTimelineGaps({ db, graph }),
  }
}

/**
 * @returns undefined if the account or list does not exist here, or the account is not a member; or
 *   if the timeline is read alone and nobody has posted to it.
 */
export function createOpenSource(context: SourceContext, readers: Readers) {
  const { actors } = context
  return (key: TimelineKey, isAlone = true): TimelineSource | undefined => {
    const { kind, name, text } = key
    if (kind === 'custom') {
      if (isAlone && !readers.custom.find(name)) return undefined
      return createCustomSource({ key: text, name, timelines: readers.custom })
    }
    if (kind === 'list') return openList(context, readers, key)
    const uid = actors.uidOf(name)
    if (uid === 0) return undefined
    if (kind === 'author') return openAuthor(context, readers, { key: text, uid })
    if ((actors.flagsOf(uid) & MEMBER) === 0) return undefined
    if (kind === 'following') {
      const named = { key: text, did: name, uid }
      const { logs } = context
      return logs
        ? openLogged({ ...context, logs }, readers, named)
        : openFollowing(context, readers, named)
    }
    const { acts, notifications, takedowns } = readers
    if (isActKind(kind)) return createActSource({ key: text, kind, uid, actors, acts, takedowns })
    if (kind !== 'notifications') return kind satisfies never
    return createNotificationSource({
      key: text,
      uid,
      actors,
      notifications,
      takedowns,
      blocked: rememberBlocks(readers, uid),
    })
  }
}

type Named = { key: string; uid: number }

function openAuthor(context: SourceContext, readers: Readers, { key, uid }: Named): TimelineSource {
  return createArrivalSource({
    ...common(context, readers, key),
    originators: { size: 1, has: (value) => value === uid, all: () => [uid], taken: (all) => all },
    gapsIn: (stretch) => readers.gaps(uid, stretch, MAX_GAPS),
  })
}

/**
 * The member and their follows, except items dropped by the draw and accounts in a block with the
 * member.
 */
export function openFollowing(
  context: SourceContext,
  readers: Readers,
  { key, uid }: Named,
): TimelineSource<Arrival> {
  const { graph, isDrawn } = context
  const blocked = rememberBlocks(readers, uid)
  return createArrivalSource({
    ...common(context, readers, key),
    originators: {
      size: graph.followsCount(uid) + 1,
      has: (value) => value === uid || graph.has(uid, value),
      all: () => followsAndSelf(graph, uid),
      taken(all) {
        const isBlocked = blocked(all)
        return all.filter(
          (arrival) =>
            arrival.uid === uid || (!isBlocked(arrival.uid) && isDrawn(uid, arrival.item)),
        )
      },
    },
    gapsIn: (stretch) => readers.gaps(uid, stretch, MAX_GAPS),
  })
}

function openLogged(
  context: SourceContext & { logs: FollowingLogs },
  readers: Readers,
  { key, did, uid }: Named & { did: string },
): TimelineSource<Arrival> {
  const { actors, graph, logs } = context
  const gapsIn: ArrivalSourceContext['gapsIn'] = (stretch) => readers.gaps(uid, stretch, MAX_GAPS)
  return createLoggedSource({
    key,
    did,
    uid,
    logs,
    actors,
    graph,
    items: readers.logged,
    blocked: rememberBlocks(readers, uid),
    describe: (events) => describeArrivals(readers, events),
    gaps: (events, isTip) => gapsAround(gapsIn, events, isTip ? Date.now() : undefined),
  })
}

/**
 * Posts only, as in the list's feed, and to the owner without accounts in a block with them.
 */
function openList(
  context: SourceContext,
  readers: Readers,
  { name, text, isForOwner = false }: TimelineKey,
): TimelineSource | undefined {
  const named = parseRecordUri(name)!
  const owner = context.actors.uidOf(named.did)
  const list = owner === 0 ? undefined : findList(context.db, owner, packRkey(named.rkey))
  if (!list?.cid) return undefined
  const { all, set } = membersOf(readers, list.id)
  const blocked = isForOwner ? rememberBlocks(readers, owner) : () => () => false
  return createArrivalSource({
    ...common(context, readers, text),
    originators: {
      size: all.length,
      has: (uid) => set.has(uid),
      all: () => all,
      taken(some) {
        const isBlocked = blocked(some)
        return some.filter(({ uid, item }) => !isRepostItem(item) && !isBlocked(uid))
      },
    },
    gapsIn: (stretch) => readers.gaps(owner, stretch, MAX_GAPS).filter(({ did }) => !did),
  })
}

function membersOf({ lists, kept: cached }: Readers, list: number): Members {
  const read = (id: number) => lists.allMembers(id, MAX_LIST)
  if (cached) return cached.membersOf(list, read)
  const all = read(list)
  return { all, set: new Set(all) }
}

/**
 * A record's event is named after its arrival here; if several nodes share timelines, after the
 * record itself, since each node numbers arrivals of its own.
 */
function recordEventId({ logs }: Pick<SourceContext, 'logs'>, seq: number, entity: Entity): string {
  return logs ? entityIdOf(entity) : `arrivals/${seq}`
}

function common(
  context: SourceContext,
  readers: Readers,
  key: string,
): Omit<ArrivalSourceContext, 'originators' | 'gapsIn' | 'now'> {
  const { actors } = context
  return {
    key,
    arrivals: readers.arrivals,
    blocks: readers.arrivalBlocks,
    flagsOf: (uid) => actors.flagsOf(uid),
    describe: (events) => describeArrivals(readers, events),
    eventId: (seq, entity) => recordEventId(context, seq, entity),
    isNamedByRecord: context.logs !== undefined,
  }
}

/** By number, without records hidden by the operator. */
export function describeArrivals(
  { events: read }: Pick<Readers, 'events'>,
  events: readonly Pick<Arrival, 'seq' | 'uid' | 'item'>[],
): Map<number, Entity> {
  const found = read(events)
  const described = new Map<number, Entity>()
  for (const { seq, item } of events) {
    const entity = found.get(item)
    if (entity) described.set(seq, entity)
  }
  return described
}

/** Checks the authors of a page together; most pages have few. */
function rememberBlocks({ blocks, kept: cached }: Readers, viewer: number) {
  const known = cached?.blocks ?? new CachedBlocks()
  const read = (uids: readonly number[]) => {
    const { direct, byList } = blocks.blocked(uids.map((uid) => [viewer, uid] as const))
    return [...direct, ...byList].map(([, uid]) => uid)
  }
  return (arrivals: readonly { uid: number }[]): ((uid: number) => boolean) => {
    const uids = arrivals.map(({ uid }) => uid)
    return known.among(viewer, uids, read)
  }
}

function followsAndSelf(graph: FollowGraphReader, uid: number): Uint32Array {
  const all = new Uint32Array(graph.followsCount(uid) + 1)
  const page = new Uint32Array(PAGE)
  let used = 0
  let after = 0
  for (let count = PAGE; count === PAGE && used < all.length; ) {
    count = graph.follows(uid, after, page)
    const capacity = Math.min(count, all.length - used)
    all.set(page.subarray(0, capacity), used)
    used += capacity
    after = page[count - 1] ?? 0
  }
  if (!graph.has(uid, uid) && used < all.length) all[used++] = uid
  return all.subarray(0, used)
}

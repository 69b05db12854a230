// Connects a serving thread to the state that several nodes share, if this node is one of several. A single
// node's parts are returned unchanged.

import { hostname } from 'node:os'
import type { TimelineReader } from '@slipstream/follow-graph'
import { prepareReaders, type SourceParts } from '../../answers/timelines/open-sources.ts'
import type { Config } from '../../base/config/config.ts'
import type { Logger } from '../../base/obs/log.ts'
import type { IngestConnection } from '../../bridge/connection.ts'
import type { SharedMemory, Writer } from '../../bridge/messages.ts'
import { createCqlLeases } from '../../data/engine/cql-leases.ts'
import { createHeldBuckets, type HeldBuckets } from '../../data/engine/held-buckets.ts'
import { createSoleLeases, type Leases } from '../../data/engine/leases.ts'
import { InvalidationReader } from '../../data/shared-memory/invalidation-ring.ts'
import { awaitPublished } from '../../data/shared-memory/publishing.ts'
import type { OnViewer } from '../server/auth.ts'
import { createArrivalTail } from './arrival-tail.ts'
import { createEnginePlace } from './engine-place.ts'
import { createDeliveries } from './following-deliveries.ts'
import { createFollowingWriter } from './following-writer.ts'
import { createGuestTimelines } from './guest-timelines.ts'
import { sharePlace } from './place-sharing.ts'
import { createSharedFollowing, type SharedFollowing } from './shared-following.ts'
import { createSharedHomes, type SharedHomes } from './shared-homes.ts'
import { createSharedState } from './shared-state.ts'
import { createSharedTimelines, type SharedTimelines } from './shared-timelines.ts'

export type Sharing = {
  writer: Writer
  /** Takes the operator's requests. */
  operate: IngestConnection['operate']
  /**
   * Whether one more account may become a member on all nodes; undefined if only this node decides.
   */
  hasSeat: (() => boolean) | undefined
  /** Makes members' requests wait until other nodes' changes are taken in. */
  withState<Callers extends { onViewer: OnViewer }>(callers: Callers): Callers
  /** The node's leases, managed by its first thread. */
  leases: Leases | undefined
  /** How long it keeps answering after it was told to stop. */
  leavesForMs: number
  /** Programs' timelines; undefined if they belong to this node alone. */
  timelines: SharedTimelines | undefined
  /** Members' timelines by arrival; undefined if they are made from this node's rows. */
  following: SharedFollowing | undefined
  /**
   * Home timelines of members whose buckets are on other nodes; undefined if there are no others.
   */
  homes: { homes: SharedHomes; timelines: TimelineReader } | undefined
  /** Answers given from this node's data because the engine was away or slow. */
  fallbacks(): number
  close(): void
}

type Options = {
  config: Config
  log: Logger
  ingest: Pick<
    IngestConnection,
    'writer' | 'writeTimelines' | 'planPosts' | 'operate' | 'configuredMembers'
  >
  thread: number
  memory: Pick<SharedMemory, 'invalidations' | 'buckets'>
}

type Reading = Omit<SourceParts, 'logs'> & { timelines: TimelineReader }

/** Two health checks of a balancer that checks every second. */
const LEAVES_FOR_MS = 2_500

export function createSharing(options: Options, reading: Reading): Sharing {
  const { config, log, ingest } = options
  const { db } = reading
  const { writer } = ingest
  const isFirst = options.thread === 0
  if (config.engine === undefined) return alone(ingest, isFirst)
  const engine = createEnginePlace(config)
  const shared = createSharedState({ place: engine.place, db, writer, log })
  const decisions = sharePlace({ ...options, place: engine.place, state: shared, db, isFirst })
  const placeId = () => decisions.id()
  const timelines = createSharedTimelines({ place: engine.place, placeId, db, ingest, log })
  const name = `${hostname()}:${config.port}`
  const table = async () => (await engine.place()).leases
  const held = createHeldBuckets(options.memory.buckets)
  const onLooked = held.set
  const leases = isFirst ? createCqlLeases({ table, name, log, onLooked }) : undefined
  const readers = prepareReaders(reading)
  const { place } = engine
  const following = createSharedFollowing({ place, db, items: readers.logged, log })
  const { actors, graph } = reading
  const published = new Int32Array(options.memory.invalidations)
  const isPublished = () => awaitPublished(published, 0)
  const deliveries = createDeliveries(reading, readers)
  const writing =
    leases &&
    createFollowingWriter({
      place,
      leases,
      db,
      actors,
      graph,
      deliveries,
      isPublished,
      log,
      invalidations: new InvalidationReader(options.memory.invalidations),
      ...readers,
    })
  const homes = openHomes(options, reading, { place, readers, held, isPublished })
  return {
    homes: { homes, timelines: homes.timelines },
    leases: leases && {
      epochOf: (bucket) => leases.epochOf(bucket),
      counts: () => leases.counts(),
      async release() {
        await writing?.close()
        await leases.release()
      },
    },
    leavesForMs: LEAVES_FOR_MS,
    timelines,
    following,
    fallbacks() {
      const all = [shared, timelines, following]
      return all.reduce((sum, one) => sum + one.fallbacks(), 0)
    },
    ...decisions,
    withState(callers) {
      const onViewer = decisions.withNews(callers.onViewer)
      return { ...callers, onViewer: afterwards(onViewer, shared) }
    },
    close() {
      decisions.close()
      shared.close()
      timelines.close()
      void engine
        .close()
        .catch((error) => log.warn({ err: error }, 'the engine could not be closed'))
    },
  }
}

function openHomes(
  { ingest, log, memory }: Options,
  reading: Reading,
  {
    place,
    readers,
    ...parts
  }: {
    place: ReturnType<typeof createEnginePlace>['place']
    readers: ReturnType<typeof prepareReaders>
    held: HeldBuckets
    isPublished: () => boolean
  },
): SharedHomes {
  const items = readers.logged
  const tail = createArrivalTail(readers.arrivals)
  const invalidations = new InvalidationReader(memory.invalidations)
  const guests = createGuestTimelines({ ...reading, items, tail, invalidations })
  const { writer } = ingest
  const rings = reading.timelines
  return createSharedHomes({ ...reading, ...parts, place, items, tail, guests, rings, writer, log })
}

function alone({ writer, operate }: Options['ingest'], isFirst: boolean): Sharing {
  const nothing = {
    hasSeat: undefined,
    timelines: undefined,
    following: undefined,
    homes: undefined,
    leavesForMs: 0,
  }
  const leases = isFirst ? createSoleLeases() : undefined
  const withState: Sharing['withState'] = (callers) => callers
  return { writer, operate, withState, leases, ...nothing, fallbacks: () => 0, close() {} }
}

function afterwards(
  onViewer: OnViewer,
  shared: { upToDate(did: string): Promise<boolean> },
): OnViewer {
  return async (did, token, request) => {
    await onViewer(did, token, request)
    request.isBehind = !(await shared.upToDate(did))
  }
}

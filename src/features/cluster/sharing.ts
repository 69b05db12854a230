// Connects a serving thread to the state that several nodes share, if this node is one of several.

import { hostname } from 'node:os'
import { settingsOf } from '../../base/config/every-setting.ts'
import type { FeatureGauge } from '../../base/feature.ts'
import { awaitPublished, InvalidationReader } from '../../data/shared-memory/invalidation-ring.ts'
import type { Sharing, SharingContext } from '../../http/serve/sharing.ts'
import type { OnViewer } from '../../http/server/auth.ts'
import type { MembersOfNodes } from '../push/members-of-nodes.ts'
import type { SharedByNodes } from '../timelines/http/shared-by-nodes.ts'
import { timelineWriter } from '../timelines/requests.ts'
import { prepareReaders } from '../timelines/sources/open-sources.ts'
import { createCqlLeases } from './engine/cql-leases.ts'
import { createHeldBuckets, type HeldBuckets } from './engine/held-buckets.ts'
import { createSoleLeases, type Leases } from './engine/leases.ts'
import { clusterSettings } from './settings.ts'
import { createArrivalTail } from './sharing/arrival-tail.ts'
import { isEngineAway, shareClusterState } from './sharing/cluster-state-sharing.ts'
import { createClusterState } from './sharing/engine-cluster-state.ts'
import { createDeliveries } from './sharing/following-deliveries.ts'
import { createFollowingWriter } from './sharing/following-writer.ts'
import { createGuestTimelines } from './sharing/guest-timelines.ts'
import { createSharedFollowing } from './sharing/shared-following.ts'
import { createSharedHomes, type SharedHomes } from './sharing/shared-homes.ts'
import { createSharedState } from './sharing/shared-state.ts'
import { createSharedTimelines } from './sharing/shared-timelines.ts'

/** Two health checks of a balancer that checks every second. */
const LEAVES_FOR_MS = 2_500

/** @returns undefined for a node alone */
export function shareOnEngine(context: SharingContext): Sharing | undefined {
  const { config, log, ingest, db, actors, graph, memory } = context
  const settings = settingsOf(config, clusterSettings)
  if (settings.engine === undefined) return undefined
  const isFirst = context.thread === 0
  const engine = createClusterState(settings)
  const { cluster } = engine
  const shared = createSharedState({ cluster, db, writer: ingest.writer, log })
  const decisions = shareClusterState({ ...context, cluster, state: shared, isFirst })
  const clusterId = () => decisions.id()
  const timelines = createSharedTimelines({
    cluster,
    clusterId,
    db,
    ingest: timelineWriter(ingest),
    log,
  })
  const held = createHeldBuckets(memory.features?.['cluster'])
  const readers = prepareReaders(context)
  const following = createSharedFollowing({ cluster, db, items: readers.logged, log })
  const published = new Int32Array(memory.invalidations)
  const isPublished = () => awaitPublished(published, 0)
  const leases = isFirst ? leasesOf(context, cluster, held) : undefined
  const writing =
    leases &&
    createFollowingWriter({
      cluster,
      leases,
      db,
      actors,
      graph,
      deliveries: createDeliveries(context, readers),
      isPublished,
      log,
      invalidations: new InvalidationReader(memory.invalidations),
      ...readers,
    })
  const homes = openHomes(context, { cluster, readers, held, isPublished })
  return {
    writer: decisions.writer,
    operate: decisions.operate,
    hasSeat: decisions.hasSeat,
    homes: { homes, timelines: homes.timelines },
    isLogged: isEngineAway,
    async leave() {
      await writing?.close()
      await leases?.release()
    },
    leavesForMs: LEAVES_FOR_MS,
    ofFeatures: {
      timelines: { timelines, following } satisfies SharedByNodes,
      push: { upToDate: shared.upToDate } satisfies MembersOfNodes,
    },
    gauges: () =>
      gaugesOf({ leases, homes, fallbacks: [shared, timelines, following].map(fallbacksOf) }),
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

function leasesOf(
  { config, log }: SharingContext,
  cluster: ReturnType<typeof createClusterState>['cluster'],
  held: HeldBuckets,
): Leases {
  const table = async () => (await cluster()).leases
  return createCqlLeases({ table, name: `${hostname()}:${config.port}`, log, onLooked: held.set })
}

/** A node alone holds all buckets, which its first thread reports. */
export function soleGauges(): () => Readonly<Record<FeatureGauge, number>> {
  const leases = createSoleLeases()
  return () => leaseGauges(leases)
}

function gaugesOf({
  leases,
  homes,
  fallbacks,
}: {
  leases: Leases | undefined
  homes: SharedHomes
  fallbacks: readonly number[]
}): Readonly<Record<FeatureGauge, number>> {
  const { requested, used, cached } = homes.counts()
  return {
    ...(leases && leaseGauges(leases)),
    'cluster.engineFallbacks': fallbacks.reduce((sum, value) => sum + value, 0),
    'cluster.homesUsed': used,
    'cluster.homesUnused': requested - used,
    'cluster.guestTimelines': cached,
  }
}

function leaseGauges(leases: Pick<Leases, 'counts'>) {
  const { held, gained, lost } = leases.counts()
  return {
    'cluster.bucketsHeld': held,
    'cluster.bucketsGained': gained,
    'cluster.bucketsLost': lost,
  }
}

const fallbacksOf = (item: { fallbacks(): number }) => item.fallbacks()

function openHomes(
  reading: SharingContext,
  {
    cluster,
    readers,
    ...parts
  }: {
    cluster: ReturnType<typeof createClusterState>['cluster']
    readers: ReturnType<typeof prepareReaders>
    held: HeldBuckets
    isPublished: () => boolean
  },
): SharedHomes {
  const { ingest, log, memory } = reading
  const items = readers.logged
  const tail = createArrivalTail(readers.arrivals)
  const invalidations = new InvalidationReader(memory.invalidations)
  const guests = createGuestTimelines({ ...reading, items, tail, invalidations })
  const { writer } = ingest
  const rings = reading.timelines
  return createSharedHomes({
    ...reading,
    ...parts,
    cluster,
    items,
    tail,
    guests,
    rings,
    writer,
    log,
  })
}

function afterwards(
  onViewer: OnViewer,
  shared: { upToDate(did: string): Promise<boolean> },
): OnViewer {
  return async (did, token, request) => {
    await onViewer(did, token, request)
    if (!(await shared.upToDate(did))) request.behind = 'engine'
  }
}

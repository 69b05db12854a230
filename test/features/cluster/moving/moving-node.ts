// A node with its own data folder, for tests of moving its place: its data as its readers see it, and the
// data it takes over from an engine as a server does.

import { errorOf } from '../../../../src/bridge/connection.ts'
import { listInvites } from '../../../../src/data/store/members/invites.ts'
import { membersByDid } from '../../../../src/data/store/members/members.ts'
import { ingest } from '../../../../src/features/cluster/ingest.ts'
import type {
  MoveContext,
  MovingClusterState,
} from '../../../../src/features/cluster/moving/moving-cluster-state.ts'
import { bringClusterState } from '../../../../src/features/cluster/sharing/shared-cluster-state.ts'
import { bringState } from '../../../../src/features/cluster/sharing/shared-state.ts'
import { createSharedTimelines } from '../../../../src/features/cluster/sharing/shared-timelines.ts'
import type { TimelineRequest } from '../../../../src/features/timelines/requests.ts'
import {
  openFollowing,
  prepareReaders,
} from '../../../../src/features/timelines/sources/open-sources.ts'
import { movedKeys } from '../../../../src/features/timelines/store/moved-timelines.ts'
import {
  findStoredToken,
  listServiceTokens,
} from '../../../../src/features/timelines/store/programs/service-tokens.ts'
import type {
  PostOutcome,
  PostPlan,
  TimelinePost,
} from '../../../../src/features/timelines/store/programs/timeline-posts.ts'
import { prepareCustomTimelines } from '../../../../src/features/timelines/store/read/custom-timelines.ts'
import { validSigningKeys } from '../../../../src/features/timelines/store/signing-keys.ts'
import { createTimelineRequests } from '../../../../src/features/timelines/writing/timeline-requests.ts'
import { readState } from '../../../../src/ingest/indexing/member-state/read-state.ts'
import { createWriterRequests } from '../../../../src/ingest/upkeep/requests/writer-requests.ts'
import { storesFromRows } from '../../../support/memory-parts.ts'
import { createWorld, type World } from '../../../support/world.ts'
import type { PlainEngine } from '../support/plain-moving-cluster-state.ts'

export type MovingNode = ReturnType<typeof createMovingNode>

const silent = { warn() {}, info() {}, error: (...line: unknown[]) => console.error(...line) }
const diskSpace = {
  attempt: <T>(work: () => T) => work(),
  ifThereIsSpace: (work: () => void) => work(),
}

export function createMovingNode(world: World = createWorld({ scope: 'network' })) {
  const db = world.reader
  const writer = { commit: world.run }
  const answer = createWriterRequests({
    writer,
    ofFeatures: ingest.requests,
    openTimeline() {},
    wakeBackfill() {},
  })
  const requests: MoveContext['requests'] = {
    async send(request) {
      const reply = answer({ ...request, id: 1 })
      if (!reply.ok) throw errorOf(reply)
    },
  }
  const timelineRequests = createTimelineRequests({ db, writer, diskSpace })
  function write(request: TimelineRequest) {
    return structuredClone(timelineRequests(structuredClone(request)))
  }
  const steps: string[] = []

  function parts(cluster: MovingClusterState): MoveContext {
    const { actors } = world
    const onProgress = (step: string, done: number, all: number) => {
      steps.push(`${step} ${done}/${all}`)
    }
    const config = { reasonableLimit: 2_000 }
    return { cluster, db, actors, writer, requests, config, onProgress, now: world.now }
  }

  /** As a sharing server does for its callers. */
  function share({ place: cluster }: PlainEngine) {
    const shared = createSharedTimelines({
      cluster: async () => cluster,
      db,
      log: silent,
      waitedForMs: 60_000,
      ingest: {
        writeTimelines: async (request) => write(request) as PostOutcome[],
        planPosts: async (item) => (write({ kind: 'plan-posts', ...item }) as PostPlan[])[0]!,
      },
    })
    return {
      post: shared.post,
      close: shared.close,
      async takeAll(): Promise<void> {
        await bringClusterState({ db, writer: requests, log: silent }, cluster)
        for (const { did } of membersByDid(db)) {
          await bringState({ db, writer: requests }, cluster, did)
        }
        await shared.upToDate(await cluster.timelines.names())
      },
    }
  }

  return {
    world,
    db,
    parts,
    share,
    steps,
    post: (posts: TimelinePost[]) => write({ kind: 'post', posts }) as PostOutcome[],
    /** Everything that must stay the same wherever the cluster is. */
    has: () => ({ ...ownOf(world), timelines: timelinesOf(world) }),
    following: (did: string, after = 0) => followingOf(world, did, after),
    cursorKeys: () => validSigningKeys(db).map(({ secret }) => secret.toString('hex')),
  }
}

function ownOf({ reader: db }: World) {
  const members = membersByDid(db).map(({ did, joined_at }) => ({ did, joined_at }))
  return {
    members: members.toSorted((a, b) => (a.did < b.did ? -1 : 1)),
    state: Object.fromEntries(members.map(({ did }) => [did, readState(db, did)])),
    invites: listInvites(db, 100),
    tokens: listServiceTokens(db).map(({ name }) => findStoredToken(db, name)),
  }
}

function timelinesOf({ reader: db }: World) {
  const custom = prepareCustomTimelines(db)
  return Object.fromEntries(
    custom.changedSince(0).map(({ id, name }) => {
      const events = custom.read(id, { at: 0, isForward: true, limit: 10_000 })
      const { lastSeq } = custom.find(name)!
      const keys = movedKeys(db, id, { after: new Uint8Array(), since: 0, limit: 10_000 })
      return [name, { events, lastSeq, keys, holes: custom.holes(id, 0, lastSeq) }]
    }),
  )
}

/** Numbers and their items, ascending. */
function followingOf({ reader: db, memory, uid }: World, did: string, after: number) {
  const { actors, graph } = memory
  const readers = prepareReaders({ db, actors, graph })
  const { isDrawn } = storesFromRows(db, memory)
  const source = openFollowing({ db, actors, graph, isDrawn }, readers, { key: '', uid: uid(did) })
  const slice = source.read({ at: after, isForward: true, limit: 10_000 })
  if (slice instanceof Promise) throw new Error('expected rows to answer synchronously')
  const named = readers.logged.byItem(slice.events.map(({ item }) => item))
  return slice.events.map(({ seq, item, at }) => ({ number: seq, uri: named.get(item)!.uri, at }))
}

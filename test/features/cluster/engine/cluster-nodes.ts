// Nodes with their own rows, for tests of the state they share: a single node, or several on one engine.

import { errorOf } from '../../../../src/bridge/connection.ts'
import type { OperatorRequest, Writer } from '../../../../src/bridge/messages.ts'
import type { Db } from '../../../../src/data/store/db.ts'
import type { ClusterChanges } from '../../../../src/features/cluster/engine/cluster-changes.ts'
import { ingest } from '../../../../src/features/cluster/ingest.ts'
import { shareClusterState } from '../../../../src/features/cluster/sharing/cluster-state-sharing.ts'
import { createOperatorRequests } from '../../../../src/ingest/upkeep/requests/operator-requests.ts'
import { createWriterRequests } from '../../../../src/ingest/upkeep/requests/writer-requests.ts'
import { operations } from '../../../support/feature-parts.ts'
import { createWorld, type World } from '../../../support/world.ts'

const attempt = <T>(work: () => T): T => work()

type Operate = (request: OperatorRequest) => Promise<Record<string, number>>

export type ClusterNode = {
  db: Db
  send: Writer['send']
  operate: Operate
  /** Takes in the other nodes' decisions. */
  refresh(): Promise<unknown>
  didOfUid(uid: number): string
  world: World
  cluster?: ReturnType<typeof shareClusterState>
  /** Members whose private state was dropped from the engine. */
  forgotten: string[]
  close(): void
}

/** @param maxMembers - for this node alone, or for all sharing nodes together */
export function createClusterNode(
  maxMembers: number,
  shared?: { id: string; decisions: () => Promise<ClusterChanges> },
  world = createWorld(),
): ClusterNode {
  const parts = {
    writer: { commit: world.run },
    ofFeatures: ingest.requests,
    wakeBackfill() {},
    openTimeline() {},
  }
  const answer = createWriterRequests({ ...parts, maxMembers: shared ? 0 : maxMembers })
  const answerOperator = createOperatorRequests({
    ...parts,
    ofFeatures: operations,
    diskSpace: { attempt },
    tendLog: () => undefined,
  })
  const forgotten: string[] = []
  const writer: Writer = {
    async send(request) {
      const reply = answer({ ...request, id: 1 })
      if (!reply.ok) throw errorOf(reply)
    },
  }
  const operate: Operate = async (request) => {
    const reply = await answerOperator(1, request)
    if (!reply.ok) throw errorOf(reply)
    return reply.figures
  }
  const db = world.reader
  const didOfUid = (uid: number) => world.actors.didOf(uid)
  const own = { db, didOfUid, forgotten, world, close: () => world.dispose() }
  if (!shared) return { ...own, send: writer.send, operate, refresh: async () => undefined }
  const cluster = shareClusterState({
    cluster: async () => ({ id: shared.id, decisions: await shared.decisions() }),
    db,
    isFirst: false,
    waitedForMs: 60_000,
    now: world.now,
    log: { warn() {}, info() {}, error: (...line: unknown[]) => console.error(...line) },
    config: { maxMembers },
    ingest: { writer, operate, configuredMembers: () => [] },
    state: {
      writer,
      forget: async (did) => void forgotten.push(did),
      shareOwn: async () => undefined,
    },
  })
  const { writer: through, refresh } = cluster
  return { ...own, cluster, send: through.send, operate: cluster.operate, refresh }
}

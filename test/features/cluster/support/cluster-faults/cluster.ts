// Three servers that share an engine of three nodes, behind a balancer, with a proxy between each server and
// each engine node, a clock for each server, and a network whose members follow authors.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Engine } from '../../../../../src/features/cluster/engine/connect.ts'
import { createLeaseTable } from '../../../../../src/features/cluster/engine/lease-table.ts'
import { startBalancer } from '../../../../support/balancer.ts'
import { eventually } from '../../../../support/eventually.ts'
import {
  becomes,
  startTimelinesProcess,
  type TimelinesProcess,
} from '../../../../support/timelines-process.ts'
import type { CassandraCluster } from '../cassandra-cluster.ts'
import { type EngineProxy, startEngineProxy } from './engine-proxy.ts'

export type FaultyNode = TimelinesProcess & {
  /** One proxy for each node of the engine. */
  proxies: readonly EngineProxy[]
  setClock(skewMs: number): void
}

/** The events expected in one timeline, and its reader's progress. */
export type Followed = {
  /** at-URIs in order of arrival, with their times. */
  expected: { uri: string; at: number }[]
  found: number
  query: string
}

export type FaultyCluster = Awaited<ReturnType<typeof startFaultyCluster>>

export const READERS = ['alice', 'bob', 'carol', 'dan']
export const AUTHORS = ['erin', 'frank', 'grace']
const SCOPES = ['read:*', 'post:custom:*']
const HOOKS = [
  join(import.meta.dirname, 'routed-connections.ts'),
  join(import.meta.dirname, '../../../../support/torture/skewed-clock.ts'),
]

export async function startFaultyCluster(
  cassandra: CassandraCluster,
  ours: Engine,
  engine: string,
) {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-clocks-'))
  const nodes: FaultyNode[] = []
  for (let i = 0; i < 3; i++) nodes.push(await createNode({ cassandra, engine, folder }, nodes))
  await Promise.all(nodes.map((node) => node.start()))
  const [first] = nodes as [FaultyNode, ...FaultyNode[]]
  const token = await shareToken(nodes)
  const balancer = await startBalancer(nodes)
  return {
    leases: createLeaseTable(ours),
    cassandra,
    nodes,
    token,
    balancer,
    follows: followAuthors(first),
    timelines: new Map(READERS.map((name): [string, Followed] => [name, nothingYet()])),
    /** Acknowledged sequence numbers by the posts' ids. */
    acknowledged: new Map<string, string>(),
    posted: { query: FROM_BEGINNING },
    /** Members' private state: a number that they count up, and the accounts that they mute. */
    kept: new Map(READERS.map((name) => [name, { count: 0, mutes: new Set<string>() }])),
    async close(): Promise<void> {
      balancer.close()
      for (const node of nodes.toReversed()) {
        await node.close()
        for (const proxy of node.proxies) proxy.close()
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const FROM_BEGINNING = 'direction=forward&limit=50'

function nothingYet(): Followed {
  return { expected: [], found: 0, query: FROM_BEGINNING }
}

type ClusterState = { cassandra: CassandraCluster; engine: string; folder: string }

async function createNode(
  { cassandra, engine, folder }: ClusterState,
  [first, ...others]: readonly FaultyNode[],
): Promise<FaultyNode> {
  const proxies = await Promise.all(cassandra.nodes.map((node) => startEngineProxy(node.address)))
  const clock = join(folder, String(first ? 1 + others.length : 0))
  const routes = Object.fromEntries(proxies.map(({ from, port }) => [from, port]))
  const env = { FAULTS_ROUTES: JSON.stringify(routes), TORTURE_CLOCK: clock }
  const node = { options: HOOKS.flatMap((value) => ['--import', value]), env }
  const settings = { ENGINE: engine, SERVE_THREADS: '1' }
  const beside = { ...(first && { network: first.network }), node }
  const made = await startTimelinesProcess([...READERS, ...AUTHORS], settings, beside)
  return { ...made, proxies, setClock: (skewMs) => writeFileSync(clock, String(skewMs)) }
}

/**
 * Creates a token on one server, and waits until all accept it. Cassandra may take too long to
 * answer while three servers start on a busy machine. Each attempt has its own name, since one that
 * was refused may have been stored.
 */
async function shareToken([first, ...others]: readonly FaultyNode[]): Promise<string> {
  let attempts = 0
  const token = await eventually(() => first!.token(`everything-${++attempts}`, ...SCOPES), {
    giveUp: (error) => !String(error).includes('Try again soon'),
  })
  for (const other of others) {
    await becomes(
      () => other.page('custom:nothing', 'limit=1', token),
      ({ status }) => status !== 401,
    )
  }
  return token
}

/** Makes each reader follow some of the authors, and no other reader. */
function followAuthors(node: FaultyNode): Map<string, string[]> {
  const follows = new Map(READERS.map((name, i) => [name, AUTHORS.filter((_, a) => a !== i % 3)]))
  for (const [name, all] of follows) {
    for (const author of all) {
      node.emit(name, 'app.bsky.graph.follow', { subject: node.didOf(author) })
    }
  }
  return follows
}

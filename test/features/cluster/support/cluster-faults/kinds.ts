// Faults of servers, of engine nodes and of the connections between them while a cluster is under load. Each
// resolves when everything works again.

import type { Lease } from '../../../../../src/features/cluster/engine/lease-table.ts'
import type { Random } from '../../../../support/random.ts'
import { sleep } from '../../../../support/torture/sleep.ts'
import type { FaultyCluster, FaultyNode } from './cluster.ts'
import type { FaultReport } from './report.ts'
import { ask } from './requests.ts'

type Dependencies = { cluster: FaultyCluster; random: Random; report: FaultReport }
type Kind = (parts: Dependencies) => Promise<void>

/** Longer than a server may rely on the buckets that it holds. */
const AWAY_MS = 6_000
const LOOKED_EVERY_MS = 50
const CUT_MS = 5_000
const SKEW_MS = 5_000

export const faultKinds = {
  /** Kills a server. */
  kill: killServer,
  /** Suspends a server for a while. */
  freeze: async ({ cluster, random, report }) => {
    const node = random.pick(cluster.nodes)
    node.signal('SIGSTOP')
    await Promise.all([taken(cluster, node, report), sleep(AWAY_MS)])
    node.signal('SIGCONT')
  },
  /**
   * Cuts a server off from the engine, or from one node of it; sometimes its traffic arrives later.
   */
  partition: async ({ cluster, random }) => {
    const { proxies } = random.pick(cluster.nodes)
    const cut = random.chance(0.7) ? proxies : [random.pick(proxies)]
    const mode = random.chance(0.5) ? 'dropped' : 'silent'
    for (const proxy of cut) proxy.set(mode)
    await sleep(CUT_MS)
    for (const proxy of cut) proxy.set('open')
  },
  /** Sets a server's clock ahead or back, and right again. */
  skew: async ({ cluster, random }) => {
    const node = random.pick(cluster.nodes)
    node.setClock(random.chance(0.5) ? SKEW_MS : -SKEW_MS)
    await sleep(AWAY_MS)
    node.setClock(0)
  },
  /** Stops and restarts each server, one after the other, as for an upgrade. */
  roll: async ({ cluster, report }) => {
    const before = refusals(report)
    for (const node of cluster.nodes) {
      await restart(node, report)
      await sleep(1_000)
    }
    const refused = refusals(report) - before
    if (refused > 0) report.failed.others.push(`roll: ${refused} changes and posts were refused`)
  },
  /** Kills a node of the engine. */
  'engine-kill': killEngineNode,
  /** Kills one of all processes, ours or the engine's. */
  'kill-any': async (parts) => {
    const { nodes, cassandra } = parts.cluster
    const isOurs = parts.random.below(nodes.length + cassandra.nodes.length) < nodes.length
    await (isOurs ? killServer : killEngineNode)(parts)
  },
  /** Suspends a node of the engine for a while. */
  'engine-freeze': async ({ cluster, random }) => {
    const { process } = random.pick(cluster.cassandra.nodes)
    process.kill('SIGSTOP')
    await sleep(AWAY_MS)
    process.kill('SIGCONT')
  },
  /** Kills two nodes of the engine: reads go on, and changes are refused with a clear error. */
  'engine-two': async (parts) => {
    const { nodes } = parts.cluster.cassandra
    const spared = parts.random.below(nodes.length)
    const lost = nodes.filter((_, i) => i !== spared)
    await Promise.all(lost.map((cassandraNode) => cassandraNode.kill()))
    await expectRefusal(parts)
    await sleep(AWAY_MS)
    await Promise.all(lost.map((cassandraNode) => cassandraNode.start()))
  },
  /**
   * Fills the disk of one engine node for a while. The node then needs a restart, as its
   * documentation says.
   */
  'engine-disk': async ({ cluster }) => {
    const node = cluster.cassandra.nodes.find(({ disk }) => disk?.isBounded)
    if (!node) return
    node.disk!.fill()
    await sleep(AWAY_MS)
    node.disk!.free()
    await node.kill()
    await node.start()
  },
} satisfies Record<string, Kind>

export type FaultKind = keyof typeof faultKinds

/** The default faults, which need nothing but a test's own time. */
export const usualKinds: readonly FaultKind[] = ['kill', 'freeze', 'partition', 'skew']

async function killServer({ cluster, random, report }: Dependencies): Promise<void> {
  const node = random.pick(cluster.nodes)
  await node.kill()
  await Promise.all([taken(cluster, node, report), sleep(AWAY_MS)])
  await node.start()
}

async function killEngineNode({ cluster, random }: Dependencies): Promise<void> {
  const node = random.pick(cluster.cassandra.nodes)
  await node.kill()
  await sleep(AWAY_MS)
  await node.start()
}

/** Waits until other servers hold all buckets of a server. */
async function taken(
  { leases }: FaultyCluster,
  node: FaultyNode,
  report: FaultReport,
): Promise<void> {
  const startedAt = performance.now()
  const name = `:${new URL(node.origin()).port}#`
  const isItsOwn = ({ node: holder }: Lease) => holder === undefined || holder.includes(name)
  while ((await leases.leases().catch(() => [])).some(isItsOwn)) await sleep(LOOKED_EVERY_MS)
  report.takenMs = Math.max(report.takenMs, Math.round(performance.now() - startedAt))
}

function refusals({ posts, changes }: FaultReport): number {
  return [posts, changes]
    .flatMap(({ refused }) => Object.values(refused))
    .reduce((a, b) => a + b, 0)
}

async function restart(node: FaultyNode, report: FaultReport): Promise<void> {
  const code = await node.stop()
  if (code !== 0) report.failed.others.push(`roll: SIGTERM ended a server with ${code}`)
  await node.start()
}

/**
 * Checks that each server refuses changes that can't be kept, with an error that a program and its
 * operator understand.
 */
async function expectRefusal({ cluster, report }: Dependencies): Promise<void> {
  const { nodes, token } = cluster
  const body = {
    entity_id: 'refused',
    entity_type: 'note',
    payload: {},
    idempotency_key: 'refused',
  }
  for (const node of nodes) {
    const path = '/v1/timelines/custom:refused/events'
    const post = { ...body, producer_ts: '2026-11-22T14:00:00.000Z' }
    const notified = await ask({ origin: node.origin(), path, token, body: post })
    if (notified.status === 503 && notified.body['error'] === 'EngineUnavailable') continue
    report.failed.others.push(`engine-two: ${notified.status} ${JSON.stringify(notified.body)}`)
  }
}

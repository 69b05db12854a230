// What happens to servers, to nodes of the engine and to the ways between them while a cluster is under load. Each
// resolves when everything is whole again.

import type { Lease } from '../../../src/data/engine/lease-table.ts'
import type { Random } from '../random.ts'
import { sleep } from '../torture/sleep.ts'
import type { FaultyCluster, FaultyNode } from './cluster.ts'
import type { FaultReport } from './report.ts'
import { ask } from './requests.ts'

type Parts = { cluster: FaultyCluster; random: Random; report: FaultReport }
type Kind = (parts: Parts) => Promise<void>

/** For longer than a server may rely on what it has. */
const AWAY_MS = 6_000
const LOOKED_EVERY_MS = 50
const CUT_MS = 5_000
const SKEW_MS = 5_000

export const faultKinds = {
  /** A server is killed. */
  kill: killServer,
  /** A server stands still, and goes on. */
  freeze: async ({ cluster, random, report }) => {
    const node = random.pick(cluster.nodes)
    node.signal('SIGSTOP')
    await Promise.all([taken(cluster, node, report), sleep(AWAY_MS)])
    node.signal('SIGCONT')
  },
  /** A server is cut off from the engine, or from one node of it; now and then what it said arrives later. */
  partition: async ({ cluster, random }) => {
    const { proxies } = random.pick(cluster.nodes)
    const cut = random.chance(0.7) ? proxies : [random.pick(proxies)]
    const mode = random.chance(0.5) ? 'dropped' : 'silent'
    for (const one of cut) one.set(mode)
    await sleep(CUT_MS)
    for (const one of cut) one.set('open')
  },
  /** A server's clock is set ahead or back, and right again. */
  skew: async ({ cluster, random }) => {
    const node = random.pick(cluster.nodes)
    node.setClock(random.chance(0.5) ? SKEW_MS : -SKEW_MS)
    await sleep(AWAY_MS)
    node.setClock(0)
  },
  /** Each server is stopped and started again, one after the other, as for an upgrade. */
  roll: async ({ cluster, report }) => {
    const before = refusals(report)
    for (const node of cluster.nodes) {
      await restart(node, report)
      await sleep(1_000)
    }
    const refused = refusals(report) - before
    if (refused > 0) report.failed.others.push(`roll: ${refused} changes and posts were refused`)
  },
  /** A node of the engine is killed. */
  'engine-kill': killEngineNode,
  /** One of all processes is killed, of ours or of the engine. */
  'kill-any': async (parts) => {
    const { nodes, cassandra } = parts.cluster
    const isOurs = parts.random.below(nodes.length + cassandra.nodes.length) < nodes.length
    await (isOurs ? killServer : killEngineNode)(parts)
  },
  /** A node of the engine stands still, and goes on. */
  'engine-freeze': async ({ cluster, random }) => {
    const { process } = random.pick(cluster.cassandra.nodes)
    process.kill('SIGSTOP')
    await sleep(AWAY_MS)
    process.kill('SIGCONT')
  },
  /** Two nodes of the engine are killed: reading goes on, and changes are refused in words. */
  'engine-two': async (parts) => {
    const { nodes } = parts.cluster.cassandra
    const spared = parts.random.below(nodes.length)
    const lost = nodes.filter((_, i) => i !== spared)
    await Promise.all(lost.map((one) => one.kill()))
    await expectRefusal(parts)
    await sleep(AWAY_MS)
    await Promise.all(lost.map((one) => one.start()))
  },
  /** The disk of one node of the engine is full for a while. It has to be restarted then, as its documentation says. */
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

/** For what nothing but a test's own time is needed. */
export const usualKinds: readonly FaultKind[] = ['kill', 'freeze', 'partition', 'skew']

async function killServer({ cluster, random, report }: Parts): Promise<void> {
  const node = random.pick(cluster.nodes)
  await node.kill()
  await Promise.all([taken(cluster, node, report), sleep(AWAY_MS)])
  await node.start()
}

async function killEngineNode({ cluster, random }: Parts): Promise<void> {
  const node = random.pick(cluster.cassandra.nodes)
  await node.kill()
  await sleep(AWAY_MS)
  await node.start()
}

/** Until others have all buckets that a server had. */
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

/** What can't be kept is refused, by each server, in words that a program and its operator understand. */
async function expectRefusal({ cluster, report }: Parts): Promise<void> {
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
    const told = await ask({ origin: node.origin(), path, token, body: post })
    if (told.status === 503 && told.body['error'] === 'EngineUnavailable') continue
    report.failed.others.push(`engine-two: ${told.status} ${JSON.stringify(told.body)}`)
  }
}

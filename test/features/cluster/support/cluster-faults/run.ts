// One run: some faults one after the other while a cluster is under load, then a check of everything.

import { MAX_WAIT_MS } from '../../../../support/patience.ts'
import type { Random } from '../../../../support/random.ts'
import { sleep } from '../../../../support/torture/sleep.ts'
import type { FaultyCluster } from './cluster.ts'
import { type FaultKind, faultKinds } from './kinds.ts'
import { loadCluster, type Running } from './load.ts'
import { beginnings, compareServers } from './oracle.ts'
import { type FaultReport, newReport } from './report.ts'

/** Pause before the first fault, between faults, and after the last. */
const CALM_MS = 1_000
const LOOKED_EVERY_MS = 100

type Options = { random: Random; kinds: readonly FaultKind[] }

/** @param options - `kinds`: run in random order */
export async function runFaults(
  cluster: FaultyCluster,
  { random, kinds }: Options,
): Promise<FaultReport> {
  const order = shuffled(kinds, random)
  const report = newReport(order)
  report.retries -= cluster.balancer.retries()
  const begun = beginnings(cluster)
  const running: Running = { isOver: false, report, random }
  const load = loadCluster(cluster, running)
  await logsHaveBegun(cluster)
  await sleep(CALM_MS)
  for (const kind of order) {
    await faultKinds[kind]({ cluster, random, report })
    await sleep(CALM_MS)
  }
  running.isOver = true
  await load
  await compareServers(cluster, report, begun)
  report.retries += cluster.balancer.retries()
  return report
}

/**
 * Waits until every timeline has a log. Before that a timeline shows only its newest posts
 * (features/cluster/sharing/following-writer.ts), so there is no order to check.
 */
async function logsHaveBegun({ timelines }: FaultyCluster): Promise<void> {
  const deadline = performance.now() + MAX_WAIT_MS
  const haveBegun = () => [...timelines.values()].every(({ found }) => found > 0)
  while (!haveBegun()) {
    if (performance.now() > deadline) throw new Error('a timeline never got its log')
    await sleep(LOOKED_EVERY_MS)
  }
}

function shuffled(kinds: readonly FaultKind[], random: Random): FaultKind[] {
  const left = [...kinds]
  return kinds.map(() => left.splice(random.below(left.length), 1)[0]!)
}

// The engine's nodes as each reports itself: its version, latency, clock offset from ours, and when
// acknowledged writes reach its disk. Unreachable nodes are listed as such.

import type { Engine, Row } from './connect.ts'

export type EngineNode = {
  address: string
  datacenter: string
  isUp: boolean
  version?: string
  /** The best of several tries. */
  answerMs?: number
  /** Negative if it is behind; accurate to half of `answerMs`. */
  clockAheadMs?: number
  /** `commitlog_sync` from its settings, for example `periodic`; undefined if not reported. */
  commitLogSync?: string
}

const TRIES = 3
const SELF = 'SELECT release_version, toTimestamp(now()) AS at FROM system.local'
/** The settings tables of Cassandra and of ScyllaDB. */
const SETTINGS = ['system_views.settings', 'system.config']

type Host = ReturnType<Engine['hosts']>[number]
type Answer = { row: Row; sentAt: number; tookMs: number }

export function engineNodes(engine: Engine): Promise<EngineNode[]> {
  return Promise.all(
    engine.hosts().map(async (host): Promise<EngineNode> => {
      const known = { address: host.address, datacenter: host.datacenter }
      const answer = await quickest(() => ask(engine, host)).catch(() => undefined)
      if (!answer) return { ...known, isUp: false }
      const { row, sentAt, tookMs } = answer
      const at: Date = row['at']
      const commitLogSync = await commitLogSyncOf(engine, host)
      return {
        ...known,
        isUp: true,
        version: row['release_version'],
        answerMs: Math.round(tookMs),
        clockAheadMs: Math.round(at.getTime() - sentAt - tookMs / 2),
        ...(commitLogSync !== undefined && { commitLogSync }),
      }
    }),
  )
}

async function commitLogSyncOf(engine: Engine, host: Host): Promise<string | undefined> {
  for (const table of SETTINGS) {
    const query = `SELECT value FROM ${table} WHERE name = 'commitlog_sync'`
    const [row] = await engine.local(query, host).catch((): Row[] => [])
    if (row) return String(row['value']).replaceAll('"', '')
  }
  return undefined
}

async function ask(engine: Engine, host: Host): Promise<Answer> {
  const sentAt = Date.now()
  const startedAt = performance.now()
  const [row] = await engine.local(SELF, host)
  return { row: row!, sentAt, tookMs: performance.now() - startedAt }
}

async function quickest(work: () => Promise<Answer>): Promise<Answer> {
  let best = await work()
  for (let i = 1; i < TRIES; i++) {
    const next = await work()
    if (next.tookMs < best.tookMs) best = next
  }
  return best
}

// The engine's nodes as each tells of itself: its version, how soon it answers, and by how much its clock is ahead of
// ours. Whoever is away is listed as that.

import type { Engine, Row } from './connect.ts'

export type EngineNode = {
  address: string
  datacenter: string
  isUp: boolean
  version?: string
  /** The best of a few tries. */
  answerMs?: number
  /** Below 0 where it is behind; no more exact than half of `answerMs`. */
  clockAheadMs?: number
}

const TRIES = 3
const SELF = 'SELECT release_version, toTimestamp(now()) AS at FROM system.local'

type Answer = { row: Row; sentAt: number; tookMs: number }

export function engineNodes(engine: Engine): Promise<EngineNode[]> {
  return Promise.all(
    engine.hosts().map(async (host): Promise<EngineNode> => {
      const known = { address: host.address, datacenter: host.datacenter }
      const answer = await quickest(() => ask(engine, host)).catch(() => undefined)
      if (!answer) return { ...known, isUp: false }
      const { row, sentAt, tookMs } = answer
      const at: Date = row['at']
      return {
        ...known,
        isUp: true,
        version: row['release_version'],
        answerMs: Math.round(tookMs),
        clockAheadMs: Math.round(at.getTime() - sentAt - tookMs / 2),
      }
    }),
  )
}

async function ask(engine: Engine, host: ReturnType<Engine['hosts']>[number]): Promise<Answer> {
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

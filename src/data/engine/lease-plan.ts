// Who lives, and who is to have which bucket: what one node makes of the rows that it has read. Nothing here asks
// anybody, and no clock but this node's own counts, so wrong clocks don't matter.

import { BUCKETS } from './buckets.ts'
import type { Known, Lease } from './lease-table.ts'

/** A node whose beat stood still for so long is dead to the others. */
export const DEAD_AFTER_MS = 3_000
/** Who did not look for so long knows nothing of what beat meanwhile. */
const LOOKED_AWAY_MS = 1_500

type BeatWatch = {
  /** @returns the nodes that are to be taken for living */
  look(found: {
    nodes: Iterable<string>
    beats: ReadonlyMap<string, number>
    asked: Span
  }): Set<string>
}

/** When the beats were asked for, and when the answer was there: milliseconds of a clock that is never set. */
type Span = { from: number; to: number }

export function createBeatWatch(): BeatWatch {
  let seen = new Map<string, { beat: number | undefined; since: number }>()
  let lookedAt = -Infinity
  return {
    look({ nodes, beats, asked }) {
      if (asked.from - lookedAt > LOOKED_AWAY_MS) seen = new Map()
      lookedAt = asked.to
      const now = new Map<string, { beat: number | undefined; since: number }>()
      for (const node of new Set([...nodes, ...beats.keys()])) {
        const beat = beats.get(node)
        const before = seen.get(node)
        const isStill = before !== undefined && before.beat === beat
        now.set(node, isStill ? before : { beat, since: asked.to })
      }
      seen = now
      const living = [...now].filter(([, { since }]) => asked.from - since < DEAD_AFTER_MS)
      return new Set(living.map(([node]) => node))
    },
  }
}

type Situation = {
  node: string
  /** Of which this node is sure: bucket to epoch. */
  mine: ReadonlyMap<number, number>
  leases: readonly Lease[]
  living: ReadonlySet<string>
}

/** Each living node is to have as many as the others, or one less. */
export function planLeases(situation: Situation): { take: Known[]; give: Known[] } {
  const { node, mine, leases, living } = situation
  const share = Math.ceil(BUCKETS / new Set([...living, node]).size)
  // In our name, and yet not ours: nobody knows how taking or giving it back ended.
  const strays = leases.filter((one) => one.node === node && mine.get(one.bucket) !== one.epoch)
  const missing = share - mine.size
  if (missing > 0) return { take: [...strays, ...freeFor(situation)].slice(0, missing), give: [] }
  const surplus = [...mine].slice(share).map(([bucket, epoch]) => ({ bucket, epoch }))
  return { take: [], give: [...surplus, ...strays] }
}

/** Two that begin at once begin in different places. */
function freeFor({ node, leases, living }: Situation): Known[] {
  const known = new Map(leases.map((one) => [one.bucket, one]))
  const first = [...node].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % BUCKETS, 7)
  const all = Array.from({ length: BUCKETS }, (_, i) => {
    const bucket = (first + i) % BUCKETS
    return known.get(bucket) ?? { bucket, node: undefined, epoch: 0 }
  })
  return all.filter((one) => one.node === undefined || (one.node !== node && !living.has(one.node)))
}

// Decides which nodes are alive and which node should hold which bucket, from the rows that one node has
// read. Does no I/O and uses only this node's own clock, so wrong clocks do not matter.

import { BUCKETS } from './buckets.ts'
import type { Known, Lease } from './lease-table.ts'

/** A node whose beat has not changed for this long is dead to the others. */
export const DEAD_AFTER_MS = 3_000
/** A node that has not looked for this long cannot judge which beats changed meanwhile. */
const LOOKED_AWAY_MS = 1_500

type BeatWatch = {
  /** @returns the nodes to be considered alive */
  look(found: {
    nodes: Iterable<string>
    beats: ReadonlyMap<string, number>
    requested: Span
  }): Set<string>
}

/**
 * When the beats were requested and when the response arrived: milliseconds of a monotonic clock.
 */
type Span = { from: number; to: number }

export function createBeatWatch(): BeatWatch {
  let seen = new Map<string, { beat: number | undefined; since: number }>()
  let lookedAt = -Infinity
  return {
    look({ nodes, beats, requested }) {
      if (requested.from - lookedAt > LOOKED_AWAY_MS) seen = new Map()
      lookedAt = requested.to
      const now = new Map<string, { beat: number | undefined; since: number }>()
      for (const node of new Set([...nodes, ...beats.keys()])) {
        const beat = beats.get(node)
        const before = seen.get(node)
        const isStill = before !== undefined && before.beat === beat
        now.set(node, isStill ? before : { beat, since: requested.to })
      }
      seen = now
      const living = [...now].filter(([, { since }]) => requested.from - since < DEAD_AFTER_MS)
      return new Set(living.map(([node]) => node))
    },
  }
}

type Situation = {
  node: string
  /** The buckets this node surely holds, with their epochs. */
  mine: ReadonlyMap<number, number>
  leases: readonly Lease[]
  living: ReadonlySet<string>
}

/** Gives each living node as many buckets as the others, or one less. */
export function planLeases(situation: Situation): { take: Known[]; give: Known[] } {
  const { node, mine, leases, living } = situation
  const share = Math.ceil(BUCKETS / new Set([...living, node]).size)
  // Held in our name but not known to us: the outcome of taking or giving these back is unknown.
  const strays = leases.filter(
    (lease) => lease.node === node && mine.get(lease.bucket) !== lease.epoch,
  )
  const missing = share - mine.size
  if (missing > 0) return { take: [...strays, ...freeFor(situation)].slice(0, missing), give: [] }
  const surplus = [...mine].slice(share).map(([bucket, epoch]) => ({ bucket, epoch }))
  return { take: [], give: [...surplus, ...strays] }
}

/** Nodes start at different buckets, so that two starting at once do not collide. */
function freeFor({ node, leases, living }: Situation): Known[] {
  const known = new Map(leases.map((lease) => [lease.bucket, lease]))
  const first = [...node].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % BUCKETS, 7)
  const all = Array.from({ length: BUCKETS }, (_, i) => {
    const bucket = (first + i) % BUCKETS
    return known.get(bucket) ?? { bucket, node: undefined, epoch: 0 }
  })
  return all.filter(
    (lease) => lease.node === undefined || (lease.node !== node && !living.has(lease.node)),
  )
}

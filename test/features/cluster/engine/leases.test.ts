// Leases of a single node, and how a node interprets the rows it reads, against a naive model of which nodes
// live.

import { describe, expect, test } from 'vitest'
import { BUCKETS, bucketOf } from '../../../../src/features/cluster/engine/buckets.ts'
import { createBeatWatch, planLeases } from '../../../../src/features/cluster/engine/lease-plan.ts'
import type { Lease } from '../../../../src/features/cluster/engine/lease-table.ts'
import { createSoleLeases } from '../../../../src/features/cluster/engine/leases.ts'
import { createRandom } from '../../../support/random.ts'
import { didOf } from '../../../support/records.ts'
import { testSeed } from '../../../support/seed.ts'
import { testLeaseContract } from './lease-contract.ts'

const SEED = testSeed('leases')

describe('alone', () => {
  testLeaseContract(async () => createSoleLeases())
})

test('names are spread over all buckets', () => {
  const found = new Set(Array.from({ length: 5_000 }, (_, i) => bucketOf(didOf(`member ${i}`))))
  expect(found.size).toBe(BUCKETS)
})

describe('which nodes live', () => {
  const watching = () => {
    const watch = createBeatWatch()
    return (at: number, beats: Record<string, number>, nodes: string[] = []) => {
      const requested = { from: at, to: at + 10 }
      return [...watch.look({ nodes, beats: new Map(Object.entries(beats)), requested })].sort()
    }
  }

  test('a node without a beat for three seconds is dead, and lives again with the next beat', () => {
    const look = watching()
    for (let at = 0; at <= 3_000; at += 500) expect(look(at, { a: at, b: 1 })).toEqual(['a', 'b'])
    expect(look(3_500, { a: 3_500, b: 1 })).toEqual(['a'])
    expect(look(4_000, { a: 4_000, b: 2 })).toEqual(['a', 'b'])
  })

  test('a holder that never beat, or whose beat is forgotten, has three seconds too', () => {
    const look = watching()
    for (let at = 0; at <= 3_000; at += 500) expect(look(at, {}, ['c'])).toEqual(['c'])
    expect(look(3_500, {}, ['c'])).toEqual([])
  })

  test('a node that paused does not declare others dead from old observations', () => {
    const look = watching()
    look(0, { b: 1 })
    expect(look(30_000, { b: 1 })).toEqual(['b'])
    for (let at = 31_000; at <= 33_000; at += 1_000) look(at, { b: 1 })
    expect(look(34_000, { b: 1 })).toEqual([])
  })
})

test(`from any initial state, nodes end up holding each bucket once, in even shares (seed ${SEED})`, () => {
  const random = createRandom(SEED)
  for (let run = 0; run < 20; run++) {
    const living = new Set(Array.from({ length: 1 + random.below(5) }, (_, i) => `node ${i}`))
    const holders = [...living, 'dead', undefined]
    const leases = new Map<number, Lease>()
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      if (random.chance(0.2)) continue
      const epoch = 1 + random.below(9)
      leases.set(bucket, { bucket, node: random.pick(holders), epoch, takenAt: 0 })
    }
    for (let round = 0; round < 3; round++) for (const node of living) step(node, leases, living)
    const shares = [...living].map((node) => ownOf(node, leases).size)
    expect(shares.reduce((sum, share) => sum + share, 0)).toBe(BUCKETS)
    expect(Math.max(...shares)).toBe(Math.ceil(BUCKETS / living.size))
  }
})

function ownOf(node: string, leases: ReadonlyMap<number, Lease>): Map<number, number> {
  const own = [...leases.values()].filter((lease) => lease.node === node)
  return new Map(own.map(({ bucket, epoch }) => [bucket, epoch]))
}

/** One node's round, in which every step succeeds. */
function step(node: string, leases: Map<number, Lease>, living: ReadonlySet<string>): void {
  const mine = ownOf(node, leases)
  const plan = planLeases({ node, mine, leases: [...leases.values()], living })
  for (const { bucket, epoch } of plan.give) {
    leases.set(bucket, { bucket, node: undefined, epoch, takenAt: 0 })
  }
  for (const { bucket, epoch } of plan.take) {
    const before = leases.get(bucket)
    expect(before === undefined || before.node === undefined || !living.has(before.node)).toBe(true)
    leases.set(bucket, { bucket, node, epoch: epoch + 1, takenAt: 0 })
  }
}

// What bucket leases guarantee in every implementation.

import { expect, test } from 'vitest'
import { BUCKETS } from '../../../../src/features/cluster/engine/buckets.ts'
import type { Leases } from '../../../../src/features/cluster/engine/leases.ts'

const buckets = Array.from({ length: BUCKETS }, (_, bucket) => bucket)

export async function epochsOf(leases: Leases): Promise<(number | undefined)[]> {
  return Promise.all(buckets.map((bucket) => leases.epochOf(bucket)))
}

/** Epochs of the buckets it holds. */
export async function heldBy(leases: Leases): Promise<Map<number, number>> {
  const epochs = await epochsOf(leases)
  return new Map(epochs.flatMap((epoch, bucket) => (epoch === undefined ? [] : [[bucket, epoch]])))
}

/** @param open - opens another node of the same keyspace on each call */
export function testLeaseContract(open: () => Promise<Leases>): void {
  test('a single node holds all buckets, each with an epoch', async () => {
    const leases = await open()
    await expect.poll(async () => (await heldBy(leases)).size).toBe(BUCKETS)
    for (const epoch of await epochsOf(leases)) expect(epoch).toBeGreaterThan(0)
    expect(leases.counts()).toEqual({ held: BUCKETS, gained: BUCKETS, lost: 0 })
    await leases.release()
  })

  test('released buckets are no longer held, and releasing again is a no-op', async () => {
    const leases = await open()
    await expect.poll(async () => (await heldBy(leases)).size).toBe(BUCKETS)
    await leases.release()
    await leases.release()
    expect(await epochsOf(leases)).toEqual(buckets.map(() => undefined))
    expect(leases.counts()).toEqual({ held: 0, gained: BUCKETS, lost: BUCKETS })
  })

  test('no epoch decreases from one holder to the next', async () => {
    let before = buckets.map(() => 0)
    for (let holder = 0; holder < 3; holder++) {
      const leases = await open()
      await expect.poll(async () => (await heldBy(leases)).size).toBe(BUCKETS)
      const epochs = (await epochsOf(leases)).map((epoch) => epoch!)
      for (const bucket of buckets) expect(epochs[bucket]).toBeGreaterThanOrEqual(before[bucket]!)
      before = epochs
      await leases.release()
    }
  })
}

import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { InvariantError } from '../../../src/base/util/assert.ts'
import { INVALIDATION } from '../../../src/data/shared-memory/invalidation-kinds.ts'
import {
  InvalidationReader,
  InvalidationWriter,
  MAX_INVALIDATIONS_AT_ONCE,
} from '../../../src/data/shared-memory/invalidation-ring.ts'
import { readerIsDone } from '../../support/reading-thread.ts'

const RING = 1 << 18

function pair() {
  const writer = new InvalidationWriter()
  return { writer, reader: new InvalidationReader(writer.buffer) }
}

function taken(reader: InvalidationReader): { isComplete: boolean; invalidations: number[][] } {
  const invalidations: number[][] = []
  const isComplete = reader.take((...note) => invalidations.push(note))
  return { isComplete, invalidations }
}

function addMany(writer: InvalidationWriter, count: number): void {
  for (let i = 0; i < count; i++) writer.add(INVALIDATION.post, i, 0)
}

describe('invalidations', () => {
  test('reach each reader once, in order, from its start', () => {
    const { writer, reader } = pair()
    writer.add(INVALIDATION.post, 1, 0)
    const late = new InvalidationReader(writer.buffer)
    writer.add(INVALIDATION.relation, 2, 3)
    const both = [
      [INVALIDATION.post, 1, 0],
      [INVALIDATION.relation, 2, 3],
    ]
    expect(taken(reader)).toEqual({ isComplete: true, invalidations: both })
    expect(taken(late).invalidations).toEqual(both.slice(1))
    expect(taken(reader)).toEqual({ isComplete: true, invalidations: [] })
  })

  test('name rows with ids of more than 32 bits', () => {
    const { writer, reader } = pair()
    const largest = 2 ** 40 - 1
    writer.add(INVALIDATION.reaction, 7, largest)
    writer.add(INVALIDATION.post, 2 ** 37 - 1, 0)
    writer.add(INVALIDATION.reaction, 2 ** 31, 2 ** 32)
    expect(taken(reader).invalidations).toEqual([
      [INVALIDATION.reaction, 7, largest],
      [INVALIDATION.post, 2 ** 37 - 1, 0],
      [INVALIDATION.reaction, 2 ** 31, 2 ** 32],
    ])
  })

  test('published together arrive as if added one by one, across the ring’s end', () => {
    const { writer, reader } = pair()
    const many = Int32Array.from({ length: MAX_INVALIDATIONS_AT_ONCE * 3 }, (_, i) => 1 + (i % 11))
    let count = 0
    for (let round = 0; round < 20; round++) {
      writer.publish(many, 30_000)
      expect(
        reader.take((kind, a, b) => {
          const at = (count++ % 30_000) * 3
          if (many[at] !== kind || many[at + 1] !== a || many[at + 2] !== b) count = Number.NaN
        }),
      ).toBe(true)
    }
    expect(count).toBe(600_000)
  })

  test('are lost to a reader that sleeps too long, which then continues from the newest', () => {
    const { writer, reader } = pair()
    addMany(writer, RING / 2)
    expect(taken(reader).invalidations.length).toBe(RING / 2)
    addMany(writer, RING / 2 + 1)
    expect(taken(reader)).toEqual({ isComplete: false, invalidations: [] })
    writer.add(INVALIDATION.actor, 5, 0)
    expect(taken(reader)).toEqual({ isComplete: true, invalidations: [[INVALIDATION.actor, 5, 0]] })
  })

  test('are lost to a reader that the writer overtakes during its forgetting', () => {
    const { writer, reader } = pair()
    addMany(writer, 5_000)
    let calls = 0
    const isComplete = reader.take(() => {
      if (calls++ === 10) addMany(writer, RING * 3)
    })
    expect(isComplete).toBe(false)
    expect(calls).toBeLessThan(5_000)
    expect(taken(reader)).toEqual({ isComplete: true, invalidations: [] })
  })

  test('of everything require forgetting all, once', () => {
    const { writer, reader } = pair()
    writer.add(INVALIDATION.post, 1, 0)
    writer.add(INVALIDATION.everything, 0, 0)
    writer.add(INVALIDATION.post, 2, 0)
    expect(taken(reader).isComplete).toBe(false)
    expect(taken(reader)).toEqual({ isComplete: true, invalidations: [] })
  })

  test('more at once than readers can distinguish are fatal', () => {
    const { writer } = pair()
    const invalidations = new Int32Array((MAX_INVALIDATIONS_AT_ONCE + 1) * 3)
    expect(() => writer.publish(invalidations, MAX_INVALIDATIONS_AT_ONCE + 1)).toThrow(
      InvariantError,
    )
  })

  test('a head that went around once is not mistaken for an unmoved one', () => {
    const { writer, reader } = pair()
    const ints = new Int32Array(writer.buffer)
    // As after 2^32 invalidations: the same head, one lap later.
    Atomics.store(ints, 1, 4)
    expect(taken(reader).isComplete).toBe(false)
    expect(taken(reader).isComplete).toBe(true)
  })

  test.each([2 ** 30, 2 ** 31, 3 * 2 ** 30, 2 ** 32])(
    'the lap increments at invalidation %d',
    (corner) => {
      const writer = new InvalidationWriter(corner - 2)
      const reader = new InvalidationReader(writer.buffer)
      writer.add(INVALIDATION.post, 1, 0)
      expect(taken(reader)).toEqual({
        isComplete: true,
        invalidations: [[INVALIDATION.post, 1, 0]],
      })
      writer.add(INVALIDATION.post, 2, 0)
      expect(taken(reader)).toEqual({ isComplete: false, invalidations: [] })
      writer.add(INVALIDATION.post, 3, 0)
      expect(taken(reader)).toEqual({
        isComplete: true,
        invalidations: [[INVALIDATION.post, 3, 0]],
      })
    },
  )
})

// Invalidations (kind, n, -n), numbered from 1: each complete take must continue where the last
// ended, a torn one would not match, and a loss must be reported.
const READER = `
  import { parentPort, workerData } from 'node:worker_threads'
  import { InvalidationReader } from ${JSON.stringify(new URL('../../../src/data/shared-memory/invalidation-ring.ts', import.meta.url).pathname)}
  const { buffer, stop, pauses } = workerData
  const reader = new InvalidationReader(buffer)
  const nap = new Int32Array(new SharedArrayBuffer(4))
  const result = { takes: 0, notes: 0, losses: 0, torn: 0, gaps: 0 }
  let last = 0
  parentPort.postMessage('ready')
  while (Atomics.load(stop, 0) === 0) {
    const isWhole = reader.take((kind, n, check) => {
      result.notes++
      if (kind !== 1 + (n & 7) || check !== (n ^ 0x55555555)) result.torn++
      if (last !== 0 && n !== last + 1) result.gaps++
      last = n
    })
    if (!isWhole) {
      result.losses++
      last = 0
    }
    result.takes++
    Atomics.store(stop, 1, Math.min(result.losses, result.notes))
    if (result.takes % pauses === 0) Atomics.wait(nap, 0, 0, 20)
  }
  parentPort.postMessage(result)
`

test('a reading thread gets whole invalidations without a gap, or a report of the loss, while the writer overruns it', async () => {
  const writer = new InvalidationWriter()
  const stop = new Int32Array(new SharedArrayBuffer(8))
  const workerData = { buffer: writer.buffer, stop, pauses: 5 }
  const worker = new Worker(READER, { eval: true, workerData })
  await new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  const done = new Promise<Record<string, number>>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  const isDone = readerIsDone(stop, 3)
  const invalidations = new Int32Array(MAX_INVALIDATIONS_AT_ONCE * 3)
  let n = 0
  for (let round = 0; round < 200 || !isDone(); round++) {
    const count = round % 3 === 0 ? MAX_INVALIDATIONS_AT_ONCE : (round % 7) * 100
    for (let i = 0; i < count; i++) {
      n++
      invalidations[i * 3] = 1 + (n & 7)
      invalidations[i * 3 + 1] = n
      invalidations[i * 3 + 2] = n ^ 0x55555555
    }
    writer.publish(invalidations, count)
    if (round % 10 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  Atomics.store(stop, 0, 1)
  const result = await done
  expect(result).toMatchObject({ torn: 0, gaps: 0 })
  // Otherwise the threads never overlapped: no proof.
  expect(result['notes']).toBeGreaterThan(3)
  expect(result['losses']).toBeGreaterThan(3)
})

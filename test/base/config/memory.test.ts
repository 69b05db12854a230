// How SLIPSTREAM_MEMORY_MB is divided.

import { expect, test } from 'vitest'
import { answerCacheBytes, pageCacheKib, type Sizes } from '../../../src/base/config/memory.ts'
import { freshDataDir, startSlipstream } from '../../support/slipstream-process.ts'

const usual = { memoryMb: 0, serveThreads: 1, answerCacheMb: 96, timelineLength: 1_000 }
const nothing: Sizes = { members: 0, actors: 0, follows: 0 }
const community: Sizes = { members: 100, actors: 500_000, follows: 5_000_000 }

test('without it each part uses its default', () => {
  expect(pageCacheKib(usual, 4_000)).toBe(64 * 1_024)
  expect(answerCacheBytes(community, usual, 4_000)).toEqual({ bytes: 96e6, missing: 0 })
})

test('without it a small machine gives two fifths of its memory, and no warning', () => {
  expect(pageCacheKib(usual, 1_000)).toBe(pageCacheKib({ ...usual, memoryMb: 400 }, 4_000))
  const { bytes } = answerCacheBytes(community, { ...usual, memoryMb: 400 }, 4_000)
  expect(bytes).toBeLessThan(96e6)
  expect(answerCacheBytes(community, usual, 1_000)).toEqual({ bytes, missing: 0 })
})

test('with it the size of the machine makes no difference', () => {
  const limits = { ...usual, memoryMb: 300 }
  expect(pageCacheKib(limits, 1_000)).toBe(pageCacheKib(limits, 64_000))
  expect(answerCacheBytes(community, limits, 1_000)).toEqual(
    answerCacheBytes(community, limits, 64_000),
  )
})

test('stored records take precedence, and no part gets more than its default', () => {
  const left = [300, 400, 500, 10_000].map(
    (memoryMb) => answerCacheBytes(community, { ...usual, memoryMb }).bytes,
  )
  expect(left).toEqual(left.toSorted((a, b) => a - b))
  expect(left.at(-1)).toBe(96e6)
  expect(answerCacheBytes(nothing, { ...usual, memoryMb: 300 }).bytes).toBeCloseTo(80e6)
  expect(pageCacheKib({ ...usual, memoryMb: 10_000 })).toBe(64 * 1_024)
})

test('threads share it', () => {
  const [first, two] = [1, 2].map((serveThreads) => ({ ...usual, memoryMb: 300, serveThreads }))
  expect(answerCacheBytes(nothing, two!).bytes).toBeCloseTo(
    answerCacheBytes(nothing, first!).bytes / 2,
  )
  expect(pageCacheKib(two!)).toBeLessThan(pageCacheKib(first!))
})

test('reports by how much the setting is too low', () => {
  const { missing } = answerCacheBytes(community, { ...usual, memoryMb: 200 })
  const enough = { ...usual, memoryMb: 200 + missing / 1e6 }
  expect(missing).toBeGreaterThan(0)
  expect(answerCacheBytes(community, enough).missing).toBeCloseTo(0)
})

test('a server with too low a setting reports the required memory, and still serves', async () => {
  const server = startSlipstream({ MEMORY_MB: '50', DATA_DIR: freshDataDir() })
  try {
    const port = await server.port()
    expect((await fetch(`http://127.0.0.1:${port}/xrpc/_health`)).status).toBe(200)
    expect(server.output()).toMatch(/SLIPSTREAM_MEMORY_MB is less than stored data takes/)
    expect(server.output()).toMatch(/Set it to 2\d\d or more/)
  } finally {
    await server.stop()
  }
})

import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../../test/support/random.ts'
import {
  createFollowGraph,
  loadFollowGraph,
  openFollowGraph,
} from '../../src/graph/follow-graph.ts'
import { ImageError } from '../../src/graph/image-chunks.ts'

const ACCOUNTS = 40_000

function makeGraph(seed: number, edges = 600_000) {
  const random = createRandom(seed)
  const graph = createFollowGraph()
  for (let i = 0; i < edges; i++) graph.add(1 + random.zipf(ACCOUNTS), 1 + random.below(ACCOUNTS))
  return graph
}

type Graph = ReturnType<typeof makeGraph>

function expectSame(loaded: Graph, graph: Graph): void {
  const [out, expected] = [new Uint32Array(ACCOUNTS), new Uint32Array(ACCOUNTS)]
  expect(loaded.edgeCount).toBe(graph.edgeCount)
  for (let uid = 1; uid <= ACCOUNTS; uid += 37) {
    expect(loaded.follows(uid, 0, out)).toBe(graph.follows(uid, 0, expected))
    expect(Buffer.compare(Buffer.from(out.buffer), Buffer.from(expected.buffer))).toBe(0)
    expect(loaded.followers(uid, 0, out)).toBe(graph.followers(uid, 0, expected))
    expect(Buffer.compare(Buffer.from(out.buffer), Buffer.from(expected.buffer))).toBe(0)
  }
}

test('a graph loaded from its image equals the original, and continues like it', () => {
  const graph = makeGraph(1)
  const chunks = [...graph.dump()]
  expect(chunks.length).toBeGreaterThan(4)
  for (const { bytes } of chunks) expect(bytes.length).toBeLessThanOrEqual((1 << 20) + 64)
  const loaded = loadFollowGraph(chunks, ACCOUNTS)
  loaded.settled()
  expectSame(loaded, graph)
  const random = createRandom(2)
  for (let i = 0; i < 200_000; i++) {
    const [creator, subject] = [1 + random.zipf(ACCOUNTS), 1 + random.below(ACCOUNTS)]
    if (random.chance(0.5)) expect(loaded.add(creator, subject)).toBe(graph.add(creator, subject))
    else expect(loaded.remove(creator, subject)).toBe(graph.remove(creator, subject))
  }
  expectSame(loaded, graph)
  const reader = openFollowGraph(loaded.handle)
  expect(reader.edgeCount).toBe(graph.edgeCount)
})

test('an empty graph has an image too', () => {
  expect(loadFollowGraph(createFollowGraph().dump(), 0).edgeCount).toBe(0)
})

test.each([1, 2])(
  'an image taken during changes is corrected by those changes, seed %i',
  (seed) => {
    const random = createRandom(seed)
    const graph = makeGraph(seed, 300_000)
    // Large sets that change between chunks, and that become bit sets and cease to be.
    for (let uid = 1; uid <= 30_000; uid++) graph.add(uid, 7)
    const journal: [number, number, boolean][] = []
    const chunks: { bytes: Uint8Array }[] = []
    for (const chunk of graph.dump()) {
      chunks.push(chunk)
      for (let i = 0; i < 20_000; i++) {
        const [creator, subject] = [1 + random.zipf(ACCOUNTS), 1 + random.below(ACCOUNTS)]
        const adds = random.chance(0.5)
        const changed = adds ? graph.add(creator, subject) : graph.remove(creator, subject)
        if (changed) journal.push([creator, subject, adds])
      }
    }
    const loaded = loadFollowGraph(chunks, ACCOUNTS)
    expect(() => loaded.settled()).toThrow(ImageError)
    for (const [creator, subject, adds] of journal) {
      if (adds) loaded.add(creator, subject)
      else loaded.remove(creator, subject)
    }
    loaded.settled()
    expectSame(loaded, graph)
  },
)

describe('refuses torn or foreign images', () => {
  const chunks = [...makeGraph(4, 200_000).dump()]
  const other = [...makeGraph(5, 200_000).dump()]
  const load = (parts: { bytes: Uint8Array }[], maxUid = ACCOUNTS) => loadFollowGraph(parts, maxUid)

  test('none at all, a missing chunk, an extra one, two swapped', () => {
    expect(() => load([])).toThrow(ImageError)
    for (let i = 0; i < chunks.length; i++) {
      expect(() => load(chunks.toSpliced(i, 1))).toThrow(ImageError)
    }
    expect(() => load([...chunks, chunks.at(-1)!])).toThrow(ImageError)
    expect(() => load([chunks[1]!, chunks[0]!, ...chunks.slice(2)])).toThrow(ImageError)
  })

  test('a chunk of another image', () => {
    for (let i = 0; i < chunks.length; i++) {
      expect(() => load(chunks.with(i, other[i]!))).toThrow(ImageError)
    }
  })

  test('any flipped bit, any cut', () => {
    const random = createRandom(6)
    for (let i = 0; i < 60; i++) {
      const which = random.below(chunks.length)
      const bytes = chunks[which]!.bytes.slice()
      bytes[random.below(bytes.length)]! ^= 1 << random.below(8)
      expect(() => load(chunks.with(which, { bytes }))).toThrow(ImageError)
      const cut = chunks[which]!.bytes.slice(0, random.below(bytes.length))
      expect(() => load(chunks.with(which, { bytes: cut }))).toThrow(ImageError)
    }
  })

  test('an image with accounts that are not ours', () => {
    expect(() => load(chunks, 1000)).toThrow(ImageError)
  })
})

// Runs of follow changes: the graph they make equals the one that the twin makes change by change, for readers,
// too, and nothing of a run is lost if one of its changes is impossible.

import { describe, expect, test } from 'vitest'
import { createMemoryFollowGraph } from '../../../../test/support/memory-graph.ts'
import { createRandom } from '../../../../test/support/random.ts'
import { InvariantError } from '../../src/assert.ts'
import { EDGE_RUN, EdgeRuns } from '../../src/graph/edge-run.ts'
import { createFollowGraph, openFollowGraph } from '../../src/graph/follow-graph.ts'
import type { FollowGraphReader } from '../../src/graph/types.ts'

const CAPACITY = 100_000

function listsOf(graph: FollowGraphReader, uid: number): [Uint32Array, Uint32Array] {
  const out = new Uint32Array(CAPACITY)
  const follows = out.slice(0, graph.follows(uid, 0, out))
  return [follows, out.slice(0, graph.followers(uid, 0, out))]
}

describe.each([1, 2, 3])('seed %i', (seed) => {
  test('changes in runs make the same graph as changes one by one', () => {
    const random = createRandom(seed)
    const graph = createFollowGraph()
    const reader = openFollowGraph(graph.handle)
    const twin = createMemoryFollowGraph()
    const runs = new EdgeRuns(graph)
    for (let i = 0; i < 60_000; i++) {
      // New accounts all the time, and pairs that come and go within one run.
      const creator = 1 + random.zipf(1_000 + i)
      const subject = 1 + random.zipf(50)
      const isAdded = random.chance(i % 20_000 < 14_000 ? 0.8 : 0.2)
      runs.push(creator, subject, isAdded)
      if (isAdded) twin.add(creator, subject)
      else twin.remove(creator, subject)
      if (random.chance(0.001)) runs.flush()
    }
    runs.flush()
    expect(graph.edgeCount).toBe(twin.edgeCount)
    for (let uid = 1; uid <= 61_000; uid += uid < 60 ? 1 : 97) {
      expect(listsOf(reader, uid)).toEqual(listsOf(twin, uid))
    }
  })
})

test('a giant grows to a bit set and beyond its first rows within runs', () => {
  const graph = createFollowGraph()
  const runs = new EdgeRuns(graph)
  const star = 300_000
  for (let uid = 1; uid <= 80_000; uid++) runs.push(uid, star, true)
  for (const uid of [2 ** 21 + 5, 3 * 2 ** 21 + 7]) runs.push(uid, star, true)
  runs.flush()
  expect(graph.followersCount(star)).toBe(80_002)
  for (let uid = 1; uid <= 80_000; uid++) runs.push(uid, star, false)
  runs.flush()
  expect([...listsOf(graph, star)[1]].sort((a, b) => a - b)).toEqual([2 ** 21 + 5, 3 * 2 ** 21 + 7])
})

test('a full run is made at once, the rest when it is asked for', () => {
  const graph = createFollowGraph()
  const runs = new EdgeRuns(graph)
  for (let uid = 1; uid < EDGE_RUN; uid++) runs.push(uid, 1_000, true)
  expect(graph.edgeCount).toBe(0)
  runs.push(EDGE_RUN, 1_000, true)
  runs.push(EDGE_RUN + 1, 1_000, true)
  expect(graph.edgeCount).toBe(EDGE_RUN)
  runs.flush()
  runs.flush()
  expect(graph.edgeCount).toBe(EDGE_RUN + 1)
})

test.each([0, -5, 1_001, 2 ** 31 - 1])('uid %i is fatal; what came before it is kept', (uid) => {
  const graph = createFollowGraph({ maxUid: 1_000 })
  const reader = openFollowGraph(graph.handle)
  const runs = new EdgeRuns(graph)
  runs.push(1, 2, true)
  runs.push(uid, 3, true)
  runs.push(1, 4, true)
  expect(() => runs.flush()).toThrow(InvariantError)
  expect([reader.edgeCount, reader.has(1, 2), reader.has(1, 4)]).toEqual([1, true, false])
})

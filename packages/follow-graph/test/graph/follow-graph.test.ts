// One contract for both implementations of FollowGraphWriter, then the two against each other under random
// operations that cross all set sizes, then real reading threads against a writer.

import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { createMemoryFollowGraph } from '../../../../test/support/memory-graph.ts'
import { createRandom } from '../../../../test/support/random.ts'
import { readerIsDone } from '../../../../test/support/reading-thread.ts'
import { InvariantError } from '../../src/assert.ts'
import { EdgeRuns } from '../../src/graph/edge-run.ts'
import { createFollowGraph, openFollowGraph } from '../../src/graph/follow-graph.ts'
import type { FollowGraphReader, FollowGraphWriter } from '../../src/graph/types.ts'
import { compareUids } from '../../src/graph/uid-order.ts'

const implementations: Record<string, () => FollowGraphWriter> = {
  shared: createFollowGraph,
  twin: createMemoryFollowGraph,
}

type Lister = (after: number, out: Uint32Array) => number

function listAll(list: Lister, pageLength: number): number[] {
  const all: number[] = []
  const out = new Uint32Array(pageLength)
  for (let count = pageLength; count === pageLength; ) {
    count = list(all.at(-1) ?? 0, out)
    all.push(...out.subarray(0, count))
  }
  return all
}

const followsOf = (graph: FollowGraphReader, uid: number, length = 64) =>
  listAll((after, out) => graph.follows(uid, after, out), length)
const followersOf = (graph: FollowGraphReader, uid: number, length = 64) =>
  listAll((after, out) => graph.followers(uid, after, out), length)
const knownOf = (graph: FollowGraphReader, viewer: number, subject: number, length = 64) =>
  listAll((after, out) => graph.knownFollowers(viewer, subject, after, out), length)
const inOrder = (uids: Iterable<number>) => [...uids].sort(compareUids)

describe.each(Object.entries(implementations))('%s', (_, create) => {
  test('is empty at first', () => {
    const graph = create()
    expect(graph.edgeCount).toBe(0)
    expect(graph.has(1, 2)).toBe(false)
    expect(followsOf(graph, 1)).toEqual([])
    expect(followersOf(graph, 5_000_000)).toEqual([])
    expect(graph.knownFollowersCount(1, 2)).toBe(0)
  })

  test('stores a pair once, visible from both ends', () => {
    const graph = create()
    expect(graph.add(1, 2)).toBe(true)
    expect(graph.add(1, 2)).toBe(false)
    expect(graph.edgeCount).toBe(1)
    expect([graph.has(1, 2), graph.has(2, 1)]).toEqual([true, false])
    expect([graph.followsCount(1), graph.followersCount(2)]).toEqual([1, 1])
    expect([followsOf(graph, 1), followersOf(graph, 2)]).toEqual([[2], [1]])
  })

  test('removes a pair from both ends, and reports a second removal', () => {
    const graph = create()
    graph.add(1, 2)
    expect(graph.remove(2, 1)).toBe(false)
    expect(graph.remove(1, 2)).toBe(true)
    expect(graph.remove(1, 2)).toBe(false)
    expect([graph.edgeCount, graph.followsCount(1), graph.followersCount(2)]).toEqual([0, 0, 0])
    expect([followsOf(graph, 1), followersOf(graph, 2)]).toEqual([[], []])
  })

  test('an account may follow itself', () => {
    const graph = create()
    graph.add(7, 7)
    expect(graph.has(7, 7)).toBe(true)
    expect(graph.remove(7, 7)).toBe(true)
    expect(graph.edgeCount).toBe(0)
  })

  test.each([1, 2, 7, 64, 1000])('pages of %i neither skip nor repeat', (length) => {
    const graph = create()
    const uids = Array.from({ length: 700 }, (_, i) => 3 + i * 11)
    for (const uid of uids) graph.add(1, uid)
    for (const uid of uids) graph.add(uid, 2)
    expect(followsOf(graph, 1, length)).toEqual(inOrder(uids))
    expect(followersOf(graph, 2, length)).toEqual(inOrder(uids))
    expect(knownOf(graph, 1, 2, length)).toEqual(inOrder(uids))
  })

  test('a page continues after an account that was removed meanwhile', () => {
    const graph = create()
    for (let uid = 1; uid <= 100; uid++) graph.add(uid, 500)
    const out = new Uint32Array(30)
    graph.followers(500, 0, out)
    const last = out[29]!
    graph.remove(last, 500)
    const rest = listAll((after, page) => graph.followers(500, after || last, page), 30)
    expect([...out, ...rest]).toEqual(inOrder(Array.from({ length: 100 }, (_, i) => i + 1)))
  })

  test('a page does not write past its results', () => {
    const graph = create()
    graph.add(1, 2)
    const out = new Uint32Array(4).fill(99)
    expect(graph.follows(1, 0, out)).toBe(1)
    expect([...out]).toEqual([2, 99, 99, 99])
    expect(graph.follows(1, 0, new Uint32Array(0))).toBe(0)
  })

  test.each([
    [5, 3000],
    [3000, 5],
    [400, 400],
    [1, 1],
  ])('known followers of %i follows and %i followers', (followsCount, followersCount) => {
    const graph = create()
    const [viewer, subject] = [900_001, 900_002]
    for (let i = 1; i <= followsCount; i++) graph.add(viewer, i * 3)
    for (let i = 1; i <= followersCount; i++) graph.add(i * 2, subject)
    const known = new Set<number>()
    for (let i = 1; i <= followsCount; i++) {
      if ((i * 3) % 2 === 0 && (i * 3) / 2 <= followersCount) known.add(i * 3)
    }
    expect(knownOf(graph, viewer, subject, 10)).toEqual(inOrder(known))
    expect(graph.knownFollowersCount(viewer, subject)).toBe(known.size)
  })
})

test('a uid out of range is fatal', () => {
  const graph = createFollowGraph({ maxUid: 1000 })
  expect(() => graph.add(0, 1)).toThrow(InvariantError)
  expect(() => graph.add(1, -1)).toThrow(InvariantError)
  expect(() => graph.add(1001, 1)).toThrow(InvariantError)
  expect(graph.edgeCount).toBe(0)
})

describe.each([1, 2, 3])('random operations, seed %i', (seed) => {
  test('the shared graph always equals its twin', () => {
    const random = createRandom(seed)
    const shared = createFollowGraph()
    const twin = createMemoryFollowGraph()
    const reader = openFollowGraph(shared.handle)
    for (let i = 0; i < 60_000; i++) {
      const creator = 1 + random.zipf(300)
      const subject = 1 + random.zipf(2_000)
      // Grows for a while, then shrinks, so that sets cross the size limits in both directions.
      const adds = random.chance(i % 20_000 < 12_000 ? 0.75 : 0.2)
      const changed = adds ? shared.add(creator, subject) : shared.remove(creator, subject)
      expect(changed).toBe(adds ? twin.add(creator, subject) : twin.remove(creator, subject))
      if (i % 97 !== 0) continue
      const out = new Uint32Array(50)
      const expected = new Uint32Array(50)
      const after = random.below(2_000)
      expect(reader.follows(creator, after, out)).toBe(twin.follows(creator, after, expected))
      expect(out).toEqual(expected)
      expect(reader.knownFollowersCount(creator, subject)).toBe(
        twin.knownFollowersCount(creator, subject),
      )
    }
    expect(shared.edgeCount).toBe(twin.edgeCount)
    for (let uid = 1; uid <= 2_000; uid++) {
      expect(followsOf(reader, uid)).toEqual(followsOf(twin, uid))
      expect(followersOf(shared, uid)).toEqual(followersOf(twin, uid))
      expect(reader.has(uid, 1 + random.below(2_000))).toBeTypeOf('boolean')
    }
  })

  test('one set through every size, growing and shrinking', () => {
    const random = createRandom(seed)
    const graph = createFollowGraph()
    const model = new Set<number>()
    const star = 4_000_000
    const check = () => {
      expect(graph.followersCount(star)).toBe(model.size)
      expect(followersOf(graph, star, 10_000)).toEqual(inOrder(model))
    }
    let nextCheck = 1
    while (model.size < 60_000) {
      // Half of them neighbours, like accounts first seen together.
      const uid = random.chance(0.5) ? 1 + model.size : 1 + random.below(3_000_000)
      expect(graph.add(uid, star)).toBe(!model.has(uid))
      model.add(uid)
      if (model.size >= nextCheck) check()
      if (model.size >= nextCheck) nextCheck = Math.ceil(nextCheck * 1.4)
    }
    for (const uid of model) {
      expect(graph.has(uid, star)).toBe(true)
      expect(graph.has(uid + 3_000_000, star)).toBe(false)
    }
    const leaving = [...model].sort(() => random.next() - 0.5)
    for (const uid of leaving) {
      graph.remove(uid, star)
      model.delete(uid)
      if (model.size < nextCheck) check()
      if (model.size < nextCheck) nextCheck = Math.floor(nextCheck / 1.4)
    }
    check()
    expect(graph.edgeCount).toBe(0)
  })
})

describe.each([1])('giants, as bit sets, seed %i', (seed) => {
  test('equal the twin while they grow, intersect, outgrow their rows and shrink again', () => {
    const random = createRandom(seed)
    const shared = createFollowGraph()
    const reader = openFollowGraph(shared.handle)
    const [first, second, small] = [300_001, 300_002, 300_003]
    const model = new Map([first, second, small].map((uid) => [uid, new Set<number>()]))
    let wrong = 0
    const change = (uid: number, star: number, adds: boolean) => {
      const set = model.get(star)!
      const changed = adds ? shared.add(uid, star) : shared.remove(uid, star)
      if (changed !== (set.has(uid) !== adds)) wrong++
      if (adds) set.add(uid)
      else set.delete(uid)
    }
    const check = () => {
      expect(wrong).toBe(0)
      for (const [star, set] of model) {
        expect(reader.followersCount(star)).toBe(set.size)
        expect(followersOf(reader, star, 9_973)).toEqual(inOrder(set))
      }
      // The viewer follows the second star's followers, so that the sets intersect in every form.
      const viewed = [...model.get(second)!]
      for (const [star, set] of model) {
        const known = inOrder(viewed.filter((uid) => set.has(uid)))
        expect(knownOf(reader, viewer, star, 7_919)).toEqual(known)
        expect(reader.knownFollowersCount(viewer, star)).toBe(known.length)
      }
    }
    const viewer = 300_004
    for (let i = 0; i < 130_000; i++) {
      change(1 + random.below(250_000), first, random.chance(0.95))
      const uid = 1 + random.below(250_000)
      const adds = random.chance(0.95)
      change(uid, second, adds)
      if (adds) shared.add(viewer, uid)
      else shared.remove(viewer, uid)
      if (i % 50 === 0) change(1 + random.below(250_000), small, true)
      if (i % 1_000 === 0) expect(shared.has(uid, second)).toBe(adds)
    }
    expect(Math.min(model.get(first)!.size, model.get(second)!.size)).toBeGreaterThan(65_536)
    check()
    // A row needs another word beyond 2^21 accounts, and six beyond 3 * 2^21.
    for (const uid of [2 ** 21 + 5, 3 * 2 ** 21 + 7]) {
      for (const star of model.keys()) change(uid, star, true)
      shared.add(viewer, uid)
      expect(reader.has(uid, first)).toBe(true)
      expect(reader.has(uid + 1, first)).toBe(false)
      check()
    }
    for (const uid of inOrder(model.get(first)!))
      if (!random.chance(0.01)) change(uid, first, false)
    check()
    for (const uid of [...model.get(first)!]) change(uid, first, false)
    check()
  })
})

describe.each([1, 2])('a graph built at once, seed %i', (seed) => {
  test('equals the graph built from the same pairs one by one, and continues like it', () => {
    const random = createRandom(seed)
    const accounts = 90_000
    const lists = new Map<number, Uint32Array>()
    for (let creator = 1; creator <= 3_000; creator++) {
      const length = random.chance(0.2) ? 0 : random.zipf(200)
      // The first accounts are followed by nearly all; some pairs are repeated.
      lists.set(
        creator,
        Uint32Array.from({ length }, () => 1 + random.zipf(accounts)),
      )
    }
    lists.set(
      5,
      Uint32Array.from({ length: 80_000 }, (_, i) => 1 + i),
    )
    for (let creator = 3_001; creator <= accounts; creator++) {
      lists.set(creator, random.chance(0.9) ? Uint32Array.of(7, creator) : new Uint32Array(0))
    }
    const built = createFollowGraph()
    built.build(lists, accounts)
    const added = createFollowGraph()
    for (const [creator, subjects] of lists) for (const uid of subjects) added.add(creator, uid)
    const same = () => {
      expect(built.edgeCount).toBe(added.edgeCount)
      for (let uid = 1; uid <= accounts; uid += uid < 20 ? 1 : 991) {
        expect(followsOf(built, uid, 20_000)).toEqual(followsOf(added, uid, 20_000))
        expect(followersOf(built, uid, 20_000)).toEqual(followersOf(added, uid, 20_000))
      }
    }
    expect(built.followersCount(7)).toBeGreaterThan(65_536)
    same()
    let wrong = 0
    for (let i = 0; i < 100_000; i++) {
      const [creator, subject] = [1 + random.zipf(accounts), 1 + random.zipf(accounts)]
      const what = random.chance(0.5) ? 'add' : 'remove'
      if (built[what](creator, subject) !== added[what](creator, subject)) wrong++
    }
    expect(wrong).toBe(0)
    same()
  })
})

test('builds only a new graph, and only from existing accounts', () => {
  const graph = createFollowGraph()
  expect(() => graph.build([[1, Uint32Array.of(9)]], 5)).toThrow(InvariantError)
  expect(() => graph.build([[1, Uint32Array.of(2)]], 5)).toThrow(InvariantError)
})

test('a batch of changes is visible to readers when it ends, even if it fails', () => {
  const graph = createFollowGraph()
  const reader = openFollowGraph(graph.handle)
  const failing = () =>
    graph.batch(() => {
      for (let uid = 1; uid <= 700; uid++) graph.add(uid, 1_000)
      throw new Error('failed after the changes')
    })
  expect(failing).toThrow('failed after the changes')
  expect(followersOf(reader, 1_000)).toHaveLength(700)
})

test('memory of shrunk sets is reused', () => {
  const graph = createFollowGraph()
  const fill = (subject: number) => {
    for (let uid = 1; uid <= 5_000; uid++) graph.add(uid, subject)
  }
  fill(1)
  const before = graph.usage().poolBytes
  for (let round = 0; round < 20; round++) {
    for (let uid = 1; uid <= 5_000; uid++) graph.remove(uid, round + 1)
    fill(round + 2)
  }
  expect(graph.edgeCount).toBe(5_000)
  expect(graph.usage().poolBytes).toBeLessThan(before * 2)
})

// In every list the writer keeps only accounts of a residue determined by the list's owner and used
// by no other list, so that a foreign or half-moved list is detected. It adds and removes accounts
// in pairs, so that known followers always have the right residue, in order.
const READER = `
  import { parentPort, workerData } from 'node:worker_threads'
  import { openFollowGraph } from ${JSON.stringify(new URL('../../src/graph/follow-graph.ts', import.meta.url).pathname)}
  import { compareUids } from ${JSON.stringify(new URL('../../src/graph/uid-order.ts', import.meta.url).pathname)}
  const { handle, owners, stop } = workerData
  const graph = openFollowGraph(handle)
  const out = new Uint32Array(5000)
  const bad = []
  let reads = 0
  let widest = 0
  function check(what, owner, count) {
    reads++
    Atomics.store(stop, 1, reads)
    widest = Math.max(widest, count)
    for (let i = 0; i < count; i++) {
      const isRight = out[i] % owners === owner % owners && (i === 0 || compareUids(out[i - 1], out[i]) < 0)
      if (!isRight) return bad.push([what, owner, i, count, out[i]])
    }
  }
  while (Atomics.load(stop, 0) === 0 && bad.length === 0) {
    for (let owner = 1; owner <= owners; owner++) {
      check('follows', owner, graph.follows(owner, 0, out))
      check('followers', owner, graph.followers(owner, 0, out))
      check('known', owner, graph.knownFollowers(owner, owner, 0, out))
      if (!graph.has(owner, owner)) bad.push(['has', owner])
      if (graph.has(owner, owner + 1)) bad.push(['has not', owner])
    }
  }
  parentPort.postMessage({ reads, widest, bad: bad.slice(0, 3) })
`

test('reading threads never see half a change, and see the memory grow', async () => {
  const owners = 12
  const random = createRandom(5)
  const graph = createFollowGraph()
  for (let owner = 1; owner <= owners; owner++) graph.add(owner, owner)
  const stop = new Int32Array(new SharedArrayBuffer(8))
  const worker = new Worker(READER, {
    eval: true,
    workerData: { handle: graph.handle, owners, stop },
  })
  const done = new Promise<{ reads: number; widest: number; bad: unknown[] }>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  await new Promise((resolve) => worker.once('online', resolve))
  const isDone = readerIsDone(stop, 300)
  const runs = new EdgeRuns(graph)
  for (let i = 0; i < 240_000 || !isDone(); i++) {
    const owner = 1 + random.below(owners)
    const other = owner + owners * (1 + random.below(40_000))
    const grows = i % 80_000 < 55_000
    if (grows) {
      // In runs and one by one, in turns.
      if (i % 20_000 < 10_000) {
        runs.push(owner, other, true)
        runs.push(other, owner, true)
      } else {
        graph.add(owner, other)
        graph.add(other, owner)
      }
    } else {
      removeSome(graph, owner, owners)
    }
    if (i % 10_000 === 0) runs.flush()
    if (i % 20_000 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  Atomics.store(stop, 0, 1)
  const { reads, widest, bad } = await done
  expect(bad).toEqual([])
  expect(reads).toBeGreaterThan(300)
  expect(widest).toBeGreaterThan(1_000)
})

/** Removes a few from both lists of `owner`, but never the owner itself. */
function removeSome(graph: FollowGraphWriter, owner: number, owners: number): void {
  const out = new Uint32Array(4)
  const count = graph.follows(owner, 0, out)
  for (const other of out.subarray(0, count)) {
    if (other <= owners) continue
    graph.remove(owner, other)
    graph.remove(other, owner)
  }
}

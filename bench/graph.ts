// The follow graph: nanoseconds for adding, asking and removing at lists of 100 and of 100,000, known
// followers, and bytes per edge of a power-law network. `graph.add`, `graph.contains` and
// `graph.remove` are whole operations on the graph: both directions, and published to the readers;
// `….set` are the same on one direction's set alone, which is what other libraries publish. The
// baseline is a Map<number, Set<number>> in the same process, one direction.

import { createFollowGraph, loadFollowGraph, openFollowGraph } from '../src/graph/follow-graph.ts'
import { capacities, classFor, rooms } from '../src/graph/size-classes.ts'
import { contains, insertAt, removeAt, respread, search } from '../src/graph/sorted-slots.ts'
import type { FollowGraphReader, FollowGraphWriter } from '../src/graph/types.ts'
import { EMPTY, keyOf } from '../src/graph/uid-order.ts'
import { createRandom } from '../test/support/random.ts'
import { bestNs, onceNs, sink } from './cpu-time.ts'
import type { BenchResult } from './result.ts'

const UNIVERSE = 4_000_000
const OPERATIONS = 1_000_000

export function bench({ full }: { full: boolean }): BenchResult[] {
  return [
    ...measureLists({ label: '100', length: 100, lists: 200 }),
    ...measureLists({ label: '100k', length: 100_000, lists: 1 }),
    ...measureKnownFollowers(),
    ...measureNetwork(full ? 10_000_000 : 1_000_000, full ? 1_000_000 : 100_000),
  ]
}

type Shape = { label: string; length: number; lists: number }

function figure(name: string, value: number, baseline: number): BenchResult[] {
  return [
    { name: `${name}.ns`, value, unit: 'ns' },
    { name: `${name}.baseline.ns`, value: baseline, unit: 'ns' },
    { name: `${name}.ratio`, value: baseline / value, unit: 'x' },
  ]
}

/** Distinct random accounts, `length` for each list. */
function randomLists({ length, lists }: Shape): Int32Array {
  const random = createRandom(length)
  const uids = new Int32Array(length * lists)
  for (let list = 0; list < lists; list++) {
    const seen = new Set<number>()
    while (seen.size < length) seen.add(1 + random.below(UNIVERSE))
    uids.set([...seen], list * length)
  }
  return uids
}

function measureLists(shape: Shape): BenchResult[] {
  const uids = randomLists(shape)
  const order = shuffledIndexes(uids.length)
  const asked = { hits: pickFrom(uids, order, shape), misses: strangers(uids.length) }
  const sets = measureSets(shape, uids, asked)
  const graph = createFollowGraph()
  const map = new Map<number, Set<number>>()
  const ours = measureOperations(graph, shape, uids, asked)
  const theirs = measureMap(map, shape, uids, asked)
  const { label } = shape
  return [
    ...figure(`graph.add.${label}`, ours.add, theirs.add),
    ...figure(`graph.contains.${label}`, ours.hit, theirs.hit),
    ...figure(`graph.contains.${label}.miss`, ours.miss, theirs.miss),
    ...figure(`graph.contains.${label}.reader`, ours.readerHit, theirs.hit),
    ...figure(`graph.remove.${label}`, ours.remove, theirs.remove),
    ...figure(`graph.set.add.${label}`, sets.add, theirs.add),
    ...figure(`graph.set.contains.${label}`, sets.hit, theirs.hit),
    ...figure(`graph.set.contains.${label}.miss`, sets.miss, theirs.miss),
    ...figure(`graph.set.remove.${label}`, sets.remove, theirs.remove),
  ]
}

type Asked = { hits: Int32Array; misses: Int32Array }
type Times = { add: number; hit: number; miss: number; remove: number }

function shuffledIndexes(length: number): Int32Array {
  const random = createRandom(99)
  const indexes = Int32Array.from({ length }, (_, i) => i)
  for (let i = length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    const held = indexes[i]!
    indexes[i] = indexes[j]!
    indexes[j] = held
  }
  return indexes
}

/** Members of each list in random order, list after list. */
function pickFrom(uids: Int32Array, order: Int32Array, { length }: Shape): Int32Array {
  return order.map((from, i) => uids[Math.floor(i / length) * length + (from % length)]!)
}

function strangers(length: number): Int32Array {
  const random = createRandom(98)
  return Int32Array.from({ length }, () => UNIVERSE + 1 + random.below(UNIVERSE))
}

function measureOperations(
  graph: FollowGraphWriter & { handle: Parameters<typeof openFollowGraph>[0] },
  shape: Shape,
  uids: Int32Array,
  asked: Asked,
) {
  const reader = openFollowGraph(graph.handle)
  const rounds = Math.max(1, Math.floor(OPERATIONS / uids.length))
  const times = { add: Infinity, hit: 0, miss: 0, readerHit: 0, remove: Infinity }
  for (let round = 0; round < rounds; round++) {
    times.add = Math.min(
      times.add,
      onceNs(uids.length, () => addAll(graph, shape, uids)),
    )
    if (round === rounds - 1) {
      times.hit = bestNs(uids.length * 10, () => askAll(graph, shape, asked.hits))
      times.miss = bestNs(uids.length * 10, () => askAll(graph, shape, asked.misses))
      times.readerHit = bestNs(uids.length * 10, () => askReader(reader, shape, asked.hits))
    }
    times.remove = Math.min(
      times.remove,
      onceNs(uids.length, () => removeAll(graph, shape, uids)),
    )
  }
  return times
}

function addAll(graph: FollowGraphWriter, { length }: Shape, uids: Int32Array): void {
  for (let i = 0; i < uids.length; i++) graph.add(1 + ((i / length) | 0), uids[i]!)
}

function removeAll(graph: FollowGraphWriter, { length }: Shape, uids: Int32Array): void {
  for (let i = 0; i < uids.length; i++) graph.remove(1 + ((i / length) | 0), uids[i]!)
}

function askAll(graph: FollowGraphWriter, { length }: Shape, uids: Int32Array): void {
  for (let round = 0; round < 10; round++) {
    for (let i = 0; i < uids.length; i++) {
      if (graph.has(1 + ((i / length) | 0), uids[i]!)) sink.value++
    }
  }
}

function askReader(graph: FollowGraphReader, { length }: Shape, uids: Int32Array): void {
  for (let round = 0; round < 10; round++) {
    for (let i = 0; i < uids.length; i++) {
      if (graph.has(1 + ((i / length) | 0), uids[i]!)) sink.value++
    }
  }
}

/** One set that grows through its size classes, as adjacency.ts does it. */
function measureSets({ length, lists }: Shape, uids: Int32Array, asked: Asked): Times {
  const largest = capacities[classFor(length)]!
  const ints = new Int32Array(new SharedArrayBuffer((largest * 2 + 16) * 4))
  const set = { base: 0, sizeClass: 0 }
  const each = (run: (from: number, to: number) => void) => () => {
    for (let list = 0; list < lists; list++) run(list * length, (list + 1) * length)
  }
  const grow = each((from, to) => growSet(ints, largest, uids.subarray(from, to), set))
  const growAndEmpty = each((from, to) => {
    growSet(ints, largest, uids.subarray(from, to), set)
    emptySet(ints, set.base, capacities[set.sizeClass]!, uids.subarray(from, to))
  })
  const add = bestNs(uids.length, grow, 30)
  const both = bestNs(uids.length, growAndEmpty, 30)
  growSet(ints, largest, uids.subarray(0, length), set)
  const capacity = capacities[set.sizeClass]!
  // The set of the first list only, asked for each of the others' questions too.
  const hits = asked.hits.map((_, i) => asked.hits[i % length]!)
  return {
    add,
    hit: bestNs(uids.length, () => askSet(ints, set.base, capacity, hits), 30),
    miss: bestNs(uids.length, () => askSet(ints, set.base, capacity, asked.misses), 30),
    remove: both - add,
  }
}

function growSet(
  ints: Int32Array,
  largest: number,
  uids: Int32Array,
  set: { base: number; sizeClass: number },
): void {
  let sizeClass = 1
  let base = 16
  ints[base] = EMPTY
  for (let i = 0; i < uids.length; i++) {
    if (i === rooms[sizeClass]) {
      const next = base === 16 ? 16 + largest : 16
      respread(ints, base, next, capacities[++sizeClass]!, i)
      base = next
    }
    const capacity = capacities[sizeClass]!
    const key = keyOf(uids[i]!)
    const at = search(ints, base, capacity, key)
    if (at < 0) insertAt(ints, base, capacity, ~at, key)
  }
  set.base = base
  set.sizeClass = sizeClass
}

function askSet(ints: Int32Array, base: number, capacity: number, uids: Int32Array): void {
  for (let i = 0; i < uids.length; i++) {
    if (contains(ints, base, capacity, keyOf(uids[i]!))) sink.value++
  }
}

function emptySet(ints: Int32Array, base: number, capacity: number, uids: Int32Array): void {
  for (let i = 0; i < uids.length; i++) {
    const at = search(ints, base, capacity, keyOf(uids[i]!))
    if (at >= 0) removeAt(ints, base, capacity, at)
  }
}

function measureMap(
  map: Map<number, Set<number>>,
  shape: Shape,
  uids: Int32Array,
  asked: Asked,
): Times {
  const { length } = shape
  const add = onceNs(uids.length, () => {
    for (let i = 0; i < uids.length; i++) {
      const owner = 1 + ((i / length) | 0)
      const set = map.get(owner) ?? new Set()
      if (set.size === 0) map.set(owner, set)
      set.add(uids[i]!)
    }
  })
  const hit = bestNs(uids.length, () => askMap(map, length, asked.hits))
  const miss = bestNs(uids.length, () => askMap(map, length, asked.misses))
  const remove = onceNs(uids.length, () => {
    for (let i = 0; i < uids.length; i++) map.get(1 + ((i / length) | 0))?.delete(uids[i]!)
  })
  return { add, hit, miss, remove }
}

function askMap(map: Map<number, Set<number>>, length: number, uids: Int32Array): void {
  for (let i = 0; i < uids.length; i++) {
    if (map.get(1 + ((i / length) | 0))?.has(uids[i]!)) sink.value++
  }
}

/** Viewers with 1,000 follows, a subject with 200,000 followers of 1,000,000 accounts. */
function measureKnownFollowers(): BenchResult[] {
  const random = createRandom(4)
  const graph = createFollowGraph()
  const subject = 1_000_001
  for (let i = 0; i < 200_000; i++) graph.add(1 + random.below(1_000_000), subject)
  const viewers = Array.from({ length: 200 }, (_, i) => 1_000_002 + i)
  for (const viewer of viewers) {
    for (let i = 0; i < 1_000; i++) graph.add(viewer, 1 + random.below(1_000_000))
  }
  const reader = openFollowGraph(graph.handle)
  const out = new Uint32Array(51)
  const page = bestNs(viewers.length * 10, () => {
    for (let i = 0; i < viewers.length * 10; i++) {
      sink.value += reader.knownFollowers(viewers[(i * 7) % viewers.length]!, subject, 0, out)
    }
  })
  const count = bestNs(viewers.length * 10, () => {
    for (let i = 0; i < viewers.length * 10; i++) {
      sink.value += reader.knownFollowersCount(viewers[(i * 7) % viewers.length]!, subject)
    }
  })
  return [
    { name: 'knownFollowers.us', value: page / 1000, unit: 'µs' },
    { name: 'knownFollowers.count.us', value: count / 1000, unit: 'µs' },
  ]
}

/** Edges in random order; both ends by rank, so that few are followed by very many. */
function measureNetwork(edges: number, accounts: number): BenchResult[] {
  const random = createRandom(7)
  const pick = () => 1 + ((Math.floor(accounts * random.next() ** 3) * 7_919) % accounts)
  const creators = new Uint32Array(edges)
  const subjects = new Uint32Array(edges)
  for (let i = 0; i < edges; i++) {
    creators[i] = pick()
    subjects[i] = pick()
  }
  const graph = createFollowGraph()
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  const addNs = onceNs(edges, () => {
    for (let i = 0; i < edges; i++) graph.add(creators[i]!, subjects[i]!)
  })
  globalThis.gc?.()
  const resident = process.memoryUsage().rss - before
  const chunks = [...graph.dump()]
  const loadNs = onceNs(1, () => {
    sink.value += loadFollowGraph(chunks, accounts).edgeCount
  })
  const { poolBytes, freeBytes, headBytes } = graph.usage()
  const held = graph.edgeCount
  return [
    { name: 'graph.network.edges', value: held, unit: 'edges' },
    { name: 'graph.network.add.ns', value: addNs, unit: 'ns' },
    { name: 'graph.bytes_per_edge', value: (poolBytes + headBytes) / held, unit: 'B' },
    { name: 'graph.image.load.ns_per_edge', value: loadNs / held, unit: 'ns' },
    { name: 'graph.bytes_per_edge.free', value: freeBytes / held, unit: 'B' },
    { name: 'graph.bytes_per_edge.rss', value: resident / held, unit: 'B' },
  ]
}

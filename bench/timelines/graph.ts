// The follow graph: nanoseconds for adding, looking up and removing with lists of 100 to 1,000,000, known
// followers, and memory (resident, with DIDs, and for 160 million edges: snapshot.ts). Baselines in the same
// process, each with one direction and nothing shared: a Map<number, Set<number>>, and open addressing in an
// Int32Array.

import {
  createFollowGraph,
  EdgeRuns,
  openFollowGraph,
  type SharedFollowGraph,
} from '@slipstream/follow-graph'
import { createRandom } from '../../test/support/random.ts'
import type { BenchOptions, BenchResult } from '../runner/result.ts'
import { bestNs, onceNs, sink } from '../support/cpu-time.ts'
import {
  type Contestant,
  drawQuestions,
  mapOfSets,
  measure,
  openAddressing,
  type Questions,
  type Shape,
  type Times,
} from '../support/graph-lists.ts'
import { oneDirection } from '../support/our-lists.ts'
import { powerLawLists } from '../support/power-law.ts'

const BATCH = 256
const FOLLOWS_AN_ACCOUNT = 29

/**
 * `graph.add`, `graph.contains` and `graph.remove` are operations on one account's set in one
 * direction, in shared memory, published to reading threads a few hundred changes at a time, like a
 * batch of events. This matches a set in the figures that others publish. `….alone` publishes each
 * change separately. `….both_directions` are whole operations of the graph; the other end of each
 * follow is a random one of four million accounts, so cache misses dominate. `….reader` is a lookup
 * by a reading thread.
 */
export function bench({ full, wants }: BenchOptions): BenchResult[] {
  const results: BenchResult[] = []
  const lists = ['add', 'contains', 'remove'].some((what) => wants(`graph.${what}`))
  for (const shape of lists ? shapes(full) : []) results.push(...measureLists(shape))
  if (wants('knownFollowers')) results.push(...measureKnownFollowers())
  const edges = full ? 10_000_000 : 1_000_000
  if (wants('graph.network')) results.push(...measureAdding(edges))
  if (wants('graph.bytes_per_edge')) {
    results.push(...measureMemory('', { edges, accounts: edges / 10 }))
    const real = { edges, accounts: Math.floor(edges / FOLLOWS_AN_ACCOUNT) }
    results.push(...measureMemory('.29_an_account', real))
  }
  return results
}

function shapes(full: boolean): Shape[] {
  const all = [
    { label: '100', length: 100, lists: 200 },
    { label: '1k', length: 1_000, lists: 50 },
    { label: '10k', length: 10_000, lists: 5 },
    { label: '100k', length: 100_000, lists: 1 },
    { label: '1m', length: 1_000_000, lists: 1 },
  ]
  return all.filter(({ label }) => full || label === '100' || label === '100k')
}

function measureLists(shape: Shape): BenchResult[] {
  const questions = drawQuestions(shape)
  const contestants = {
    ours: oneDirection(BATCH),
    alone: oneDirection(1),
    both: bothDirections(createFollowGraph()),
    baseline: mapOfSets(),
    openAddressing: openAddressing(),
  }
  const all = measure(contestants, shape, questions)
  // As in a serving thread without other queries.
  const reader = measureReader(shape, questions)
  const of = (what: keyof Times) => ({
    '': all.ours.best[what],
    '.p50': all.ours.middle[what],
    '.alone': all.alone.best[what],
    '.both_directions': all.both.best[what],
    '.baseline': all.baseline.best[what],
    '.baseline.p50': all.baseline.middle[what],
    '.open_addressing': all.openAddressing.best[what],
  })
  const { label } = shape
  return [
    ...figures(`graph.add.${label}`, of('add')),
    ...figures(`graph.contains.${label}`, { ...of('hit'), '.reader': reader.hit }),
    ...figures(`graph.contains.${label}.miss`, { ...of('miss'), '.reader': reader.miss }),
    ...figures(`graph.remove.${label}`, of('remove')),
  ]
}

function figures(name: string, of: Record<string, number> & { '': number }): BenchResult[] {
  return [
    ...Object.entries(of).map(([what, value]) => ({
      name: `${name}${what}.ns`,
      value,
      unit: 'ns',
    })),
    { name: `${name}.ratio`, value: of['.baseline']! / of[''], unit: 'x' },
  ]
}

function bothDirections(graph: SharedFollowGraph): Contestant {
  const inBatches = (uids: Int32Array, change: (uid: number) => void) => {
    for (let at = 0; at < uids.length; at += BATCH) {
      graph.batch(() => {
        for (let i = at; i < Math.min(at + BATCH, uids.length); i++) change(uids[i]!)
      })
    }
  }
  return {
    addAll: (owner, uids) => inBatches(uids, (uid) => graph.add(owner, uid)),
    countAll(owner, uids) {
      let count = 0
      for (let i = 0; i < uids.length; i++) if (graph.has(owner, uids[i]!)) count++
      return count
    },
    removeAll: (owner, uids) => inBatches(uids, (uid) => graph.remove(owner, uid)),
  }
}

/** A reading thread's view, opened in this thread; the lists do not change. */
function measureReader(shape: Shape, questions: Questions): Times {
  const graph = createFollowGraph()
  const reader = openFollowGraph(graph.handle)
  const fill = bothDirections(graph)
  for (let list = 0; list < shape.lists; list++) {
    const { length } = shape
    fill.addAll(list + 1, questions.members.subarray(list * length, (list + 1) * length))
  }
  const nothing = () => undefined
  const countAll = (owner: number, uids: Int32Array) => {
    let count = 0
    for (let i = 0; i < uids.length; i++) if (reader.has(owner, uids[i]!)) count++
    return count
  }
  const reading = { addAll: nothing, countAll, removeAll: nothing }
  return measure({ reading }, shape, questions).reading.best
}

/**
 * Viewers with 1,000 follows; subjects with 20,000 and 200,000 followers out of 1,000,000 accounts.
 */
function measureKnownFollowers(): BenchResult[] {
  const random = createRandom(4)
  const graph = createFollowGraph()
  const [star, giant] = [1_000_001, 1_000_002]
  for (let i = 0; i < 20_000; i++) graph.add(1 + random.below(1_000_000), star)
  for (let i = 0; i < 200_000; i++) graph.add(1 + random.below(1_000_000), giant)
  const viewers = Array.from({ length: 200 }, (_, i) => 1_000_003 + i)
  for (const viewer of viewers) {
    for (let i = 0; i < 1_000; i++) graph.add(viewer, 1 + random.below(1_000_000))
  }
  const reader = openFollowGraph(graph.handle)
  const out = new Uint32Array(51)
  const requested = viewers.length * 10
  const time = (ask: (viewer: number) => number) =>
    bestNs(requested, () => {
      for (let i = 0; i < requested; i++) sink.value += ask(viewers[(i * 7) % viewers.length]!)
    }) / 1000
  const page = (subject: number) => time((viewer) => reader.knownFollowers(viewer, subject, 0, out))
  const count = (subject: number) => time((viewer) => reader.knownFollowersCount(viewer, subject))
  return [
    { name: 'knownFollowers.us', value: page(giant), unit: 'µs' },
    { name: 'knownFollowers.count.us', value: count(giant), unit: 'µs' },
    { name: 'knownFollowers.20k.us', value: page(star), unit: 'µs' },
    { name: 'knownFollowers.20k.count.us', value: count(star), unit: 'µs' },
  ]
}

/**
 * Adds all edges of a network in random order, as a stream delivers them, never sorted: in runs, as
 * a batch of events is published, and (`….alone`) each by itself.
 */
function measureAdding(edges: number): BenchResult[] {
  const accounts = edges / 10
  const creators = new Uint32Array(edges * 1.1)
  const subjects = new Uint32Array(edges * 1.1)
  let count = 0
  for (const [creator, list] of powerLawLists({ accounts, edges, seed: 7 })) {
    for (const subject of list) {
      creators[count] = creator
      subjects[count++] = subject
    }
  }
  shuffle(creators, subjects, count)
  const alone = createFollowGraph()
  const aloneNs = onceNs(count, () => {
    for (let i = 0; i < count; i++) alone.add(creators[i]!, subjects[i]!)
  })
  const graph = createFollowGraph()
  const addNs = onceNs(count, () => {
    const runs = new EdgeRuns(graph)
    for (let i = 0; i < count; i++) runs.push(creators[i]!, subjects[i]!, true)
    runs.flush()
  })
  const { poolBytes, headBytes, freeBytes } = graph.usage()
  return [
    { name: 'graph.network.edges', value: count, unit: 'edges' },
    { name: 'graph.network.add.ns', value: addNs, unit: 'ns' },
    { name: 'graph.network.add.alone.ns', value: aloneNs, unit: 'ns' },
    { name: 'graph.network.bytes_per_edge', value: (poolBytes + headBytes) / count, unit: 'B' },
    { name: 'graph.network.bytes_per_edge.free', value: freeBytes / count, unit: 'B' },
  ]
}

function shuffle(a: Uint32Array, b: Uint32Array, length: number): void {
  const random = createRandom(99)
  for (let i = length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    const [heldA, heldB] = [a[i]!, b[i]!]
    a[i] = a[j]!
    b[i] = b[j]!
    a[j] = heldA
    b[j] = heldB
  }
}

/** Memory of a network built at once, as after a start from its snapshot. */
function measureMemory(label: string, network: { edges: number; accounts: number }): BenchResult[] {
  const { edges, accounts } = network
  const graph = createFollowGraph()
  const lists = powerLawLists({ accounts, edges, seed: 7 })
  const buildNs = onceNs(1, () => graph.build(lists, accounts))
  const { poolBytes, headBytes } = graph.usage()
  const held = graph.edgeCount
  return [
    {
      name: `graph.bytes_per_edge${label}`,
      value: (poolBytes + headBytes) / held,
      unit: 'B',
    },
    { name: `graph.build${label}.ns_per_edge`, value: buildNs / held, unit: 'ns' },
    { name: `graph.build${label}.edges`, value: held, unit: 'edges' },
  ]
}

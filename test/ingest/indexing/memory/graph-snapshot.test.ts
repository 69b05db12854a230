// The graph is restored from its snapshot and the journal, through the shared-memory image, or not at all;
// then it is rebuilt from rows.

import { appendFileSync, mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import {
  createFollowGraph,
  type FollowGraphReader,
  ImageError,
  loadFollowGraph,
} from '@slipstream/follow-graph'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type ActorTable, loadActorTable } from '../../../../src/data/graph/actor-table.ts'
import { countActors } from '../../../../src/data/store/records/actors.ts'
import {
  loadActors,
  loadGraph,
  saveGraph,
  savingMemory,
} from '../../../../src/ingest/indexing/memory/graph-snapshot.ts'
import { catchUpMemory } from '../../../../src/ingest/indexing/memory/rebuild-memory.ts'
import { createMemoryParts } from '../../../support/memory-parts.ts'
import { createRandom } from '../../../support/random.ts'
import { randomHistory } from '../../../support/random-history.ts'
import { countRows } from '../../../support/rows.ts'
import { snapshotFiles } from '../../../support/snapshot-files.ts'
import { createWorld, type World } from '../../../support/world.ts'

const SEED = Number(process.env['SEED'] ?? 17)
const SETTINGS = { timelineLength: 100, reasonableLimit: 2000, celebrityThreshold: 1000 }
let world: World
const random = createRandom(SEED)

beforeEach(() => {
  world = createWorld({ scope: 'network', members: ['person-0'] })
  live(300)
})
afterEach(() => world.dispose())

function live(events: number): void {
  for (const event of randomHistory(world, random, events)) world.apply([event])
}

function save(): void {
  saveGraph(world.db, world.memory.graph as ReturnType<typeof createFollowGraph>)
}

function load() {
  const maxUid = countActors(world.db)
  const fromChunks = (chunks: Iterable<{ bytes: Uint8Array }>) => loadFollowGraph(chunks, maxUid)
  return loadGraph(world.db, fromChunks, (error) => error instanceof ImageError)
}

function edges(graph: FollowGraphReader): number[][] {
  const out = new Uint32Array(1000)
  return Array.from({ length: countActors(world.db) }, (_, i) => [
    ...out.slice(0, graph.follows(i + 1, 0, out)),
  ])
}

it(`restores the saved graph, and with the journal the current one (seed ${SEED})`, () => {
  save()
  expect(countRows(world, 'graph_changes')).toBe(0)
  const saved = edges(world.graph)
  expect(edges(load()!.graph)).toEqual(saved)
  live(300)
  const loaded = load()!
  expect(edges(loaded.graph)).not.toEqual(saved)
  catchUpMemory(world.db, { ...createMemoryParts(SETTINGS), graph: loaded.graph }, loaded.covered)
  expect(edges(loaded.graph)).toEqual(edges(world.graph))
  expect(loaded.graph.edgeCount).toBe(world.graph.edgeCount)
})

it('is undefined if none was saved', () => {
  expect(load()).toBeUndefined()
})

const ANOTHER_BUILD = `UPDATE snapshots SET header = replace(header, '"version":"2"', '"version":"1"')`

it.each([
  ['a torn file', (file: string) => writeFileSync(file, new Uint8Array(statSync(file).size))],
  ['a cut file', (file: string) => truncateSync(file, statSync(file).size - 4)],
  ['a longer file', (file: string) => appendFileSync(file, 'more')],
  ['a missing file', (file: string) => rmSync(file)],
  ['a folder in its place', replaceByFolder],
  ['another build', () => world.db.exec(ANOTHER_BUILD)],
])('is discarded with %s', (_name, damage) => {
  save()
  const [file, ...others] = snapshotFiles(world.dataDir)
  expect(others).toEqual([])
  damage(file!)
  expect(load()).toBeUndefined()
  expect(countRows(world, 'snapshots')).toBe(0)
})

function replaceByFolder(file: string): void {
  rmSync(file)
  mkdirSync(file)
}

it('is not half saved when saving fails', () => {
  save()
  live(100)
  const before = [countRows(world, 'snapshots'), countRows(world, 'graph_changes')]
  const graph = createFollowGraph()
  const failing = {
    *dump() {
      yield* graph.dump()
      throw new Error('the disk is full')
    },
  }
  expect(() => world.run((ctx) => saveGraph(ctx.db, failing))).toThrow('the disk is full')
  expect([countRows(world, 'snapshots'), countRows(world, 'graph_changes')]).toEqual(before)
  const loaded = load()!
  catchUpMemory(world.db, { ...createMemoryParts(SETTINGS), graph: loaded.graph }, loaded.covered)
  expect(edges(loaded.graph)).toEqual(edges(world.graph))
})

/** Saves in steps, while rows and memory keep changing. @returns the number of steps */
function saveWhileLiving(stopAfter = Infinity): number {
  const graph = world.memory.graph as ReturnType<typeof createFollowGraph>
  const actors = world.memory.actors as ActorTable
  let steps = 0
  for (const _step of savingMemory(world.db, { graph, actors })) {
    live(10)
    if (++steps === stopAfter) break
  }
  return steps
}

const isUntrusted = (error: unknown) => error instanceof ImageError

function expectLoaded(): void {
  const loaded = load()!
  const actors = loadActors(world.db, loadActorTable, isUntrusted)!
  expect(actors.count).toBeGreaterThan(0)
  for (let uid = 1; uid <= actors.count; uid++) {
    expect(actors.didOf(uid)).toBe(world.memory.actors.didOf(uid))
    expect(actors.uidOf(actors.didOf(uid))).toBe(uid)
  }
  const memory = { ...createMemoryParts(SETTINGS), actors, graph: loaded.graph }
  catchUpMemory(world.db, memory, loaded.covered)
  expect(memory.actors.count).toBe(countActors(world.db))
  expect(edges(loaded.graph)).toEqual(edges(world.graph))
  expect(loaded.graph.edgeCount).toBe(world.graph.edgeCount)
}

it(`is correct when rows and memory change between the steps of saving it (seed ${SEED})`, () => {
  for (let round = 0; round < 4; round++) {
    expect(saveWhileLiving()).toBeGreaterThan(3)
    live(50)
    expectLoaded()
  }
})

it(`stays the previous one if saving stops at any step, and leftovers are removed (seed ${SEED})`, async () => {
  const steps = saveWhileLiving()
  for (let stopAfter = 1; stopAfter <= steps + 2; stopAfter++) {
    saveWhileLiving(stopAfter)
    expectLoaded()
  }
  saveWhileLiving()
  expectLoaded()
  await expect.poll(() => snapshotFiles(world.dataDir)).toHaveLength(2)
  expectLoaded()
})

it('discards accounts that do not match the rows, and keeps the graph', () => {
  saveWhileLiving()
  world.db.exec("UPDATE actors SET did = did || '.else'")
  expect(loadActors(world.db, loadActorTable, isUntrusted)).toBeUndefined()
  expect(loadActors(world.db, loadActorTable, isUntrusted)).toBeUndefined()
  expect(load()).toBeDefined()
})

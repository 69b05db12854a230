// Snapshots are written alongside all other work: begun when worthwhile, finished at shutdown, and correct
// whenever writing stops.

import { statfsSync } from 'node:fs'
import { loadFollowGraph, type SharedFollowGraph } from '@slipstream/follow-graph'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type ActorTable, loadActorTable } from '../../../../src/data/graph/actor-table.ts'
import { countActors } from '../../../../src/data/store/records/actors.ts'
import { loadActors, loadGraph } from '../../../../src/ingest/indexing/memory/graph-snapshot.ts'
import {
  type SnapshotSaver,
  saveSnapshots,
} from '../../../../src/ingest/upkeep/memory/snapshots.ts'
import { until } from '../../../support/eventually.ts'
import { createRandom } from '../../../support/random.ts'
import { randomHistory } from '../../../support/random-history.ts'
import { countRows } from '../../../support/rows.ts'
import { snapshotFiles } from '../../../support/snapshot-files.ts'
import { createWorld, type World } from '../../../support/world.ts'

const SEED = Number(process.env['SEED'] ?? 23)
let world: World
let saver: SnapshotSaver
let written: object[]
let failures: unknown[]
const random = createRandom(SEED)

beforeEach(() => {
  world = createWorld({ scope: 'network', members: ['person-0'] })
  written = []
  failures = []
  saver = saveSnapshots({
    db: world.db,
    writer: world.writer,
    graph: world.memory.graph as SharedFollowGraph,
    actors: world.memory.actors as ActorTable,
    log: {
      info: (figures: unknown) => written.push(figures as object),
      warn: (failure: unknown) => failures.push(failure),
    } as never,
  })
  live(400)
})
afterEach(() => world.dispose())

function live(events: number): void {
  for (const event of randomHistory(world, random, events)) world.apply([event])
}

async function untilNotified(reported: unknown[]): Promise<void> {
  await until(() => reported.length > 0)
}

function expectLoaded(): void {
  const isUntrusted = () => false
  const maxUid = countActors(world.db)
  const loaded = loadGraph(world.db, (chunks) => loadFollowGraph(chunks, maxUid), isUntrusted)!
  const out = new Uint32Array(1_000)
  const expected = new Uint32Array(1_000)
  expect(loaded.graph.edgeCount).toBe(world.graph.edgeCount)
  for (let uid = 1; uid <= maxUid; uid++) {
    expect(loaded.graph.follows(uid, 0, out)).toBe(world.graph.follows(uid, 0, expected))
    expect(out).toEqual(expected)
  }
  expect(loadActors(world.db, loadActorTable, isUntrusted)!.count).toBeGreaterThan(0)
}

it(`are written while rows and memory change, and only once worthwhile (seed ${SEED})`, async () => {
  saver.startIfWorth(1_000_000)
  expect(countRows(world, 'snapshots')).toBe(0)
  saver.startIfWorth(1)
  const going = setInterval(() => live(5), 1)
  await untilNotified(written)
  clearInterval(going)
  expectLoaded()
  expect(failures).toEqual([])
})

it('are completed at shutdown, whether begun or not, but only if there are changes', () => {
  saver.finish()
  expect(written).toHaveLength(1)
  expectLoaded()
  saver.finish()
  expect(written).toHaveLength(1)
  live(100)
  saver.startIfWorth(1)
  live(100)
  saver.finish()
  expect(written).toHaveLength(2)
  expectLoaded()
})

it('keep the previous one if writing fails, and are written at the next attempt', async () => {
  saver.finish()
  live(100)
  world.db.exec(`CREATE TEMP TRIGGER full BEFORE INSERT ON main.snapshots WHEN new.name = 'graph'
    BEGIN SELECT raise(ABORT, 'the disk is full'); END`)
  saver.startIfWorth(1)
  await untilNotified(failures)
  // What was written in vain takes no room.
  await expect.poll(() => snapshotFiles(world.dataDir)).toHaveLength(2)
  expectLoaded()
  world.db.exec('DROP TRIGGER full')
  saver.finish()
  expect(written).toHaveLength(2)
  expectLoaded()
})

it('leave the reserve of the disk free', () => {
  const { bavail, bsize } = statfsSync(world.dataDir)
  const parts = {
    db: world.db,
    writer: world.writer,
    reserveBytes: bavail * bsize,
    graph: world.memory.graph as SharedFollowGraph,
    actors: world.memory.actors as ActorTable,
    log: { info: () => {}, warn: (failure: unknown) => failures.push(failure) } as never,
  }
  const retaining = saveSnapshots(parts)
  retaining.startIfWorth(1)
  retaining.finish()
  expect(failures).toMatchObject([
    { neededBytes: expect.any(Number) },
    { neededBytes: expect.any(Number) },
  ])
  expect(snapshotFiles(world.dataDir)).toEqual([])
})

it('is written once, however few the changes, if the start found none', async () => {
  const enough = 1_000_000
  saver.startIfWorth(enough)
  const owing = saveSnapshots({
    db: world.db,
    writer: world.writer,
    graph: world.memory.graph as SharedFollowGraph,
    actors: world.memory.actors as ActorTable,
    isPending: true,
    log: { info: (figures: unknown) => written.push(figures as object), warn: () => {} } as never,
  })
  owing.startIfWorth(enough)
  await untilNotified(written)
  expectLoaded()
  owing.startIfWorth(enough)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(written).toHaveLength(1)
})

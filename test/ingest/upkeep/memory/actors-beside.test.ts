import { truncateSync } from 'node:fs'
import { createFollowGraph } from '@slipstream/follow-graph'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createActorTable } from '../../../../src/data/graph/actor-table.ts'
import { saveGraph } from '../../../../src/ingest/indexing/memory/graph-snapshot.ts'
import { loadActorsBeside } from '../../../../src/ingest/upkeep/memory/actors-beside.ts'
import { snapshotFiles } from '../../../support/snapshot-files.ts'
import { createWorld, type World } from '../../../support/world.ts'

const DIDS = ['did:plc:aaaaaaaaaaaaaaaaaaaaaaaa', 'did:web:other.example']

let world: World

beforeEach(() => {
  world = createWorld({ members: [] })
  const actors = createActorTable()
  for (const did of DIDS) actors.intern(did)
  saveGraph(world.db, createFollowGraph(), actors)
})
afterEach(() => world.dispose())

function load(few: number) {
  const log = { warn: (): void => undefined }
  return loadActorsBeside({ dataDir: world.dataDir, accounts: DIDS.length, few, log })()
}

it('loads the snapshot in its thread', () => {
  const actors = load(1)
  expect(actors?.count).toBe(2)
  expect(DIDS.map((did) => actors?.uidOf(did))).toEqual([1, 2])
})

it('leaves few accounts to the caller', () => {
  expect(load(2)).toBeUndefined()
})

it('leaves a torn snapshot to the caller', () => {
  truncateSync(snapshotFiles(world.dataDir, 'actors')[0]!, 16)
  expect(load(1)).toBeUndefined()
})

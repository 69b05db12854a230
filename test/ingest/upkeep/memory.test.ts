// Memory at start: loaded from its snapshots, or from rows if a snapshot is missing. A new snapshot is then
// owed, so that the next start is fast again.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadConfig } from '../../../src/base/config/config.ts'
import { loadMemory } from '../../../src/ingest/upkeep/memory.ts'
import { keepSnapshots } from '../../../src/ingest/upkeep/snapshots.ts'
import { createWorld, type World } from '../../support/world.ts'

const NEVER_ENOUGH = 1_000_000

let world: World
let alice: string
let told: { msg: string; from?: string }[]

beforeEach(() => {
  told = []
  world = createWorld({ members: ['alice'] })
  alice = world.account('alice')
  for (let i = 0; i < 50; i++) world.follow(alice, world.account(`person-${i}`))
})
afterEach(() => world.dispose())

function load() {
  const info = (figures: object, msg: string) => told.push({ ...figures, msg })
  const config = loadConfig({ SLIPSTREAM_DATA_DIR: world.dataDir })
  const log = { info, warn: info } as never
  const { saved, memory } = loadMemory({ db: world.db, config, log })
  const snapshots = keepSnapshots({ ...saved, db: world.db, writer: world.writer, log })
  return { memory, snapshots }
}

async function written(): Promise<void> {
  await expect.poll(() => told.some(({ msg }) => msg === 'snapshot written')).toBe(true)
}

it.each(['actors', 'graph'])('owes a snapshot if the one of %s is missing', async (missing) => {
  load().snapshots.finish()
  await written()
  world.db.prepare('DELETE FROM snapshots WHERE name = ?').run(missing)
  told = []
  const { memory, snapshots } = load()
  expect(told[0]).toMatchObject({ from: 'rows' })
  expect(memory.actors.count).toBe(world.actors.count)
  expect(memory.graph.followsCount(world.uid(alice))).toBe(50)
  snapshots.startIfWorth(NEVER_ENOUGH)
  await written()
  told = []
  load()
  expect(told[0]).toMatchObject({ from: 'snapshot', actors: world.actors.count })
})

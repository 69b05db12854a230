// Memory at start: loaded from its snapshots, or from rows if a snapshot is missing. A new snapshot is then
// owed, so that the next start is fast again.

import { truncateSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../../src/base/config/config.ts'
import { loadMemory } from '../../../../src/ingest/upkeep/memory/memory.ts'
import { saveSnapshots } from '../../../../src/ingest/upkeep/memory/snapshots.ts'
import { snapshotFiles } from '../../../support/snapshot-files.ts'
import { createWorld, type World } from '../../../support/world.ts'

const NEVER_ENOUGH = 1_000_000

let world: World
let alice: string
let notified: { msg: string; from?: string }[]

beforeEach(() => {
  notified = []
  world = createWorld({ members: ['alice'] })
  alice = world.account('alice')
  for (let i = 0; i < 50; i++) world.follow(alice, world.account(`person-${i}`))
})
afterEach(() => world.dispose())

function load(fewAccounts?: number) {
  const info = (figures: object, msg: string) => notified.push({ ...figures, msg })
  const config = loadConfig({ SLIPSTREAM_DATA_DIR: world.dataDir })
  const log = { info, warn: info } as never
  const { saved, memory } = loadMemory({
    db: world.db,
    config,
    log,
    ...(fewAccounts !== undefined && { fewAccounts }),
  })
  const snapshots = saveSnapshots({ ...saved, db: world.db, writer: world.writer, log })
  return { memory, snapshots }
}

async function written(): Promise<void> {
  await expect.poll(() => notified.some(({ msg }) => msg === 'snapshot written')).toBe(true)
}

it.each(['actors', 'graph'])('owes a snapshot if the one of %s is missing', async (missing) => {
  load().snapshots.finish()
  await written()
  world.db.prepare('DELETE FROM snapshots WHERE name = ?').run(missing)
  notified = []
  const { memory, snapshots } = load()
  expect(notified[0]).toMatchObject({ from: 'rows' })
  expect(memory.actors.count).toBe(world.actors.count)
  expect(memory.graph.followsCount(world.uid(alice))).toBe(50)
  snapshots.startIfWorth(NEVER_ENOUGH)
  await written()
  notified = []
  load()
  expect(notified[0]).toMatchObject({ from: 'snapshot', actors: world.actors.count })
})

it('writes an owed snapshot at shutdown, although nothing changed', async () => {
  load().snapshots.finish()
  await written()
  world.db.exec('DELETE FROM snapshots')
  load().snapshots.finish()
  notified = []
  load().snapshots.finish()
  expect(notified).toMatchObject([{ from: 'snapshot' }])
})

describe('many accounts', () => {
  const MANY = 0

  function dids({ memory }: ReturnType<typeof load>): string[] {
    return Array.from({ length: memory.actors.count }, (_, i) => memory.actors.didOf(i + 1))
  }

  async function save(): Promise<void> {
    world.account('did:web:not-plc.example')
    load().snapshots.finish()
    await written()
    notified = []
  }

  it('are loaded by a thread beside the graph', async () => {
    await save()
    const expected = dids(load())
    notified = []
    const loaded = load(MANY)
    expect(notified).toMatchObject([{ from: 'snapshot', actors: expected.length }])
    expect(dids(loaded)).toEqual(expected)
    expect(expected.map((did) => loaded.memory.actors.uidOf(did))).toEqual(
      expected.map((_, i) => i + 1),
    )
  })

  it('are joined by later ones, whatever the form of their DIDs', async () => {
    await save()
    const { actors } = load(MANY).memory
    const { count } = actors
    for (const did of ['did:web:later.example', `did:plc:${'z'.repeat(24)}`]) {
      expect(actors.didOf(actors.intern(did))).toBe(did)
    }
    expect(actors.count).toBe(count + 2)
    expect(actors.uidOf('did:web:not-plc.example')).toBe(world.uid('did:web:not-plc.example'))
  })

  it('come from rows if their snapshot is torn', async () => {
    await save()
    const expected = dids(load())
    truncateSync(snapshotFiles(world.dataDir, 'actors')[0]!, 16)
    notified = []
    expect(dids(load(MANY))).toEqual(expected)
    expect(notified[0]).toMatchObject({ from: 'rows' })
  })
})

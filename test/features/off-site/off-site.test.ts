// What is sent off-site comes back: while everything is written, after faults of the store, and from older states.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openWriter, type WriteDb } from '../../../src/data/store/db.ts'
import { insertActor } from '../../../src/data/store/records/actors.ts'
import { keysFrom, newIdentity } from '../../../src/features/off-site/sealing/keys.ts'
import type { Shipper } from '../../../src/features/off-site/shipping/shipper.ts'
import { createRandom } from '../../support/random.ts'
import { didOf } from '../../support/records.ts'
import { contentOf, createOffSiteWorld, type OffSiteWorld } from './off-site-world.ts'
import { type S3Double, startS3Double } from './s3-double.ts'

let store: S3Double
let world: OffSiteWorld
let dataDir: string
let db: WriteDb
let last = 0

beforeEach(async () => {
  store = await startS3Double()
  world = await createOffSiteWorld(store)
  dataDir = world.folder()
  db = openWriter(dataDir)
  last = 0
  write(2_000)
})

afterEach(async () => {
  world.close()
  db.close()
  await store.close()
})

function write(count: number): void {
  db.transaction(() => {
    for (let i = 0; i < count; i++) insertActor(db, ++last, didOf(`account ${last}`), last)
  })()
}

const chunkPuts = () =>
  store.requested.filter((value) => value.startsWith('PUT here/chunks/')).length

it('restores exactly the state of the last change', async () => {
  const shipper = world.shipper(dataDir)
  await shipper.shipComplete()
  write(500)
  await shipper.shipChanges()
  const expected = contentOf(dataDir)
  write(100)
  const restored = await world.restore()
  expect(contentOf(restored.dataDir)).toEqual(expected)
  expect(restored.notes).toEqual([])
})

it('restores a state that was written while the base was being sent', async () => {
  const random = createRandom(5)
  const shipper = world.shipper(dataDir)
  write(10_000)
  let written = 0
  await shipper.shipComplete(() => {
    if (written++ > 100) return
    if (random.chance(0.5)) write(50)
    else db.prepare('DELETE FROM actors WHERE uid % 97 = ?').run(random.below(97))
    if (random.chance(0.2)) db.pragma('wal_checkpoint(PASSIVE)')
    shipper.watch()
  })
  expect(written).toBeGreaterThan(2)
  const atBase = contentOf((await world.restore()).dataDir)
  expect(atBase).toEqual(contentOf(dataDir))
})

it('follows random writes through many changes, bases and runs', async () => {
  const random = createRandom(17)
  let shipper = world.shipper(dataDir)
  await shipper.shipComplete()
  for (let round = 0; round < 12; round++) {
    write(1 + random.below(300))
    db.prepare('UPDATE actors SET handle = ? WHERE uid % 13 = ?').run(`h${round}`, random.below(13))
    if (random.chance(0.3)) db.pragma('wal_checkpoint(TRUNCATE)')
    if (random.chance(0.2)) await shipper.shipComplete()
    if (random.chance(0.2)) {
      shipper.close()
      shipper = world.shipper(dataDir)
      await shipper.shipComplete()
    }
    await shipper.shipChanges()
    if (round % 4 === 3) {
      expect(contentOf((await world.restore()).dataDir)).toEqual(contentOf(dataDir))
    }
  }
})

it('sends only what changed', async () => {
  write(60_000)
  db.pragma('wal_checkpoint(TRUNCATE)')
  await world.shipper(dataDir).shipComplete()
  const first = chunkPuts()
  expect(first).toBeGreaterThan(5)
  const shipper = world.shipper(dataDir)
  await shipper.shipComplete()
  expect(chunkPuts() - first).toBeLessThanOrEqual(1)
  const sent = shipper.status.now.sentBytes
  write(1)
  await shipper.shipChanges()
  expect(shipper.status.now.sentBytes - sent).toBeLessThan(60_000)
})

it('lets nothing readable leave the machine', async () => {
  const shipper = world.shipper(dataDir)
  write(10)
  await shipper.shipComplete()
  await shipper.shipChanges()
  for (const [name, bytes] of store.objects) {
    expect(name).toMatch(/^here\/[a-z]+\/[\w./-]+$/)
    expect(bytes.toString('latin1')).toMatch(/^age-encryption\.org\/v1/)
    expect(bytes.includes('did:plc')).toBe(false)
  }
})

it('restores an older state', async () => {
  let now = Date.parse('2026-11-20T10:00:00Z')
  const shipper = world.shipper(dataDir, { now: () => now })
  await shipper.shipComplete()
  now += 60_000
  write(10)
  await shipper.shipChanges()
  const expected = contentOf(dataDir)
  const until = now + 1
  now += 60_000
  db.exec('DELETE FROM actors')
  await shipper.shipChanges()
  const restored = await world.restore({ until })
  expect(contentOf(restored.dataDir)).toEqual(expected)
  expect(restored.database!.at).toBe(until - 1)
  await expect(world.restore({ until: now - 86_400_000 })).rejects.toThrow('There is no backup at')
})

it('brings pins, other files and the settings back', async () => {
  mkdirSync(join(dataDir, 'media-pinned', 'ab'), { recursive: true })
  const video = Buffer.alloc(1_300_000, 'video')
  writeFileSync(join(dataDir, 'media-pinned', 'ab', 'clip'), video)
  writeFileSync(join(dataDir, 'slipstream.graph-12.snapshot'), 'memory')
  mkdirSync(join(dataDir, 'media-cache'))
  writeFileSync(join(dataDir, 'media-cache', 'picture'), 'cached')
  writeFileSync(join(dataDir, 'someone-elses.txt'), 'other')
  await world.shipper(dataDir).shipComplete()
  const { dataDir: back, files } = await world.restore()
  expect(readFileSync(join(back, 'media-pinned', 'ab', 'clip')).equals(video)).toBe(true)
  expect(readFileSync(join(back, 'slipstream.graph-12.snapshot'), 'utf8')).toBe('memory')
  expect(existsSync(join(back, 'media-cache'))).toBe(false)
  expect(existsSync(join(back, 'someone-elses.txt'))).toBe(false)
  expect(readFileSync(files.settings!, 'utf8')).toContain('SLIPSTREAM_HOSTNAME=lost.example.org')
})

it('can’t be read with another key, and says so', async () => {
  await world.shipper(dataDir).shipComplete()
  const other = await keysFrom(await newIdentity())
  const refusal = await world.restore({ objects: world.objects(other) }).catch((error) => error)
  expect(refusal.message).toContain('was encrypted with another key')
  expect(refusal.hint).toContain('SLIPSTREAM_OFF_SITE_KEY')
})

it('tries a restore, and sends again what the store has lost', async () => {
  write(20_000)
  const shipper = world.shipper(dataDir)
  await shipper.shipComplete()
  await shipper.tryRestore()
  expect(shipper.status.now.trial).toMatchObject({ ok: true })
  const chunk = [...store.objects.keys()].find((name) => name.includes('/chunks/'))!
  store.objects.delete(chunk)
  await expect(shipper.tryRestore()).rejects.toThrow(
    'A trial restore from s3://backups/here failed',
  )
  expect(shipper.status.now.trial).toMatchObject({ ok: false })
  expect(shipper.needsBase()).toBe(true)
  await shipper.shipComplete()
  await shipper.tryRestore()
  expect(store.objects.has(chunk)).toBe(true)
})

async function afterComplete(shipper: Shipper): Promise<ReturnType<typeof contentOf>> {
  await shipper.shipComplete()
  write(10)
  await shipper.shipChanges()
  return contentOf(dataDir)
}

it('takes the changes up to a damaged one, and says so', async () => {
  const shipper = world.shipper(dataDir)
  const expected = await afterComplete(shipper)
  write(10)
  await shipper.shipChanges()
  const change = [...store.objects.keys()].filter((name) => name.includes('/runs/')).at(-1)!
  store.fault = ({ name }) => (name === change ? 'corrupt' : undefined)
  const restored = await world.restore()
  expect(contentOf(restored.dataDir)).toEqual(expected)
  expect(restored.notes[0]).toContain('is damaged in the store')
})

it('takes an older base if the newest is damaged', async () => {
  const shipper = world.shipper(dataDir)
  await afterComplete(shipper)
  write(5_000)
  // Bases are named by the second.
  await sleep(1_001 - (Date.now() % 1_000))
  const expected = await afterComplete(shipper)
  const newest = [...store.objects.keys()]
    .filter((name) => name.includes('/bases/'))
    .sort()
    .at(-1)!
  for (const fault of ['corrupt', 'truncate', 'other'] as const) {
    store.fault = ({ name }) => (name === newest ? fault : undefined)
    const restored = await world.restore()
    // The older base is completed by all later changes of the same run.
    expect(contentOf(restored.dataDir)).toEqual(expected)
    expect(restored.notes).toHaveLength(1)
  }
})

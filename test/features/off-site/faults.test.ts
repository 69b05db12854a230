// A store that dies, fills up or forgets while a backup is sent: nothing that was restorable is lost, and once the
// store is well again, all is sent.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { openWriter, type WriteDb } from '../../../src/data/store/db.ts'
import { insertActor } from '../../../src/data/store/records/actors.ts'
import { shipUntilStopped } from '../../../src/features/off-site/shipping/loop.ts'
import { eventually } from '../../support/eventually.ts'
import { createRandom } from '../../support/random.ts'
import { didOf } from '../../support/records.ts'
import { contentOf, createOffSiteWorld, type OffSiteWorld } from './off-site-world.ts'
import { type Fault, type S3Double, startS3Double } from './s3-double.ts'

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
  write(3_000)
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

it('sends with the next change what a failed one had', async () => {
  const shipper = world.shipper(dataDir)
  await shipper.shipComplete()
  const before = contentOf(dataDir)
  write(100)
  store.fault = ({ method }) => (method === 'PUT' ? 'full' : undefined)
  await expect(shipper.shipChanges()).rejects.toThrow('is full')
  expect(contentOf((await world.restore()).dataDir)).toEqual(before)
  write(100)
  store.fault = () => undefined
  await shipper.shipChanges()
  expect(contentOf((await world.restore()).dataDir)).toEqual(contentOf(dataDir))
})

it('needs a base again after it had to give pages up, and until then restores the state before', async () => {
  const shipper = world.shipper(dataDir)
  await shipper.shipComplete()
  await shipper.shipChanges()
  const before = contentOf(dataDir)
  db.exec(
    "CREATE TABLE bulk (text); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 18000) INSERT INTO bulk SELECT printf('%04000d', i) FROM n",
  )
  await shipper.shipChanges()
  expect(shipper.needsBase()).toBe(true)
  write(10)
  await shipper.shipChanges()
  expect(contentOf((await world.restore()).dataDir)).toEqual(before)
  db.exec('DROP TABLE bulk')
  await shipper.shipComplete()
  expect(contentOf((await world.restore()).dataDir)).toEqual(contentOf(dataDir))
})

it('can be restored to a sent state at any time, however the store fails', async () => {
  const random = createRandom(29)
  const shipper = world.shipper(dataDir)
  await shipper.shipComplete()
  /** The states that were acknowledged as sent, the last one first. */
  let sent = contentOf(dataDir)
  for (let round = 0; round < 16; round++) {
    write(1 + random.below(100))
    db.prepare('DELETE FROM actors WHERE uid % 41 = ?').run(random.below(41))
    const fault = random.pick<Fault>(['die', 'full', 'out-of-order', 'expired'])
    const failing = random.pick(['chunks', 'bases', 'runs', 'private', 'files'])
    const isWell = random.chance(0.4)
    store.fault = ({ method, name }) =>
      !isWell && name.includes(failing) && method !== 'GET' ? fault : undefined
    const now = contentOf(dataDir)
    const work = random.chance(0.4) ? shipper.shipComplete() : shipper.shipChanges()
    const failed = await work.then(
      () => undefined,
      (error: Error) => error,
    )
    store.fault = () => undefined
    if (!failed) sent = now
    if (round % 4 !== 3) continue
    const restored = contentOf((await world.restore()).dataDir)
    // A failed attempt may have stored its change before it failed.
    const isSent = JSON.stringify(restored) === JSON.stringify(sent)
    expect(isSent || JSON.stringify(restored) === JSON.stringify(now)).toBe(true)
  }
})

it('finds by a trial what the store acknowledged and forgot', async () => {
  write(20_000)
  let forgotten = 0
  store.fault = ({ method, name }) =>
    method === 'PUT' && name.includes('/chunks/') && forgotten++ === 1 ? 'lost' : undefined
  const shipper = world.shipper(dataDir)
  await shipper.shipComplete()
  expect(forgotten).toBeGreaterThan(1)
  await expect(shipper.tryRestore()).rejects.toThrow(
    /1 of \d+ chunks of the database are missing or damaged in the store/,
  )
  await shipper.shipComplete()
  await shipper.tryRestore()
  expect(contentOf((await world.restore()).dataDir)).toEqual(contentOf(dataDir))
})

it('removes nothing that a kept base needs, whenever pruning is cut short', async () => {
  let now = Date.parse('2026-10-01T03:00:00Z')
  const shipper = world.shipper(dataDir, { keepDays: 2, now: () => now })
  for (let day = 0; day < 8; day++) {
    write(200)
    let deletes = 0
    store.fault = ({ method }) => (method === 'DELETE' && deletes++ > day ? 'die' : undefined)
    await shipper.shipComplete().catch(() => undefined)
    store.fault = () => undefined
    await shipper.shipChanges()
    now += 86_400_000
  }
  expect(contentOf((await world.restore()).dataDir)).toEqual(contentOf(dataDir))
  await shipper.shipComplete()
  const bases = [...store.objects.keys()].filter((name) => name.includes('/bases/'))
  expect(bases.length).toBeLessThanOrEqual(6)
  const oldest = new Date(now - 3 * 86_400_000).getTime()
  expect(contentOf((await world.restore({ until: now })).dataDir)).toEqual(contentOf(dataDir))
  expect((await world.restore({ until: oldest })).database!.at).toBeLessThanOrEqual(oldest)
})

it('says nothing more of a store that was out of reach, and makes up for what failed meanwhile', async () => {
  const shipper = world.shipper(dataDir)
  const stopping = new AbortController()
  // No copy can be read, so the trial restore fails; changes can be written.
  store.fault = ({ method }) => (method === 'GET' ? 'die' : undefined)
  const log = { info: () => undefined, warn: () => undefined }
  const times = { everyMs: 20, lookMs: 5, trialDays: 1 }
  const shipping = shipUntilStopped(shipper, {
    ...times,
    signal: stopping.signal,
    isWanted: () => false,
    log,
  })
  try {
    await eventually(() =>
      expect(shipper.status.now.problem?.message).toContain('can’t be reached'),
    )
    store.fault = () => undefined
    await eventually(() => {
      write(1)
      expect(shipper.status.now.problem).toBeUndefined()
      expect(shipper.status.now.trial?.ok).toBe(true)
    })
  } finally {
    stopping.abort()
    await shipping
  }
})

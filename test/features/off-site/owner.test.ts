// Two servers with one prefix: one ships, the other says why it does not, and takes over once the first is gone,
// whatever their clocks say. A restarted server goes on at once.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { openWriter, type WriteDb } from '../../../src/data/store/db.ts'
import { insertActor } from '../../../src/data/store/records/actors.ts'
import { createRandom } from '../../support/random.ts'
import { didOf } from '../../support/records.ts'
import { contentOf, createOffSiteWorld, type OffSiteWorld } from './off-site-world.ts'
import { type S3Double, startS3Double } from './s3-double.ts'

const MINUTE = 60_000
let store: S3Double
let world: OffSiteWorld
const databases: WriteDb[] = []

beforeEach(async () => {
  store = await startS3Double()
  world = await createOffSiteWorld(store)
})

afterEach(async () => {
  world.close()
  for (const db of databases.splice(0)) db.close()
  await store.close()
})

function machine(name: string, { aheadMs = 0 } = {}) {
  const dataDir = world.folder()
  const db = openWriter(dataDir)
  databases.push(db)
  insertActor(db, 1, didOf(name), 1)
  const clock = { now: Date.now() + aheadMs }
  const shipper = () => world.shipper(dataDir, { now: () => clock.now })
  return { dataDir, clock, shipper, ships: shipper() }
}

const refusal = expect.objectContaining({
  message: expect.stringMatching(/^Another server \(.+\) ships to s3:/),
  hint: expect.stringContaining('SLIPSTREAM_OFF_SITE_TO'),
})

it.each([0, 60 * MINUTE, -60 * MINUTE])(
  'refuses a second server, whose clock is off by %i',
  async (aheadMs) => {
    const first = machine('first')
    const second = machine('second', { aheadMs })
    await first.ships.shipComplete()
    // A clock that is off by an hour takes the first for silent once; from then on each sees the other's signs of life.
    await second.ships.shipComplete().catch(() => undefined)
    const shipping: (typeof first)[] = []
    for (let minute = 0; minute < 12; minute++) {
      for (const { clock } of [first, second]) clock.now += MINUTE
      for (const node of [first, second]) {
        const refused = await node.ships.shipChanges().catch((error: unknown) => error)
        if (refused === undefined) shipping.push(node)
        else expect(refused).toEqual(refusal)
      }
    }
    const owner = aheadMs === 0 ? first : second
    expect(shipping.slice(-10).every((node) => node === owner)).toBe(true)
    expect(shipping.length).toBeLessThanOrEqual(14)
  },
)

it('takes over from a server that is gone: five minutes after its end by itself, at once after a clean stop', async () => {
  const first = machine('first')
  await first.ships.shipComplete()
  const second = machine('second')
  await expect(second.ships.shipComplete()).rejects.toEqual(refusal)
  second.clock.now += 4 * MINUTE
  await expect(second.ships.shipComplete()).rejects.toEqual(refusal)
  second.clock.now += 2 * MINUTE
  await second.ships.shipComplete()
  expect(contentOf((await world.restore()).dataDir)).toEqual(contentOf(second.dataDir))
  await second.ships.owner.release()
  const third = machine('third')
  third.clock.now = second.clock.now + MINUTE
  await third.ships.shipComplete()
  expect(contentOf((await world.restore()).dataDir)).toEqual(contentOf(third.dataDir))
})

it('goes on at once after a restart, and the run before no longer ships', async () => {
  const node = machine('one')
  await node.ships.shipComplete()
  const again = node.shipper()
  await again.shipComplete()
  node.clock.now += 3 * MINUTE
  await expect(node.ships.shipChanges()).rejects.toEqual(refusal)
  await again.shipChanges()
})

it('never lets two ship in the same minute, in whatever order they live and die', async () => {
  const random = createRandom(5)
  const machines = ['a', 'b', 'c'].map((name) => machine(name))
  let last: unknown
  for (let step = 0; step < 120; step++) {
    const minutes = random.below(3)
    for (const { clock } of machines) clock.now += minutes * MINUTE
    const chosen = machines[random.below(machines.length)]!
    const before = chosen.clock.now
    const isShipped = await chosen.ships.shipChanges().then(
      () => true,
      () => false,
    )
    if (!isShipped) continue
    const shipped = { chosen, at: before }
    const earlier = last as typeof shipped | undefined
    if (earlier && earlier.chosen !== chosen)
      expect(before - earlier.at).toBeGreaterThan(3 * MINUTE)
    last = shipped
  }
  expect(last).toBeDefined()
})

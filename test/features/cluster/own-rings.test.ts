// Which members' timelines a node holds in memory when several nodes share the members: those in its own
// buckets, as buckets are gained and lost.

import { afterEach, expect, test } from 'vitest'
import { BUCKETS, bucketOf } from '../../../src/features/cluster/engine/buckets.ts'
import { createHeldBuckets } from '../../../src/features/cluster/engine/held-buckets.ts'
import { createOwnRings } from '../../../src/features/cluster/own-rings.ts'
import { createMemberRings } from '../../../src/ingest/upkeep/memory/member-rings.ts'
import { didOf } from '../../support/records.ts'
import { createWorld } from '../../support/world.ts'

const MEMBERS = Array.from({ length: 40 }, (_, i) => didOf(`member ${i}`))
const all = Array.from({ length: BUCKETS }, (_, bucket) => bucket)
const lower = all.slice(0, BUCKETS / 2)
const upper = all.slice(BUCKETS / 2)
const cleanUps: (() => void)[] = []
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) cleanUp()
})

function start() {
  const world = createWorld({ scope: 'network' })
  cleanUps.push(() => world.dispose())
  for (const did of MEMBERS) {
    world.member(did)
    world.timelines.close(world.uid(did))
  }
  const clock = { now: world.now() }
  const held = createHeldBuckets()
  const now = () => clock.now
  const { memory, db } = world
  const own = createOwnRings({ memory, now, held })
  cleanUps.push(own.stop)
  const requested = createMemberRings({ db, memory, now, isOurs: own.isOurs })
  const open = () => MEMBERS.filter((did) => world.timelines.isOpen(world.uid(did)))
  const askAll = () => MEMBERS.forEach((did) => void requested(did))
  return { clock, held, open, askAll, bytes: () => entryBytes(world) }
}

function entryBytes(world: ReturnType<typeof createWorld>): number {
  const { handle } = world.timelines as unknown as { handle: { entries: SharedArrayBuffer } }
  return handle.entries.byteLength
}

const ofBuckets = (buckets: number[]) => MEMBERS.filter((did) => buckets.includes(bucketOf(did)))

test('each of several nodes holds its own members’ timelines, and reuses the space of lost buckets for gained ones', async () => {
  const { clock, held, open, askAll, bytes } = start()
  askAll()
  expect(open()).toEqual([])
  held.set(lower)
  askAll()
  expect(open()).toEqual(ofBuckets(lower))
  const before = bytes()
  held.set([])
  askAll()
  expect(open()).toEqual(ofBuckets(lower))
  await expect
    .poll(() => {
      clock.now += 11_000
      return open()
    })
    .toEqual([])
  held.set(upper)
  askAll()
  expect(open()).toEqual(ofBuckets(upper))
  const [had, has] = [ofBuckets(lower), ofBuckets(upper)].map((value) => value.length) as [
    number,
    number,
  ]
  if (has <= had) expect(bytes()).toBe(before)
})

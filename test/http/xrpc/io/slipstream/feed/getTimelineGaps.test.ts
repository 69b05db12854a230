// io.slipstream.feed.getTimelineGaps: gaps that overlap a range of the viewer's own timeline, and of no
// other.

import { afterEach, expect, test } from 'vitest'
import {
  closeAccountGap,
  closeGap,
  setGapStep,
} from '../../../../../../src/data/store/stream/gap-repair.ts'
import { insertAccountGap, insertGap } from '../../../../../../src/data/store/stream/gaps.ts'
import { didOf } from '../../../../../support/records.ts'
import { createServingWorld, type ServingWorld } from '../../../../../support/serving-world.ts'

const NSID = 'io.slipstream.feed.getTimelineGaps'
const [alice, bob, carol] = ['alice', 'bob', 'carol'].map(didOf) as [string, string, string]
const at = (hour: string) => Date.parse(`2026-11-01T${hour}:00:00.000Z`) * 1000

type Answer = { isWhole: boolean; gaps: Record<string, string>[] }

let world: ServingWorld
afterEach(() => world.dispose())

function start(): void {
  world = createServingWorld({ scope: 'network', members: ['alice'] })
  for (const did of [bob, carol]) world.profile(did, { displayName: 'somebody' })
  world.follow(alice, bob)
}

const ask = (stretch: { since?: string; until?: string } = {}) =>
  world.get<Answer>(NSID, stretch, alice)

test('lists stream gaps that overlap the range, until they are closed', async () => {
  start()
  expect(await ask()).toEqual({ isWhole: true, gaps: [] })
  const gap = {
    host: 'wss://a',
    fromUs: at('10'),
    toUs: at('12'),
    cause: 'cursor-too-old',
  } as const
  const id = insertGap(world.db, gap, 1)
  const seen = {
    cause: 'cursor-too-old',
    state: 'open',
    from: '2026-11-01T10:00:00.000Z',
    to: '2026-11-01T12:00:00.000Z',
  }
  expect(await ask()).toEqual({ isWhole: false, gaps: [seen] })
  const since = '2026-11-01T11:00:00.000Z'
  expect(await ask({ since, until: '2026-11-01T11:30:00.000Z' })).toMatchObject({ isWhole: false })
  expect(await ask({ since: '2026-11-01T12:00:00.001Z' })).toMatchObject({ isWhole: true })
  expect(await ask({ until: '2026-11-01T09:59:59.999Z' })).toMatchObject({ isWhole: true })
  setGapStep(world.db, id, { step: 'replay', reached: 0 })
  expect(await ask()).toMatchObject({ gaps: [{ state: 'repairing' }] })
  closeGap(world.db, id, { how: 'replayed', now: 2 })
  expect(await ask()).toMatchObject({ isWhole: true })
})

test('lists account gaps for their followers', async () => {
  start()
  for (const did of [bob, carol]) {
    const uid = world.world.uid(did)
    insertAccountGap(world.db, { uid, cause: 'sync', fromUs: 0, toUs: at('12') }, 1)
  }
  expect(await ask()).toEqual({
    isWhole: false,
    gaps: [{ cause: 'sync', state: 'open', to: '2026-11-01T12:00:00.000Z', did: bob }],
  })
  closeAccountGap(world.db, world.world.uid(bob), { how: 'compared', now: 2 })
  expect(await ask()).toEqual({ isWhole: true, gaps: [] })
})

test('requires authentication', async () => {
  start()
  expect(await world.ask(NSID, {})).toMatchObject({ status: 401 })
})

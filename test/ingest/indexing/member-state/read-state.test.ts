// A member's document read in steps, so that no other call waits for fifty thousand bookmarks: the same text, of
// one moment, whatever is written meanwhile.

import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  readState,
  readStateInSteps,
} from '../../../../src/ingest/indexing/member-state/read-state.ts'
import { bookmark } from '../../../../src/ingest/indexing/members/private-state.ts'
import { didOf } from '../../../support/records.ts'
import { createWorld, type World } from '../../../support/world.ts'

const alice = didOf('alice')
const BOOKMARKS = 1_000

let world: World
beforeEach(() => {
  world = createWorld({ scope: 'network', members: ['alice'] })
})
afterEach(() => world.dispose())

function store({ uri, cid }: { uri: string; cid: string }): void {
  world.run((ctx) => bookmark(ctx, alice, { uri, cid }))
}

test('is read and written some entries a step, as of its beginning', () => {
  for (let i = 0; i < BOOKMARKS; i++) store(world.post(didOf('bob')))
  world.mute(alice, didOf('carol'))
  const before = readState(world.db, alice)
  expect(before.bookmarks).toHaveLength(BOOKMARKS)
  const work = readStateInSteps(world.dataDir, alice)
  let steps = 0
  let step = work.next()
  for (; !step.done; step = work.next()) if (++steps === 2) store(world.post(didOf('bob')))
  expect(step.value).toBe(JSON.stringify(before))
  expect(steps).toBeGreaterThan(10)
  expect(readState(world.db, alice).bookmarks).toHaveLength(BOOKMARKS + 1)
})

test('of an account that is not known there is none', () => {
  expect(() => readStateInSteps(world.dataDir, didOf('nobody')).next()).toThrow('not known here')
})

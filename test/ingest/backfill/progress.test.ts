// Progress checks of cold starts run in the thread that applies the stream: one check stays short, however
// many cold starts are running.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { createProgress } from '../../../src/ingest/backfill/progress.ts'
import { createWorld, type World } from '../../support/world.ts'

const MEMBERS = 40
const LOOK_MS = 4

let world: World
let looked: number[]

beforeEach(() => {
  const members = Array.from({ length: MEMBERS }, (_, i) => `member-${i}`)
  world = createWorld({ scope: 'network', members })
  looked = []
})
afterEach(() => world.dispose())

/** Every look takes a while, as with a member with many follows. */
function progressOf(now: () => number) {
  return createProgress({
    db: world.db,
    commit: world.writer.commit,
    now,
    replays: undefined,
    limits: { timelineTarget: 100, olderPages: 1, olderAuthors: 1 },
    mirrorOf: () => undefined,
    timelineItems(uid) {
      const until = performance.now() + LOOK_MS
      while (performance.now() < until);
      looked.push(uid)
      return 0
    },
    log: { info: () => {} } as never,
  })
}

it('looks at a few at a time, and at each once before any twice', () => {
  let clock = 1_000_000
  const progress = progressOf(() => clock)
  let checks = 0
  for (; looked.length < MEMBERS; checks++) {
    const before = looked.length
    progress.check()
    expect(looked.length - before).toBeGreaterThan(0)
    expect(looked.length - before).toBeLessThanOrEqual(4)
    clock += 1
  }
  expect(checks).toBeGreaterThanOrEqual(MEMBERS / 4)
  expect(new Set(looked.slice(0, MEMBERS)).size).toBe(MEMBERS)
})

it('looks first at a new arrival', () => {
  const progress = progressOf(() => 1_000_000)
  world.profile(world.account('newcomer'))
  const newcomer = world.uid(world.account('newcomer'))
  progress.memberStarted(newcomer)
  progress.check()
  expect(looked[0]).toBe(newcomer)
})

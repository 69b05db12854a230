// The members of a starter pack's list are found in time that does not depend on how many it has.

import { afterEach, expect, test } from 'vitest'
import { preparePacks } from '../../../../src/data/store/read/lists/packs.ts'
import { createWorld, type RecordId, type World } from '../../../support/world.ts'

const NEWEST = 50
const SMALL = 200
const LARGE = 10_000
/** Processor time is told in coarse steps. */
const READS = 50
/** Reading all of the large list takes fifty times as long as reading the small one. */
const MOST_GROWTH = 8

let world: World

afterEach(() => world.dispose())

test('the newest members are read from the newest items alone', () => {
  world = createWorld({ scope: 'network' })
  const lists = [SMALL, LARGE].map(listOf)
  const packs = preparePacks(world.db)
  const [small, large] = lists.map(({ uri }) => {
    const id = idOf(uri.split('/')[2]!)
    expect(packs.membersOf([id], NEWEST)).toHaveLength(NEWEST)
    return cpuMs(() => packs.membersOf([id], NEWEST))
  })
  expect(large! / small!).toBeLessThan(MOST_GROWTH)
})

test('accounts that are on the list twice count once, from their first record', () => {
  world = createWorld({ scope: 'network' })
  const { account, listItem } = world
  const list = world.list(account('lister'), 'pack', 'app.bsky.graph.defs#referencelist')
  for (const name of ['twice', 'a', 'b', 'twice', 'twice']) {
    listItem(account('lister'), list, account(name))
  }
  const id = idOf(account('lister'))
  const subjects = (newest: number) =>
    preparePacks(world.db)
      .membersOf([id], newest)
      .map(({ subject }) => subject)
  const [twice, a, b] = ['twice', 'a', 'b'].map((name) => world.uid(account(name)))
  expect(subjects(3).sort()).toEqual([twice, a, b].sort())
  expect(subjects(2).sort()).toEqual([a, b].sort())
  expect(subjects(NEWEST).sort()).toEqual([twice, a, b].sort())
})

function listOf(members: number): RecordId {
  const { account, list, listItem, hold, apply } = world
  const lister = account(`lister of ${members}`)
  const made = list(lister, 'pack', 'app.bsky.graph.defs#referencelist')
  apply(
    hold(() => {
      for (let i = 0; i < members; i++) listItem(lister, made, account(`member ${i}`))
    }),
  )
  return made
}

function idOf(did: string): number {
  const rows = world.db
    .prepare<[number], { id: number }>('SELECT id FROM lists WHERE uid = ? AND cid IS NOT NULL')
    .all(world.uid(did))
  expect(rows).toHaveLength(1)
  return rows[0]!.id
}

function cpuMs(work: () => unknown): number {
  let least = Infinity
  for (let i = 0; i < 3; i++) {
    const before = process.threadCpuUsage()
    for (let n = 0; n < READS; n++) work()
    const { user, system } = process.threadCpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

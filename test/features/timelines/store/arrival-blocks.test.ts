// Walks over arrivals cached in memory, while others are added and removed, against the rows themselves.

import { afterEach, expect, test } from 'vitest'
import { prepareArrivalBlocks } from '../../../../src/features/timelines/store/read/arrival-blocks.ts'
import type { Arrival } from '../../../../src/features/timelines/store/read/arrivals.ts'
import { createRandom, type Random } from '../../../support/random.ts'
import { testSeed } from '../../../support/seed.ts'
import { createWorld, type World } from '../../../support/world.ts'

const SEED = testSeed('arrival blocks')
const ACCOUNTS = 12

let world: World
afterEach(() => world.dispose())

type Range = { at: number; isForward: boolean; limit: number; most: number }

function naiveWalk({ at, isForward, limit }: Range, isWanted: (uid: number) => boolean): Arrival[] {
  const order = isForward ? 'ASC' : 'DESC'
  const rows = world.reader
    .prepare<[], Arrival>(`SELECT seq, uid, item, at FROM arrivals ORDER BY seq ${order}`)
    .all()
  const isBeyond = ({ seq }: Arrival) => (isForward ? seq > at : seq < at)
  return rows.filter((row) => isBeyond(row) && isWanted(row.uid)).slice(0, limit)
}

/**
 * Changes rows as the triggers of posts do: new ones are appended, and rows are deleted without
 * being updated.
 */
function createActs(random: Random) {
  const { db } = world
  let item = 0
  const insert = db.prepare<[number, number, number]>(
    'INSERT INTO arrivals (uid, item, at) VALUES (?, ?, ?)',
  )
  const remove = db.prepare<[number, number]>('DELETE FROM arrivals WHERE seq >= ? AND seq < ?')
  const jump = db.prepare<[number]>(
    "UPDATE sqlite_sequence SET seq = seq + ? WHERE name = 'arrivals'",
  )
  const tip = () => db.prepare<[], number>('SELECT max(seq) FROM arrivals').pluck().get() ?? 0
  const put = (count: number) => {
    for (let i = 0; i < count; i++, item += 2) insert.run(1 + random.below(ACCOUNTS), item, i)
  }
  const acts: [chance: number, act: () => void][] = [
    [0.5, () => put(1 + random.below(40))],
    [0.7, () => remove.run(random.below(tip() + 1), tip() + 1)],
    [
      0.9,
      () => {
        const first = random.below(tip() + 1)
        remove.run(first, first + 1 + random.below(400))
      },
    ],
    [1, () => jump.run(random.below(5_000))],
  ]
  put(1_500)
  return {
    tip,
    act() {
      const dice = random.below(1_000) / 1_000
      const [, act] = acts.find(([chance]) => dice < chance)!
      act()
      if (tip() === 0 || random.chance(0.3)) put(300)
    },
  }
}

test(`a walk finds the same arrivals as a naive walk (seed ${SEED})`, () => {
  const random = createRandom(SEED)
  world = createWorld({ scope: 'network', members: ['alice'] })
  const { act, tip } = createActs(random)
  const blocks = prepareArrivalBlocks(world.reader)
  for (let step = 0; step < 400; step++) {
    if (random.chance(0.5)) act()
    const wanted = 1 + random.below(ACCOUNTS)
    const isWanted = (uid: number) => uid <= wanted
    const limit = 1 + random.below(60)
    const isForward = random.chance(0.5)
    const positions = [0, 1, tip(), tip() + 1, Number.MAX_SAFE_INTEGER, random.below(tip() + 10)]
    const range: Range = { at: random.pick(positions), isForward, limit, most: 1_000_000 }
    const expected = naiveWalk(range, isWanted)
    const walked = blocks.walk(range, isWanted)
    expect(walked.found).toEqual(expected)
    expect(walked.isEnd).toBe(expected.length < limit)
    if (expected.length === limit) expect(walked.reached).toBe(expected.at(-1)!.seq)
    else if (isForward) expect(walked.reached).toBe(Math.max(range.at, tip()))
  }
})

test(`a walk in steps finds each arrival exactly once (seed ${SEED})`, () => {
  const random = createRandom(SEED + 1)
  world = createWorld({ scope: 'network', members: ['alice'] })
  const { act } = createActs(random)
  const blocks = prepareArrivalBlocks(world.reader)
  for (let turn = 0; turn < 20; turn++) {
    act()
    const isForward = random.chance(0.5)
    const start = isForward ? 0 : Number.MAX_SAFE_INTEGER
    const isWanted = (uid: number) => uid === 3
    const all: Arrival[] = []
    for (let at = start, isEnd = false; !isEnd; ) {
      const range = { at, isForward, limit: 1 + random.below(9), most: 1 + random.below(300) }
      const walked = blocks.walk(range, isWanted)
      all.push(...walked.found)
      at = walked.reached
      isEnd = walked.isEnd
    }
    expect(all).toEqual(naiveWalk({ at: start, isForward, limit: 1e9, most: 0 }, isWanted))
  }
})

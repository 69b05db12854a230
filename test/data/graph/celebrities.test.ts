// The list of celebrities, as writer and reader of the account table return it, against the bits themselves.

import { expect, test } from 'vitest'
import { createActorTable, openActorTable } from '../../../src/data/graph/actor-table.ts'
import { CELEBRITY, HIDDEN, MEMBER } from '../../../src/data/graph/types.ts'
import { createRandom } from '../../support/random.ts'
import { didOf } from '../../support/records.ts'
import { testSeed } from '../../support/seed.ts'

test('writer and reader list exactly the accounts with the bit, after any history', () => {
  const random = createRandom(testSeed('celebrities'))
  const table = createActorTable()
  const reader = openActorTable(table.handle)
  expect(reader.celebrities()).toEqual([])
  const bits = new Map<number, number>()
  for (let i = 0; i < 3_000; i++) {
    const uid = table.intern(didOf(`account ${random.below(60)}`))
    const flags = random.pick([0, MEMBER, CELEBRITY, CELEBRITY | HIDDEN])
    table.setFlags(uid, flags)
    if (random.chance(0.3)) table.addMemberFollowers(uid, 1)
    bits.set(uid, flags)
    if (random.chance(0.5)) continue
    const expected = [...bits.keys()].filter((bit) => bits.get(bit)! & CELEBRITY)
    expect(reader.celebrities()).toEqual(expected.sort((a, b) => a - b))
    expect(table.celebrities()).toEqual(reader.celebrities())
  }
})

test('changes that do not affect the bit trigger no new scan', () => {
  const table = createActorTable()
  const reader = openActorTable(table.handle)
  const star = table.intern(didOf('star'))
  table.setFlags(star, CELEBRITY)
  const before = reader.celebrities()
  expect(before).toEqual([star])
  table.setFlags(star, CELEBRITY | MEMBER)
  table.addMemberFollowers(star, 5)
  table.intern(didOf('somebody else'))
  expect(reader.celebrities()).toBe(before)
})

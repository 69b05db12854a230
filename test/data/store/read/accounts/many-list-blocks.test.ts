// Blocks by list hold however many lists the blocking account subscribes to, and however many the blocked one
// is on: which of the two is probed depends on their numbers.

import { afterEach, expect, test } from 'vitest'
import { prepareBlockPairs } from '../../../../../src/data/store/read/accounts/block-pairs.ts'
import { prepareRelations } from '../../../../../src/data/store/read/accounts/relations.ts'
import { createWorld, type World } from '../../../../support/world.ts'

const FEW = 3
const MANY = 80
/** More than are probed. */
const VERY_MANY = 1_010

type Step = { parent: number; detail: string }

let world: World

afterEach(() => world.dispose())

test('the first of a thousand lists is found without sorting those behind it', () => {
  world = createWorld({ members: ['owner'], scope: 'network' })
  const { db } = world
  const statements: string[] = []
  const prepare = db.prepare.bind(db)
  db.prepare = ((sql: string) => {
    statements.push(sql)
    return prepare(sql)
  }) as typeof db.prepare
  prepareRelations(db)
  prepareBlockPairs(db)
  const lists = statements.filter((sql) => /CASE WHEN EXISTS .*OFFSET/.test(sql))
  expect(lists).toHaveLength(2)
  for (const sql of lists) {
    const plan = prepare<unknown[], Step>(`EXPLAIN QUERY PLAN ${sql}`)
    const names = { viewer: 1, uids: '[2]' }
    const steps = sql.includes(':viewer') ? plan.all(names) : plan.all('[[1, 2]]')
    const thousands = steps.filter(({ detail }) => detail === 'CO-ROUTINE own')
    expect(thousands.length).toBeGreaterThan(0)
    for (const { parent } of thousands) {
      const beside = steps.filter((step) => step.parent === parent).map(({ detail }) => detail)
      expect(beside).not.toContain('USE TEMP B-TREE FOR ORDER BY')
    }
  }
})

test.each([
  { subscribed: FEW, on: FEW },
  { subscribed: FEW, on: MANY },
  { subscribed: MANY, on: FEW },
  { subscribed: MANY, on: MANY },
  { subscribed: MANY, on: VERY_MANY },
])('a block by one of $subscribed lists, of an account on $on', ({ subscribed, on }) => {
  world = createWorld({ members: ['owner'], scope: 'network' })
  const { account, list, listItem, listBlock } = world
  const [owner, blocked, other, lister] = ['owner', 'blocked', 'other', 'lister'].map(account)
  const lists = Array.from({ length: subscribed }, (_, i) => list(lister!, `own ${i}`))
  for (const list of lists) listBlock(owner!, list)
  for (let i = 0; i < on; i++) listItem(lister!, list(lister!, `other ${i}`), blocked!)
  world.post(other!)
  const [from, to, beside] = [owner, blocked, other].map((did) => world.uid(did!))
  const pairs = () => prepareBlockPairs(world.db)
  expect(pairs().blocked([[from!, to!]]).byList).toEqual([])

  // The last two: the lowest id counts.
  for (const list of lists.slice(-2)) listItem(lister!, list, blocked!)
  expect(pairs().blocked([[from!, to!]]).byList).toHaveLength(1)
  expect(pairs().blocked([[to!, from!]]).byList).toHaveLength(1)
  expect(pairs().blocked([[from!, beside!]]).byList).toEqual([])
  const between = pairs().lists([[to!, from!]])
  expect(between.map(([, , , isFirst]) => isFirst)).toEqual([0, 0])
  const [relation] = prepareRelations(world.db)(from!, [to!])
  const [backwards] = prepareRelations(world.db)(to!, [from!])
  expect(relation![5]).toBe(Math.min(...between.map(([, , id]) => id)))
  expect(backwards![6]).toBe(relation![5])
})

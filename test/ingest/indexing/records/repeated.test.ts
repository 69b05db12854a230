// One account that follows, blocks or likes the same again and again: what is kept of it is bounded, and so is
// the work for the next one.

import { afterEach, expect, test } from 'vitest'
import { blockEdges, followEdges, likeEdges } from '../../../../src/data/store/edges/all-edges.ts'
import type { EdgeTable } from '../../../../src/data/store/edges/edge-table.ts'
import { createWorld, type RecordId, type World } from '../../../support/world.ts'

let world: World
afterEach(() => world.dispose())

const [ann, ben] = ['ann', 'ben'].map((name) => `did:web:${name}.test`) as [string, string]
const MOST_OF_A_PAIR = 64
const MORE = 40

function start() {
  world = createWorld({ scope: 'network' })
  for (const did of [ann, ben]) world.profile(did)
  return world.post(ben, 'liked')
}

const stored = (edges: EdgeTable) => [...edges.edgesOf(world.db, world.uid(ann))]

const kinds = [
  ['follows', followEdges, () => world.follow(ann, ben)],
  ['blocks', blockEdges, () => world.block(ann, ben)],
  ['likes', likeEdges, (post: RecordId) => world.like(ann, post)],
] as const

test.each(kinds)('%s of one subject are kept up to a number', (name, edges, act) => {
  const post = start()
  const records = Array.from({ length: MOST_OF_A_PAIR + MORE }, () => act(post))
  const keys = stored(edges).length
  expect(keys).toBe(MOST_OF_A_PAIR)
  const longest = world.db
    .prepare<[], number>(`SELECT max(length(bytes)) FROM ${name}_by_creator`)
    .pluck()
    .get()
  expect(longest).toBeLessThan(2_000)
  // While one of those kept is left, so is the pair; another record then has room.
  for (const record of records.slice(0, MOST_OF_A_PAIR - 1)) world.delete(record)
  expect(stored(edges).length).toBe(1)
  act(post)
  expect(stored(edges).length).toBe(2)
})

test.each(kinds.slice(0, 2))('%s that are changed to one subject are, too', (name, edges, act) => {
  const post = start()
  for (let i = 0; i < MOST_OF_A_PAIR; i++) act(post)
  const others = Array.from({ length: MORE }, (_, i) => {
    const collection = `app.bsky.graph.${name.slice(0, -1)}`
    return world.create(ann, collection, { subject: `did:web:other${i}.test` })
  })
  expect(stored(edges).length).toBe(MOST_OF_A_PAIR + MORE)
  for (const { uri } of others) {
    const [, , did, collection, rkey] = uri.split('/') as [string, string, string, string, string]
    const record = { subject: ben, createdAt: world.isoNow() }
    world.write({ did, collection, rkey, record, operation: 'update' })
  }
  expect(stored(edges).length).toBe(MOST_OF_A_PAIR)
  expect(stored(edges).every(({ subject }) => subject === world.uid(ben))).toBe(true)
})

test('a follow that was repeated is one edge, until none that is kept is left', () => {
  start()
  const records = Array.from({ length: MOST_OF_A_PAIR + 1 }, () => world.follow(ann, ben))
  const [a, b] = [world.uid(ann), world.uid(ben)]
  expect(world.graph.has(a, b)).toBe(true)
  for (const record of records.slice(1)) world.delete(record)
  expect(world.graph.has(a, b)).toBe(true)
  world.delete(records[0]!)
  expect(world.graph.has(a, b)).toBe(false)
})

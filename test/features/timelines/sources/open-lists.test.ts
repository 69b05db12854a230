// Lists of tens of thousands of accounts: their members are read some at a time, before the timeline is
// opened, and a merge's lists are limited together.

import { afterEach, expect, test } from 'vitest'
import { packRkey } from '../../../../src/base/atproto/keys.ts'
import { XRPCError } from '../../../../src/base/atproto/xrpc-error.ts'
import { InvalidationReader } from '../../../../src/data/shared-memory/invalidation-ring.ts'
import { createListReading } from '../../../../src/features/timelines/sources/open-lists.ts'
import { prepareReaders } from '../../../../src/features/timelines/sources/open-sources.ts'
import { parseTimelineKey } from '../../../../src/features/timelines/sources/timeline-key.ts'
import { tidAt } from '../../../support/records.ts'
import { createWorld, type World } from '../../../support/world.ts'

let world: World
afterEach(() => world.dispose())

function open(sizes: readonly number[]) {
  world = createWorld({ members: ['alice'] })
  const { reader: db, db: writer, memory } = world
  const alice = world.account('alice')
  const uris = sizes.map((size, i) => {
    const { uri } = world.list(alice, `list ${i}`)
    const id = writer.prepare('SELECT max(id) FROM lists').pluck().get()
    const insert = writer.prepare(
      'INSERT INTO list_items (uid, rkey, list, subject, sort_at) VALUES (1, ?, ?, ?, 1)',
    )
    writer.transaction(() => {
      for (let n = 0; n < size; n++) insert.run(packRkey(tidAt(i * 1e9 + n)), id, 1_000 + n)
    })()
    return uri
  })
  const invalidations = new InvalidationReader(world.invalidations.buffer)
  const readers = prepareReaders({ ...memory, db }, invalidations)
  return { uris, prepare: createListReading({ ...memory, db }, readers), readers }
}

const keysOf = (uris: readonly string[]) =>
  parseTimelineKey(uris.map((uri) => `list:${uri}`).join('+'))

test('members are read some at a time, once', () => {
  const { uris, prepare, readers } = open([10_000, 3])
  const keys = keysOf(uris)
  expect([...prepare(keys)].length).toBe(2)
  expect([...prepare(keys)].length).toBe(0)
  const members = readers.kept!.membersOf(1, () => expect.unreachable())
  expect(members.all.length).toBe(10_000)
  expect(members.set).toEqual(new Set(members.all))
})

test('lists of a merge are limited together, and a refused one is no trouble for the next', () => {
  const { uris, prepare } = open([60_000, 50_000])
  const refused = () => [...prepare(keysOf(uris))]
  expect(refused).toThrow(XRPCError)
  expect(refused).toThrow('may have 100000 accounts together')
  expect([...prepare(keysOf(uris.slice(1)))].length).toBe(12)
})

// Blocks, list items and list blocks are returned as they were written, however unusual, as long as they
// exist, even if the list itself does not.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { didOf, tidAt } from '../../support/records.ts'
import { createWorld, type RecordId, type World } from '../../support/world.ts'
import { startCallsOver } from './dataplane-world.ts'

const [alice, bob] = ['alice', 'bob'].map(didOf) as [string, string]
const listUri = `at://${alice}/app.bsky.graph.list/${tidAt(1_700_000_000_000_000)}`
/** By collection: its subject, and the call that returns its records. */
const KINDS = {
  'app.bsky.graph.block': ['getBlockRecords', { subject: bob }],
  'app.bsky.graph.listitem': ['getListItemRecords', { subject: bob, list: listUri }],
  'app.bsky.graph.listblock': ['getListBlockRecords', { subject: listUri }],
} as const
const UNUSUAL = [
  { createdAt: '2026-11-01T12:00:00.123456Z' },
  { createdAt: '2026-11-01T13:00:00+01:00' },
  { createdAt: '2031-01-01T00:00:00.000Z' },
  { createdAt: '2026-11-01T12:00:00.000Z', reason: 'nothing' },
]
const USUAL = { createdAt: '2026-11-01T12:00:00.000Z' }

type Records = { records: { record: Uint8Array; cid: string }[] }

let world: World
let dataplane: Awaited<ReturnType<typeof startCallsOver>>

beforeEach(async () => {
  world = createWorld({ scope: 'network' })
  for (const did of [alice, bob]) world.profile(did)
  dataplane = await startCallsOver(world)
})

afterEach(async () => {
  await dataplane.close()
  world.dispose()
})

function stored(): number {
  return world.db.prepare('SELECT count(*) FROM relation_records').pluck().get() as number
}

test.each(Object.keys(KINDS) as (keyof typeof KINDS)[])('%s', async (collection) => {
  const [name, about] = KINDS[collection]
  const made: { id: RecordId; record: object }[] = [...UNUSUAL, USUAL].map((more) => {
    const record = { ...about, ...more }
    return { id: world.create(alice, collection, record), record }
  })
  const uris = made.map(({ id }) => id.uri)
  const read = async () => {
    const found = (await dataplane.calls[name]!({ uris })) as Records
    return found.records.map(({ record, cid }) => [JSON.parse(Buffer.from(record).toString()), cid])
  }
  const [usual, ...others] = (await read()).toReversed()
  expect(others.toReversed()).toEqual(
    made.slice(0, -1).map(({ id, record }) => [{ $type: collection, ...record }, id.cid]),
  )
  expect(usual![0]).toEqual({ $type: collection, ...made.at(-1)!.record })
  expect(stored()).toBe(UNUSUAL.length)

  // Replacing a record also replaces the stored original.
  const [first, second] = made.map(({ id }) => id.uri.split('/').at(-1)!)
  world.write({
    did: alice,
    collection,
    rkey: first!,
    operation: 'update',
    record: { ...about, ...USUAL },
  })
  expect((await read())[0]![0]).toEqual({ $type: collection, ...about, ...USUAL })
  world.delete(`at://${alice}/${collection}/${second}`)
  expect((await read())[1]![0]).toBeNull()
  expect(stored()).toBe(UNUSUAL.length - 2)
  world.status(alice, 'deleted')
  expect(stored()).toBe(0)
})

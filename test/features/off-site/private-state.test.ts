// Members' private state goes first and comes back alone: before any base is stored, and where it is newer than
// the database that can be restored.

import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { FILE_NAME, openReader } from '../../../src/data/store/db.ts'
import {
  DOCUMENT_TABLES,
  MEMBER_TABLES,
  MEMBER_TABLES_BY_DID,
} from '../../../src/features/off-site/store/private-tables.ts'
import { readState } from '../../../src/ingest/indexing/member-state/read-state.ts'
import { storedTables } from '../../support/stored-tables/all.ts'
import { liveCompleteLife } from '../../support/whole-life.ts'
import { createWorld, type World } from '../../support/world.ts'
import { createOffSiteWorld, type OffSiteWorld } from './off-site-world.ts'
import { type S3Double, startS3Double } from './s3-double.ts'

let store: S3Double
let offSite: OffSiteWorld
let world: World
let alice: string

beforeEach(async () => {
  store = await startS3Double()
  offSite = await createOffSiteWorld(store)
  world = createWorld({ members: ['alice', 'bob'] })
  alice = world.account('alice')
  liveCompleteLife(world, {
    did: alice,
    friend: world.account('bob'),
    labeler: world.account('labeler'),
  })
})

afterEach(async () => {
  offSite.close()
  world.dispose()
  await store.close()
})

function stateIn(dataDir: string, did: string) {
  const db = openReader(dataDir)
  try {
    return readState(db, did)
  } finally {
    db.close()
  }
}

/** Rows of a member, without the member's number. */
function rowsIn(dataDir: string, table: string, did: string): object[] {
  const db = new Database(join(dataDir, FILE_NAME), { readonly: true })
  try {
    const rows = db
      .prepare(`SELECT * FROM ${table} WHERE uid = (SELECT uid FROM actors WHERE did = ?)`)
      .all(did) as Record<string, unknown>[]
    return rows.map(({ uid: _, author: __, ...row }) => row)
  } finally {
    db.close()
  }
}

const mute = (subject: string) =>
  world.request({ id: 1, did: alice, kind: 'mute', subjectDid: world.account(subject) })
const unmute = (subject: string) =>
  world.request({ id: 1, did: alice, kind: 'unmute', subjectDid: world.account(subject) })

it('has every table of members’ own, or does without it for a reason', () => {
  const without = [
    // Made again from records.
    ...['notifications', 'act_arrivals'],
    // Asked for again, or set by the reader's next page.
    ...['kept_identities', 'timeline_cursors', 'labelers', 'shared_state'],
  ]
  const covered = [...DOCUMENT_TABLES, ...MEMBER_TABLES, ...MEMBER_TABLES_BY_DID, ...without]
  const ofMembers = Object.entries(storedTables)
    .filter(([, { goes }]) => goes === 'member')
    .map(([name]) => name)
  expect(ofMembers.filter((name) => !covered.includes(name))).toEqual([])
})

it('comes back before any base is stored', async () => {
  const shipper = offSite.shipper(world.dataDir)
  await shipper.shipChanges()
  mute('carol')
  await shipper.shipChanges()
  expect([...store.objects.keys()].filter((name) => name.includes('/private/'))).toHaveLength(2)
  const { dataDir, database, members } = await offSite.restore()
  expect(database).toBeUndefined()
  expect(members).toBe(2)
  for (const did of [alice, world.account('bob')]) {
    expect(stateIn(dataDir, did)).toEqual(stateIn(world.dataDir, did))
  }
  for (const table of MEMBER_TABLES) {
    expect(rowsIn(dataDir, table, alice)).toEqual(rowsIn(world.dataDir, table, alice))
  }
})

it('replaces what an older database says', async () => {
  mute('carol')
  const shipper = offSite.shipper(world.dataDir)
  await shipper.shipComplete()
  unmute('carol')
  mute('dan')
  store.fault = ({ name, method }) =>
    method === 'PUT' && name.includes('/runs/') ? 'full' : undefined
  await expect(shipper.shipChanges()).rejects.toThrow('is full')
  const restored = await offSite.restore()
  expect(restored.database).toBeDefined()
  expect(restored.members).toBe(1)
  expect(stateIn(restored.dataDir, alice)).toEqual(stateIn(world.dataDir, alice))
})

it('is sent only if it changed, and only of whom', async () => {
  const shipper = offSite.shipper(world.dataDir)
  const sent = () => store.requested.filter((value) => value.startsWith('PUT here/private/')).length
  await shipper.shipChanges()
  expect(sent()).toBe(1)
  world.post(world.account('bob'), { text: 'nothing private' })
  await shipper.shipChanges()
  expect(sent()).toBe(1)
  mute('carol')
  await shipper.shipChanges()
  expect(sent()).toBe(2)
})

// Every table: what it holds about an account goes with the account or with its membership, or stays for a
// stated reason; and something bounds it. Checked in a world where an account has left whatever it can.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { DAY_MS } from '../../../src/base/util/durations.ts'
import { nextRemoval } from '../../../src/data/store/removal/removals.ts'
import { isReferenced } from '../../../src/data/store/removal/unneeded.ts'
import { noRetry } from '../../../src/data/store/write-retry.ts'
import { type IndexScope, internActor } from '../../../src/ingest/indexing/index-context.ts'
import { endMembership } from '../../../src/ingest/indexing/members/operator-members.ts'
import { sweepCandidates } from '../../../src/ingest/indexing/retention/sweep-candidates.ts'
import { startRemoving } from '../../../src/ingest/upkeep/removing.ts'
import { canonicalRows } from '../../support/canonical-rows.ts'
import { until } from '../../support/eventually.ts'
import { searchable } from '../../support/searching.ts'
import { storedTables } from '../../support/stored-tables/all.ts'
import type { StoredTable } from '../../support/stored-tables/entry.ts'
import { records } from '../../support/stored-tables/records.ts'
import { liveCompleteLife } from '../../support/whole-life.ts'
import type { Life } from '../../support/wholes.ts'
import { createWorld, type World } from '../../support/world.ts'

/** Far above every other number in the world's rows, so that it can be told from them. */
const UID = 7_777
/** All private rows of one member, as docs/SECURITY.md states it. */
const MOST_OF_MEMBER = 45e6
const ROOT = join(import.meta.dirname, '../../..')
let world: World
let life: Life
afterEach(() => world.dispose())

function start(scope: IndexScope, { isMember = true } = {}): void {
  world = createWorld({ scope })
  const [did, friend, labeler] = ['alice', 'bob', 'labeler'].map((name) => world.account(name)) as [
    string,
    string,
    string,
  ]
  world.run((ctx) => {
    for (let uid = 1; uid < UID; uid++) internActor(ctx, `did:plc:filler${uid}`)
  })
  life = { did, friend, labeler }
  world.run((ctx) => internActor(ctx, did))
  for (const member of isMember ? [did, friend] : [friend]) world.member(member)
  expect(world.uid(did)).toBe(UID)
  world.profile(labeler)
  liveCompleteLife(world, life)
  searchable(world)
}

/** Tables, without those of the full-text indexes. */
const tables = () =>
  world.db
    .prepare<[], string>("SELECT name FROM main.sqlite_schema WHERE type = 'table'")
    .pluck()
    .all()
    .filter((name) => !/^(sqlite|actor_words|actor_parts|post_words)(_|$)/.test(name))

/** The columns that name the account, by table: its number, or a text with its DID. */
function named(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const table of tables()) {
    const columns = (world.db.pragma(`table_info(${table})`) as { name: string }[]).filter(
      ({ name }) => isNaming(table, name),
    )
    if (columns.length > 0) found.set(table, new Set(columns.map(({ name }) => name)))
  }
  return found
}

function isNaming(table: string, column: string): boolean {
  const sql = `SELECT 1 FROM ${table} WHERE ${column} = :uid
    OR instr(CAST(${column} AS BLOB), CAST(:did AS BLOB)) > 0 LIMIT 1`
  return world.db.prepare(sql).get({ uid: UID, did: life.did }) !== undefined
}

function settle(): void {
  for (let isLeft = true; isLeft; ) {
    isLeft = world.run((ctx) => sweepCandidates(ctx, 50))
  }
  searchable(world)
}

/** Columns that still name the account, though their entry says otherwise. */
function unforeseen(goes: StoredTable['goes'][]): string[] {
  return [...named()].flatMap(([table, columns]) => {
    const { goes: when, why = {} } = storedTables[table]!
    if (!goes.includes(when)) return []
    const reasons = typeof why === 'string' ? {} : why
    return [...columns]
      .filter((column) => !(column in reasons))
      .map((column) => `${table}.${column}`)
  })
}

test('every table has an entry, and every entry a table', () => {
  start('community')
  expect(tables().sort()).toEqual(Object.keys(storedTables).sort())
})

test('the account has left a row in every table that may have one', () => {
  start('network')
  const all = named()
  const expected = Object.entries(storedTables).filter(([, { goes }]) => goes !== 'nobody')
  const missing = expected.map(([table]) => table).filter((table) => !all.has(table))
  // These are written while an account is removed, name it only in packed bytes, or keep it out.
  expect(missing.sort()).toEqual(['bans', 'doubts', 'likes_by_subject', 'removals'])
  expect(unforeseen(['nobody'])).toEqual([])
})

function leave(): void {
  start('community')
  world.run((ctx) => endMembership(ctx, life.did))
  settle()
}

test('a member who leaves takes all private rows along', () => {
  leave()
  expect(unforeseen(['member', 'nobody'])).toEqual([])
})

/** Announces the deletion, and waits until the time in which the account may return is over. */
async function remove(scope: IndexScope, { isMember = true } = {}): Promise<void> {
  start(scope, { isMember })
  world.status(life.did, 'deleted')
  const removing = startRemoving({
    db: world.db,
    writer: world.writer,
    now: () => world.now(),
    log: { info: () => undefined },
    diskSpace: noRetry,
  })
  await until(() => nextRemoval(world.db) === undefined)
  for (const table of ['drafts', 'admissions']) expect(named().has(table)).toBe(true)
  world.tick(7 * DAY_MS + 1)
  await until(() => !named().has('removals'))
  removing.stop()
  settle()
}

describe.each<IndexScope>(['community', 'network'])('in scope %s', (scope) => {
  test.each([
    ['a deleted account', true],
    ['a deleted account that is no member', false],
  ])('%s takes all its rows along', async (_, isMember) => {
    await remove(scope, { isMember })
    expect(unforeseen(['account', 'member', 'nobody'])).toEqual([])
    const row = world.db.prepare('SELECT * FROM actors WHERE uid = ?').get(UID)
    expect(row).toMatchObject({ did: life.did, handle: null, pds: null, rev: null })
  })
})

test('no reason for which a row may stay is out of date', async () => {
  const left = new Set<string>()
  const note = () => {
    for (const [table, columns] of named())
      for (const column of columns) left.add(`${table}.${column}`)
  }
  leave()
  note()
  for (const scope of ['community', 'network'] as const) {
    world.dispose()
    await remove(scope)
    note()
  }
  const stale = Object.entries(storedTables).flatMap(([table, { goes, why = '' }]) => {
    const columns =
      typeof why === 'string' ? [] : Object.keys(why).map((value) => `${table}.${value}`)
    const isGone = goes === 'stays' && ![...left].some((value) => value.startsWith(`${table}.`))
    return [...columns.filter((column) => !left.has(column)), ...(isGone ? [table] : [])]
  })
  // The world bans no one: a banned account is no member.
  expect(stale).toEqual(['bans'])
})

/** Rows made from records that name the account by its number and yet do not keep it; all others do. */
const KEEPS_NOBODY: Record<string, string> = {
  'arrivals.uid': 'a number of a post or repost, which itself keeps the account',
  'profiles.uid': 'goes with the account',
  'reaction_records.uid': 'beside a like, repost or follow, which itself keeps the account',
  'reaction_records.via_uid': 'the account of a repost, which itself keeps it',
  'records.uid': 'profiles show these, and they go with the account',
  'relation_records.uid': 'beside a block or what lists hold, which itself keeps the account',
  'search_actors.uid': 'made from the profile',
  'tombstones.uid': 'of records that are gone',
}

test('a record by an account or about it keeps the account from being swept', () => {
  start('network')
  world.run((ctx) => endMembership(ctx, life.did))
  const columns = numbered()
  const storesNobody = columns
    .filter(([table]) => table in records)
    .filter(([table, column]) =>
      undone(() => {
        const others = columns.filter(([other, value]) => other !== table || value !== column)
        for (const [other, value] of others)
          world.db.exec(`DELETE FROM ${other} WHERE ${value} = ${UID}`)
        return !isReferenced(world.db, UID)
      }),
    )
  expect(storesNobody.map((item) => item.join('.')).sort()).toEqual(
    Object.keys(KEEPS_NOBODY).sort(),
  )
})

/** The columns that name the account by its number, without its own row. */
function numbered(): [table: string, column: string][] {
  const isNumber = (table: string, column: string) =>
    world.db.prepare(`SELECT 1 FROM ${table} WHERE ${column} = ${UID}`).get() !== undefined
  return [...named()]
    .filter(([table]) => table !== 'actors')
    .flatMap(([table, columns]) => [...columns].map((column): [string, string] => [table, column]))
    .filter(([table, column]) => isNumber(table, column))
}

/** Why a table made from records is not compared. */
const NOT_COMPARED: Record<string, string> = {
  arrivals: 'the order of arrival may differ',
  mentions: 'made from posts',
  op_replies: 'made from posts',
  post_stretches: 'made from posts',
  reaction_records: 'JSON of likes, reposts and follows that are compared',
  relation_records: 'JSON of blocks, list items and list blocks that are compared',
  search_actors: 'made from profiles',
  search_backlog: 'a queue',
  search_queue: 'a queue',
  tombstones: 'of records that are gone; those told late may differ',
}

test('what is compared of two databases has all tables of repositories', () => {
  start('network')
  const all = JSON.stringify(canonicalRows(world.db, { withTimes: true }))
  const unsaid = Object.keys(records).filter((table) =>
    undone(() => {
      world.db.exec(`DELETE FROM ${table}`)
      return JSON.stringify(canonicalRows(world.db, { withTimes: true })) === all
    }),
  )
  expect(unsaid.sort()).toEqual(Object.keys(NOT_COMPARED).sort())
})

function undone<T>(work: () => T): T {
  world.db.exec('SAVEPOINT undone')
  try {
    return work()
  } finally {
    world.db.exec('ROLLBACK TO undone; RELEASE undone')
  }
}

test('a limit is the one that the source has, and its rows are no larger than stated', () => {
  start('network')
  let ofMember = 0
  for (const [table, { bound, goes, why }] of Object.entries(storedTables)) {
    expect([table, goes === 'stays' && !why]).toEqual([table, false])
    if (typeof bound === 'string') continue
    const { rows, bytes, per, by } = bound
    const [file, text] = by
    expect([table, readFileSync(join(ROOT, file), 'utf8').includes(text)]).toEqual([table, true])
    expect(largestRow(table)).toBeLessThanOrEqual(bytes)
    if (per === 'member') ofMember += rows * bytes
  }
  expect(ofMember).toBeLessThan(MOST_OF_MEMBER)
  const security = readFileSync(join(ROOT, 'docs/SECURITY.md'), 'utf8')
  expect(security).toContain(`less than ${MOST_OF_MEMBER / 1e6} MB`)
})

function largestRow(table: string): number {
  const columns = world.db.pragma(`table_info(${table})`) as { name: string }[]
  const sizes = columns.map(({ name }) => `coalesce(octet_length(${name}), 0)`)
  const sql = `SELECT coalesce(max(${sizes.join(' + ')}), 0) FROM ${table}`
  return world.db.prepare<[], number>(sql).pluck().get()!
}
